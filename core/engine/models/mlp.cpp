// mlp: pixels – 256 – classes with ReLU, the smallest net whose step is all overhead.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"

namespace atelier::engine {

ModelUnit model_mlp() {
  return {"mlp", [](const InputShape& shape) -> std::shared_ptr<Module> {
            const auto pixels = shape.channels * shape.height * shape.width;
            return std::make_shared<Sequential>(
                std::vector<std::shared_ptr<Module>>{std::make_shared<Flatten>(), std::make_shared<Linear>(pixels, 256),
                                                     std::make_shared<ReLU>(), std::make_shared<Linear>(256, shape.classes)});
          }};
}

}  // namespace atelier::engine
