// A model unit: one file in this folder that defines `ModelUnit model_<id>()`. Its texts are the catalog's "model.<id>.label"
// and "model.<id>.help".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/engine/module/module.h"
#include "core/wire/run_spec.h"

namespace atelier::pretrained {
struct ModelFolder;
}

namespace atelier::engine {

class ScriptBuilder;

enum class InputKind { Images, Tokens };

// What a model must be able to take: images of one shape, or token sequences of any length up to `length`.
struct InputShape {
  std::int64_t channels = 1, height = 28, width = 28, classes = 10;
  InputKind kind = InputKind::Images;
  std::int64_t vocabulary = 0, length = 0, pad = 0;  // Tokens: ids are below vocabulary; pad stands where there is no token
};

// What is asked of a model, and so what its loss is.
enum class Task {
  Classify,   // logits (N, classes); cross entropy with the labels (N)
  NextToken,  // logits (N, T, vocabulary); each position foretells the next token, paddings don't count
};

struct ModelRequest {
  const InputShape& input;
  const wire::RunSpec& spec;
  std::shared_ptr<const pretrained::ModelFolder> folder;  // of a model with a prefix; else null
};

struct ModelUnit {
  std::string id;
  // Weights come from the default CPU generator in PyTorch's order. Input (N, C, H, W) float or (N, T) int64.
  std::shared_ptr<Module> (*build)(const ModelRequest&);
  // The same in Python: defines build_model(), its weights drawn in the same order.
  void (*script)(const InputShape&, ScriptBuilder&) = nullptr;
  InputKind input = InputKind::Images;
  Task task = Task::Classify;
  std::vector<wire::Option> options{};
  std::string prefix{};  // "hf:": a family that is chosen as "hf:NAME", and not by its id
  // Its blocks (Module::isBlock) in the script: a list of their rows, as an expression of self.model; "": it has none, or they
  // are the transformers library's.
  std::string python_blocks{};
};

const std::vector<ModelUnit>& allModels();

// The unit that a spec's `model` names, or null.
const ModelUnit* findModelUnit(const std::string& model);

}  // namespace atelier::engine
