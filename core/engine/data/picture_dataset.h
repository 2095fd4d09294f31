// Pictures in files, decoded when a batch asks for them, by whoever makes it: memory holds no more of them than the batches in
// flight. A picture's middle square is given as shape.height × shape.width, RGB. Immutable once made; any thread.
#pragma once

#include "dataset.h"
#include "image_files.h"

namespace atelier::engine {

// Of pixel / 255, over photographs of all kinds.
inline constexpr float kPictureMean = 0.45F, kPictureDeviation = 0.23F;

class PictureDataset final : public Dataset {
 public:
  PictureDataset(std::string name, ImageFiles files, std::int64_t side);

  std::int64_t count(Split split) const override;
  std::string sampleName(Split split, std::int64_t index) const override;
  const ImageFiles& files() const { return m_files; }

 private:
  Batch makeBatch(const BatchRequest& request) const override;
  const std::vector<ImageFile>& of(Split split) const { return split == Split::Train ? m_files.train : m_files.test; }

  const ImageFiles m_files;
};

}  // namespace atelier::engine
