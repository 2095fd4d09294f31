#include "image_dataset.h"

#include "kernels/normalize_u8/normalize_u8.h"

namespace atelier::engine {

Batch ImageDataset::batch(Split split, const std::int64_t* indices, std::int64_t count) const {
  const auto& set = split == Split::Train ? train : evaluation;
  const auto pixels = static_cast<std::size_t>(shape.channels * shape.height * shape.width);
  Batch batch{at::empty({count, shape.channels, shape.height, shape.width}, at::kFloat), at::empty({count}, at::kLong)};
  auto* out = batch.input.data_ptr<float>();
  auto* targets = batch.target.data_ptr<std::int64_t>();
  const float scale = 1.0F / (255.0F * deviation), shift = -mean / deviation;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(indices[i]);
    TORCH_CHECK_INDEX(index < set.labels.size(), "sample ", indices[i], " is outside the data set of ", set.count);
    kernels::normalizeU8(set.pixels.data() + index * pixels, out + static_cast<std::size_t>(i) * pixels, pixels, scale, shift);
    targets[i] = set.labels[index];
  }
  return batch;
}

}  // namespace atelier::engine
