// resnet18: torchvision's ResNet-18 (names, order and initialisation), its first convolution taking the data's channels.
#include "core/engine/models/model.h"
#include "core/engine/module/layers.h"
#include "core/engine/script/builder.h"

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

std::shared_ptr<Module> build(const InputShape& shape) {
  return std::make_shared<ResNet18>(shape);
}

constexpr std::string_view kPython = R"py(
class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut around them."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += self.downsample(x)
        return self.relu(y)


class ResNet18(nn.Module):
    """torchvision's resnet18; its first convolution takes the images' channels."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = nn.Sequential(BasicBlock(64, 64, 1), BasicBlock(64, 64, 1))
        self.layer2 = nn.Sequential(BasicBlock(64, 128, 2), BasicBlock(128, 128, 1))
        self.layer3 = nn.Sequential(BasicBlock(128, 256, 2), BasicBlock(256, 256, 1))
        self.layer4 = nn.Sequential(BasicBlock(256, 512, 2), BasicBlock(512, 512, 1))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


def build_model() -> nn.Module:
    return ResNet18(@channels@, @classes@)
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.define(withValues(kPython, {{"channels", shape.channels}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_resnet18() {
  return {"resnet18", build, script};
}

}  // namespace atelier::engine
