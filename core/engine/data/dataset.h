// A data set in memory: 8-bit images and labels, split into training and evaluation. A data unit is one file in this folder
// that defines `DataUnit data_<id>()`; its texts are the catalog's "data.<id>.label" and ".help".
// Immutable once loaded; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/engine/models/model.h"
#include "core/wire/result.h"

namespace atelier::engine {

struct ImageSet {
  std::int64_t count = 0;
  std::vector<std::uint8_t> pixels;  // count × channels × height × width
  std::vector<std::uint8_t> labels;  // count
};

struct Dataset {
  std::string id;
  InputShape shape;
  float mean = 0, deviation = 1;  // of pixel / 255, over the training split
  ImageSet train, evaluation;
};

// What a script must know of a data set without loading it.
struct DataFacts {
  InputShape shape;
  std::int64_t train_count = 0, evaluation_count = 0;
};

struct DataUnit {
  std::string id;
  bool seeded = false;  // made from the seed
  // Fails with data.missing, data.damaged (file, why) and the remedy in the text.
  wire::Result<std::shared_ptr<const Dataset>> (*load)(std::uint64_t seed);
  // The same in Python: defines MEAN, DEVIATION and load_data(), which returns [(images, labels) to train on, … to test on],
  // uint8 (N, C, H, W) and int64 (N).
  DataFacts (*script)(ScriptBuilder&) = nullptr;
};

const std::vector<DataUnit>& allData();

struct Batch {
  at::Tensor input;   // (N, C, H, W) float32, normalised
  at::Tensor target;  // (N) int64
};

// Samples `indices` of a set as one batch, on the CPU.
Batch makeBatch(const Dataset& data, const ImageSet& set, const std::int64_t* indices, std::int64_t count);

}  // namespace atelier::engine
