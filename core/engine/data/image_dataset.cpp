#include "image_dataset.h"

#include "augment.h"

namespace atelier::engine {

Batch ImageDataset::makeBatch(const BatchRequest& request) const {
  const auto& set = request.split == Split::Train ? train : evaluation;
  const auto pixels = static_cast<std::size_t>(shape.channels * shape.height * shape.width);
  Batch batch{at::empty({request.count, shape.channels, shape.height, shape.width}, at::kFloat),
              at::empty({request.count}, at::kLong)};
  auto* out = batch.input.data_ptr<float>();
  auto* targets = batch.target.data_ptr<std::int64_t>();
  PixelWriter writer(request, shape, mean, deviation);
  for (std::int64_t i = 0; i < request.count; ++i, out += pixels) {
    const auto index = static_cast<std::size_t>(request.indices[i]);
    TORCH_CHECK_INDEX(index < set.labels.size(), "sample ", request.indices[i], " is outside the data set of ", set.count);
    writer.write(set.pixels.data() + index * pixels, request.indices[i], out);
    targets[i] = set.labels[index];
  }
  return batch;
}

}  // namespace atelier::engine
