// A model unit: one file in this folder that defines `ModelUnit model_<id>()`. Its texts are the catalog's "model.<id>.label"
// and "model.<id>.help".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/engine/module/module.h"

namespace atelier::engine {

class ScriptBuilder;

// One sample's shape (channels, height, width) and the number of classes.
struct InputShape {
  std::int64_t channels = 1, height = 28, width = 28, classes = 10;
};

struct ModelUnit {
  std::string id;
  // Weights come from the default CPU generator in PyTorch's order. Input (N, C, H, W) float, output (N, classes) logits.
  std::shared_ptr<Module> (*build)(const InputShape&);
  // The same in Python: defines build_model(), its weights drawn in the same order.
  void (*script)(const InputShape&, ScriptBuilder&) = nullptr;
};

const std::vector<ModelUnit>& allModels();

}  // namespace atelier::engine
