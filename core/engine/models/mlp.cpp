// mlp: pixels – 256 – classes with ReLU, the smallest net whose step is all overhead.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"
#include "core/engine/script/builder.h"

namespace atelier::engine {
namespace {

std::shared_ptr<Module> build(const ModelRequest& request) {
  const auto& shape = request.input;
  const auto pixels = shape.channels * shape.height * shape.width;
  return std::make_shared<Sequential>(
      std::vector<std::shared_ptr<Module>>{std::make_shared<Flatten>(), std::make_shared<Linear>(pixels, 256),
                                           std::make_shared<ReLU>(), std::make_shared<Linear>(256, shape.classes)});
}

constexpr std::string_view kPython = R"py(
def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(@pixels@, 256),
        nn.ReLU(),
        nn.Linear(256, @classes@),
    )
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.define(withValues(kPython, {{"pixels", shape.channels * shape.height * shape.width}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_mlp() {
  return {"mlp", build, script};
}

}  // namespace atelier::engine
