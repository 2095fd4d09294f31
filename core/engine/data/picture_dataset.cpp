#include "picture_dataset.h"

#include "augment.h"
#include "data_error.h"
#include "image_decode.h"
#include "sample_watch.h"

namespace atelier::engine {

PictureDataset::PictureDataset(std::string name, ImageFiles files, std::int64_t side) : m_files(std::move(files)) {
  id = std::move(name);
  shape = {};
  shape.channels = 3;
  shape.height = shape.width = side;
  shape.classes = static_cast<std::int64_t>(m_files.classes.size());
}

std::int64_t PictureDataset::count(Split split) const {
  return split == Split::Validation ? 0 : static_cast<std::int64_t>(of(split).size());
}

std::string PictureDataset::sampleName(Split split, std::int64_t index) const {
  return (m_files.root / of(split)[static_cast<std::size_t>(index)].path).string();
}

Batch PictureDataset::makeBatch(const BatchRequest& request) const {
  const auto pixels = static_cast<std::size_t>(shape.channels * shape.height * shape.width);
  Batch batch{at::empty({request.count, shape.channels, shape.height, shape.width}, at::kFloat),
              at::empty({request.count}, at::kLong)};
  auto* out = batch.input.data_ptr<float>();
  auto* targets = batch.target.data_ptr<std::int64_t>();
  PixelWriter writer(request, shape, kPictureMean, kPictureDeviation);
  DecodeScratch scratch;
  std::vector<std::uint8_t> decoded(pixels);
  for (std::int64_t i = 0; i < request.count; ++i, out += pixels) {
    const auto index = request.indices[i];
    TORCH_CHECK_INDEX(index >= 0 && index < count(request.split), "sample ", index, " is outside the data set of ",
                      count(request.split));
    if (request.watch) request.watch->begin(index);
    const auto done = decodeImage(sampleName(request.split, index), shape.height, decoded.data(), scratch);
    if (!done.ok()) throw DataError(done.error());
    writer.write(decoded.data(), index, out);
    targets[i] = of(request.split)[static_cast<std::size_t>(index)].label;
  }
  if (request.watch) request.watch->end();
  return batch;
}

}  // namespace atelier::engine
