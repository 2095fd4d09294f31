// A data set in memory, split for training, validation and test. A data unit is one file in this folder that defines
// `DataUnit data_<id>()`; its texts are the catalog's "data.<id>.label" and ".help".
// Immutable once loaded; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "core/engine/models/model.h"
#include "core/wire/result.h"

namespace atelier::pretrained {
class Tokenizer;
}

namespace atelier::engine {

struct Batch {
  at::Tensor input;   // (N, C, H, W) float32, normalised; or (N, T) int64 token ids, padded to the batch's longest
  at::Tensor target;  // (N) int64 labels
};

enum class Split { Train, Validation, Test };

struct Augmentation;
class SampleWatch;

// Samples `indices` of a split, as an epoch sees them.
struct BatchRequest {
  Split split = Split::Train;
  const std::int64_t* indices = nullptr;
  std::int64_t count = 0;
  std::int64_t epoch = 0;
  const Augmentation* augmentation = nullptr;  // null: the samples as they are
  SampleWatch* watch = nullptr;                // told of each sample that takes work; null: nobody asks
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t count(Split split) const = 0;  // 0: there is no such split
  // One batch, on the CPU. It depends on the request alone, whoever makes it. From any thread. Throws c10::Error for a sample
  // outside the split, and DataError for one that can't be read.
  Batch batch(const BatchRequest& request) const { return makeBatch(request); }
  // The samples as they are.
  Batch batch(Split split, const std::int64_t* indices, std::int64_t count) const {
    BatchRequest request;
    request.split = split;
    request.indices = indices;
    request.count = count;
    return makeBatch(request);
  }
  // What stands for a sample where people read it, a file's path; "": its number alone.
  virtual std::string sampleName(Split /*split*/, std::int64_t /*index*/) const { return {}; }
  // Tokens of a sample, for batches of similar lengths; 0 where all are alike.
  virtual std::int64_t sampleLength(Split /*split*/, std::int64_t /*index*/) const { return 0; }

  std::string id;
  InputShape shape;

 private:
  virtual Batch makeBatch(const BatchRequest& request) const = 0;
};

// What a script must know of a data set without loading it.
struct DataFacts {
  InputShape shape;
  std::int64_t train_count = 0, evaluation_count = 0;
  std::int64_t validation_count = 0;  // 0: there is no such split
};

struct DataRequest {
  std::uint64_t seed = 0;
  const wire::RunSpec& spec;
  std::shared_ptr<const pretrained::Tokenizer> tokenizer{};  // of token data; else null
  std::int64_t max_tokens = 0;                               // that the model can take, [CLS] and [SEP] counted
};

struct DataUnit {
  std::string id;
  bool seeded = false;  // made from the seed
  // Fails with data.missing, data.damaged (file, why) and the remedy in the text.
  wire::Result<std::shared_ptr<const Dataset>> (*load)(const DataRequest& request);
  // The same in Python. Images: defines MEAN, DEVIATION and load_data(), which returns [(inputs, labels) to train on, … to test
  // on], uint8 (N, C, H, W) and int64 (N). Tokens: see script/tokens.h.
  DataFacts (*script)(ScriptBuilder&) = nullptr;
  InputKind input = InputKind::Images;
  std::vector<wire::Option> options{};
  bool needs_folder = false;  // reads what lies in the folder that `data_dir` names
};

const std::vector<DataUnit>& allData();

}  // namespace atelier::engine
