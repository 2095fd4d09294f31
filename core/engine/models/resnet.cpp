#include "resnet.h"

#include "core/engine/module/layers.h"

namespace atelier::engine {
namespace {

std::shared_ptr<Conv2d> convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  return std::make_shared<Conv2d>(
      ConvOptions{.in = in, .out = out, .kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
}

// The projection of a block's input where its shape changes; else null.
std::shared_ptr<Sequential> shortcut(std::int64_t in, std::int64_t out, std::int64_t stride) {
  if (stride == 1 && in == out) return nullptr;
  auto projection = convolution(in, out, 1, stride);
  return std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{projection, std::make_shared<BatchNorm2d>(out)});
}

class BasicBlock final : public Module {
 public:
  static constexpr std::int64_t kExpansion = 1;

  BasicBlock(std::int64_t in, std::int64_t width, std::int64_t stride) {
    // torchvision builds the shortcut before the block, so its weights are drawn first though it is named last.
    auto projection = shortcut(in, width, stride);
    m_conv1 = add("conv1", convolution(in, width, 3, stride));
    m_bn1 = add("bn1", std::make_shared<BatchNorm2d>(width));
    m_relu = add("relu", std::make_shared<ReLU>(true));
    m_conv2 = add("conv2", convolution(width, width, 3));
    m_bn2 = add("bn2", std::make_shared<BatchNorm2d>(width));
    if (projection) m_downsample = add("downsample", projection);
  }
  std::string kind() const override { return "BasicBlock"; }
  bool isBlock() const override { return true; }

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

class Bottleneck final : public Module {
 public:
  static constexpr std::int64_t kExpansion = 4;

  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride) {
    const auto out = width * kExpansion;
    auto projection = shortcut(in, out, stride);  // drawn first, as in a basic block
    m_conv1 = add("conv1", convolution(in, width, 1));
    m_bn1 = add("bn1", std::make_shared<BatchNorm2d>(width));
    m_conv2 = add("conv2", convolution(width, width, 3, stride));
    m_bn2 = add("bn2", std::make_shared<BatchNorm2d>(width));
    m_conv3 = add("conv3", convolution(width, out, 1));
    m_bn3 = add("bn3", std::make_shared<BatchNorm2d>(out));
    m_relu = add("relu", std::make_shared<ReLU>(true));
    if (projection) m_downsample = add("downsample", projection);
  }
  std::string kind() const override { return "Bottleneck"; }
  bool isBlock() const override { return true; }

 private:
  at::Tensor forward(at::Tensor input) override {
    auto identity = m_downsample ? (*m_downsample)(input) : input;
    auto x = (*m_relu)((*m_bn1)((*m_conv1)(input)));
    x = (*m_relu)((*m_bn2)((*m_conv2)(std::move(x))));
    x = (*m_bn3)((*m_conv3)(std::move(x)));
    x.add_(identity);
    return (*m_relu)(x);
  }
  std::shared_ptr<Conv2d> m_conv1, m_conv2, m_conv3;
  std::shared_ptr<BatchNorm2d> m_bn1, m_bn2, m_bn3;
  std::shared_ptr<ReLU> m_relu;
  std::shared_ptr<Sequential> m_downsample;
};

template <class Block>
class ResNet final : public Module {
 public:
  ResNet(const InputShape& shape, const std::array<int, 4>& depths) {
    m_conv1 = add("conv1", convolution(shape.channels, 64, 7, 2));
    m_bn1 = add("bn1", std::make_shared<BatchNorm2d>(64));
    m_relu = add("relu", std::make_shared<ReLU>(true));
    m_pool = add("maxpool", std::make_shared<MaxPool2d>(3, 2, 1));
    std::int64_t in = 64;
    for (int layer = 0; layer < 4; ++layer) {
      const auto width = std::int64_t{64} << layer;
      std::vector<std::shared_ptr<Module>> blocks;
      for (int i = 0; i < depths[static_cast<std::size_t>(layer)]; ++i) {
        blocks.push_back(std::make_shared<Block>(in, width, i == 0 && layer > 0 ? 2 : 1));
        in = width * Block::kExpansion;
      }
      m_layers.push_back(add("layer" + std::to_string(layer + 1), std::make_shared<Sequential>(blocks)));
    }
    m_average = add("avgpool", std::make_shared<GlobalAveragePool>());
    m_head = add("fc", std::make_shared<Linear>(in, shape.classes));
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

std::shared_ptr<Module> makeResNet(const InputShape& shape, ResidualBlock block, const std::array<int, 4>& depths) {
  if (block == ResidualBlock::Basic) return std::make_shared<ResNet<BasicBlock>>(shape, depths);
  return std::make_shared<ResNet<Bottleneck>>(shape, depths);
}

}  // namespace atelier::engine
