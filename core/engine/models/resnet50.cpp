// resnet50: torchvision's ResNet-50, of bottlenecks; see resnet.h.
#include "core/engine/script/builder.h"
#include "resnet.h"

namespace atelier::engine {
namespace {

std::shared_ptr<Module> build(const ModelRequest& request) {
  return makeResNet(request.input, ResidualBlock::Bottleneck, {3, 4, 6, 3});
}

constexpr std::string_view kPython = R"py(
class Bottleneck(nn.Module):
    """Convolutions 1x1, 3x3 and 1x1, to four times `width` channels, and a shortcut around them."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != 4 * width:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, 4 * width, 1, stride, bias=False),
                nn.BatchNorm2d(4 * width),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += self.downsample(x)
        return self.relu(y)


def bottlenecks(count: int, inputs: int, width: int, stride: int) -> nn.Sequential:
    """Some in a row, of which the first takes the stride."""
    first = Bottleneck(inputs, width, stride)
    return nn.Sequential(first, *(Bottleneck(4 * width, width, 1) for _ in range(count - 1)))


class ResNet50(nn.Module):
    """torchvision's resnet50; its first convolution takes the images' channels."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = bottlenecks(3, 64, 64, 1)
        self.layer2 = bottlenecks(4, 256, 128, 2)
        self.layer3 = bottlenecks(6, 512, 256, 2)
        self.layer4 = bottlenecks(3, 1024, 512, 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(2048, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


def build_model() -> nn.Module:
    return ResNet50(@channels@, @classes@)
)py";

void script(const InputShape& shape, ScriptBuilder& script) {
  script.define(withValues(kPython, {{"channels", shape.channels}, {"classes", shape.classes}}));
}

}  // namespace

ModelUnit model_resnet50() {
  ModelUnit unit{"resnet50", build, script};
  unit.python_blocks = "[self.model.layer1, self.model.layer2, self.model.layer3, self.model.layer4]";
  return unit;
}

}  // namespace atelier::engine
