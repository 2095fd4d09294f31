// cnn: two blocks of convolution 3×3, batch norm, ReLU and pooling (32 and 64 channels), then two linear layers.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"
#include "core/engine/script/builder.h"

namespace atelier::engine {
namespace {

class ConvBlock final : public Sequential {
 public:
  using Sequential::Sequential;
  bool isBlock() const override { return true; }
};

std::shared_ptr<Module> block(std::int64_t in, std::int64_t out) {
  auto conv = std::make_shared<Conv2d>(ConvOptions{.in = in, .out = out, .kernel = 3, .padding = 1});
  return std::make_shared<ConvBlock>(std::vector<std::shared_ptr<Module>>{
      conv, std::make_shared<BatchNorm2d>(out), std::make_shared<ReLU>(), std::make_shared<MaxPool2d>(2)});
}

std::shared_ptr<Module> build(const ModelRequest& request) {
  const auto& shape = request.input;
  // Built one by one: weights are drawn in this order.
  auto first = block(shape.channels, 32), second = block(32, 64);
  auto hidden = std::make_shared<Linear>(64 * (shape.height / 4) * (shape.width / 4), 128);
  auto head = std::make_shared<Linear>(128, shape.classes);
  return std::make_shared<Sequential>(
      std::vector<std::shared_ptr<Module>>{first, second, std::make_shared<Flatten>(), hidden, std::make_shared<ReLU>(), head});
}

constexpr std::string_view kPython = R"py(
def conv_block(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size=3, padding=1),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


def build_model() -> nn.Module:
    return nn.Sequential(
        conv_block(@channels@, 32),
        conv_block(32, 64),
        nn.Flatten(),
        nn.Linear(64 * @height@ * @width@, 128),
        nn.ReLU(),
        nn.Linear(128, @classes@),
    )
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.define(withValues(
      kPython,
      {{"channels", shape.channels}, {"height", shape.height / 4}, {"width", shape.width / 4}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_cnn() {
  ModelUnit unit{"cnn", build, script};
  unit.python_blocks = "[self.model[:2]]";
  return unit;
}

}  // namespace atelier::engine
