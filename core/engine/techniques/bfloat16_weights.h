// Which of a model's parameters are bfloat16 where its weights are: all but those of norms, whose arithmetic stays float32.
// Thread: the session's.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/module/module.h"

namespace atelier::engine {

// Each once, though two modules may share it. REQUIRES: the model is held by a shared_ptr.
inline std::vector<at::Tensor> weightsForBfloat16(Module& model) {
  std::vector<at::Tensor> weights;
  std::set<const at::TensorImpl*> seen;
  for (const auto& each : model.modules()) {
    const auto* module = dynamic_cast<const Module*>(each.get());
    if (module && module->kind().find("Norm") != std::string::npos) continue;
    for (const auto& parameter : each->parameters(false))
      if (seen.insert(parameter.unsafeGetTensorImpl()).second) weights.push_back(parameter);
  }
  return weights;
}

inline constexpr std::string_view kBfloat16WeightsPython = R"py(
def weights_for_bfloat16(model: nn.Module) -> Iterator[nn.Parameter]:
    """All but those of norms, whose arithmetic stays float32."""
    seen = set()
    for module in model.modules():
        if "Norm" not in type(module).__name__:
            for parameter in module.parameters(recurse=False):
                if parameter not in seen:
                    seen.add(parameter)
                    yield parameter
)py";

}  // namespace atelier::engine
