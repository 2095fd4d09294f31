// cnn: two blocks of convolution 3×3, batch norm, ReLU and pooling (32 and 64 channels), then two linear layers.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"

namespace atelier::engine {

ModelUnit model_cnn() {
  return {"cnn", [](const InputShape& shape) -> std::shared_ptr<Module> {
            const auto block = [](std::int64_t in, std::int64_t out) -> std::shared_ptr<Module> {
              // Built one by one: weights are drawn in this order.
              auto conv = std::make_shared<Conv2d>(ConvOptions{.in = in, .out = out, .kernel = 3, .padding = 1});
              return std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{
                  conv, std::make_shared<BatchNorm2d>(out), std::make_shared<ReLU>(), std::make_shared<MaxPool2d>(2)});
            };
            auto first = block(shape.channels, 32), second = block(32, 64);
            auto hidden = std::make_shared<Linear>(64 * (shape.height / 4) * (shape.width / 4), 128);
            auto head = std::make_shared<Linear>(128, shape.classes);
            return std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{first, second, std::make_shared<Flatten>(),
                                                                                     hidden, std::make_shared<ReLU>(), head});
          }};
}

}  // namespace atelier::engine
