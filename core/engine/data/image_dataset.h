// Images of 8-bit pixels in memory. Immutable once filled; any thread.
#pragma once

#include "dataset.h"

namespace atelier::engine {

struct ImageSet {
  std::int64_t count = 0;
  std::vector<std::uint8_t> pixels;  // count × channels × height × width
  std::vector<std::uint8_t> labels;  // count
};

class ImageDataset final : public Dataset {
 public:
  std::int64_t count(Split split) const override {
    return split == Split::Train ? train.count : split == Split::Test ? evaluation.count : 0;
  }

  float mean = 0, deviation = 1;  // of pixel / 255, over the training split
  ImageSet train, evaluation;

 private:
  Batch makeBatch(const BatchRequest& request) const override;
};

}  // namespace atelier::engine
