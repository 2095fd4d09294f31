// resnet18: torchvision's ResNet-18 (names, order and initialisation), its first convolution taking the data's channels.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"

namespace atelier::engine {
namespace {

class BasicBlock final : public Module {
 public:
  BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride) {
    // torchvision builds the shortcut before the block, so its weights are drawn first though it is named last.
    std::shared_ptr<Sequential> shortcut;
    if (stride != 1 || in != out)
      shortcut = std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{
          std::make_shared<Conv2d>(ConvOptions{.in = in, .out = out, .kernel = 1, .stride = stride, .bias = false}),
          std::make_shared<BatchNorm2d>(out)});
    m_conv1 = add("conv1", std::make_shared<Conv2d>(
                               ConvOptions{.in = in, .out = out, .kernel = 3, .stride = stride, .padding = 1, .bias = false}));
    m_bn1 = add("bn1", std::make_shared<BatchNorm2d>(out));
    m_relu = add("relu", std::make_shared<ReLU>(true));
    m_conv2 =
        add("conv2", std::make_shared<Conv2d>(ConvOptions{.in = out, .out = out, .kernel = 3, .padding = 1, .bias = false}));
    m_bn2 = add("bn2", std::make_shared<BatchNorm2d>(out));
    if (shortcut) m_downsample = add("downsample", shortcut);
  }
  std::string kind() const override { return "BasicBlock"; }

 private:
  at::Tensor forward(at::Tensor input) override {
    auto identity = m_downsample ? (*m_downsample)(input) : input;
    auto x = (*m_bn2)((*m_conv2)((*m_relu)((*m_bn1)((*m_conv1)(input)))));
    x.add_(identity);
    return (*m_relu)(x);
  }
  std::shared_ptr<Conv2d> m_conv1, m_conv2;
  std::shared_ptr<BatchNorm2d> m_bn1, m_bn2;
  std::shared_ptr<ReLU> m_relu;
  std::shared_ptr<Sequential> m_downsample;
};

class ResNet18 final : public Module {
 public:
  explicit ResNet18(const InputShape& shape) {
    m_conv1 = add("conv1", std::make_shared<Conv2d>(ConvOptions{
                               .in = shape.channels, .out = 64, .kernel = 7, .stride = 2, .padding = 3, .bias = false}));
    m_bn1 = add("bn1", std::make_shared<BatchNorm2d>(64));
    m_relu = add("relu", std::make_shared<ReLU>(true));
    m_pool = add("maxpool", std::make_shared<MaxPool2d>(3, 2, 1));
    std::int64_t in = 64;
    for (int layer = 1; layer <= 4; ++layer) {
      const auto out = std::int64_t{64} << (layer - 1);
      auto first = std::make_shared<BasicBlock>(in, out, layer == 1 ? 1 : 2);
      auto second = std::make_shared<BasicBlock>(out, out, 1);
      m_layers.push_back(add("layer" + std::to_string(layer),
                             std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{first, second})));
      in = out;
    }
    m_average = add("avgpool", std::make_shared<GlobalAveragePool>());
    m_head = add("fc", std::make_shared<Linear>(512, shape.classes));
    for (const auto& module : modules(false))
      if (auto* conv = dynamic_cast<Conv2d*>(module.get())) conv->initialiseKaimingNormal();
  }
  std::string kind() const override { return "ResNet"; }

 private:
  at::Tensor forward(at::Tensor input) override {
    auto x = (*m_pool)((*m_relu)((*m_bn1)((*m_conv1)(std::move(input)))));
    for (const auto& layer : m_layers) x = (*layer)(std::move(x));
    return (*m_head)((*m_average)(std::move(x)));
  }
  std::shared_ptr<Conv2d> m_conv1;
  std::shared_ptr<BatchNorm2d> m_bn1;
  std::shared_ptr<ReLU> m_relu;
  std::shared_ptr<MaxPool2d> m_pool;
  std::vector<std::shared_ptr<Sequential>> m_layers;
  std::shared_ptr<GlobalAveragePool> m_average;
  std::shared_ptr<Linear> m_head;
};

}  // namespace

ModelUnit model_resnet18() {
  return {"resnet18", [](const InputShape& shape) -> std::shared_ptr<Module> { return std::make_shared<ResNet18>(shape); }};
}

}  // namespace atelier::engine
