#include "core/engine/models/resnet.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;

InputShape images(std::int64_t channels, std::int64_t side, std::int64_t classes) {
  return {channels, side, side, classes};
}

}  // namespace

TEST(ResNet, HasTorchvisionsNamesAndSizes) {
  const auto model = buildModel("resnet50", images(3, 224, 1000));
  std::int64_t count = 0;
  for (const auto& parameter : model->named_parameters()) count += parameter.value().numel();
  EXPECT_EQ(count, 25'557'032) << "torchvision's resnet50";
  EXPECT_EQ(model->named_parameters().size(), 161U);
  const auto parameters = model->named_parameters();
  const auto sizes = [&](const std::string& name) { return parameters[name].sizes().vec(); };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizes("conv1.weight"), (Sizes{64, 3, 7, 7}));
  EXPECT_EQ(sizes("layer1.0.downsample.0.weight"), (Sizes{256, 64, 1, 1}));
  EXPECT_EQ(sizes("layer2.0.conv1.weight"), (Sizes{128, 256, 1, 1}));
  EXPECT_EQ(sizes("layer4.2.conv2.weight"), (Sizes{512, 512, 3, 3}));
  EXPECT_EQ(sizes("layer4.2.conv3.weight"), (Sizes{2048, 512, 1, 1}));
  EXPECT_EQ(sizes("fc.weight"), (Sizes{1000, 2048}));
  EXPECT_FALSE(parameters.contains("layer1.1.downsample.0.weight"));
  EXPECT_TRUE(model->named_buffers().contains("layer3.5.bn3.running_var"));
}

TEST(ResNet, TheFirstConvolutionTakesTheDatasChannels) {
  for (const char* name : {"resnet18", "resnet50"}) {
    const auto model = buildModel(name, images(1, 28, 10));
    EXPECT_EQ(model->named_parameters()["conv1.weight"].sizes(), at::IntArrayRef({64, 1, 7, 7})) << name;
    EXPECT_EQ((*model)(at::zeros({2, 1, 28, 28})).sizes(), at::IntArrayRef({2, 10})) << name;
  }
}

// A bottleneck's stride stands in its 3×3 convolution.
TEST(ResNet, TheThreeByThreeConvolutionTakesTheStride) {
  const auto model = buildModel("resnet50", images(3, 64, 10));
  std::vector<std::string> seen;
  model->hooks().after.push_back([&](Module& module, const at::Tensor& input, at::Tensor& output) {
    if (module.kind() == "Conv2d" && module.path().starts_with("layer2.0.conv"))
      seen.push_back(module.path() + ":" + std::to_string(input.size(2)) + ":" + std::to_string(output.size(2)));
  });
  (*model)(at::zeros({2, 3, 64, 64}));
  EXPECT_EQ(seen, (std::vector<std::string>{"layer2.0.conv1:16:16", "layer2.0.conv2:16:8", "layer2.0.conv3:8:8"}));
}

// torchvision draws a block's shortcut ahead of the block, and draws all convolutions again in the order of their names.
TEST(ResNet, WeightsAreDrawnInTorchvisionsOrder) {
  at::manual_seed(9);
  const auto model = makeResNet(images(3, 32, 10), ResidualBlock::Bottleneck, {1, 1, 1, 1});
  const auto parameters = model->named_parameters();
  at::manual_seed(9);
  const auto draw = [](std::int64_t in, std::int64_t out, std::int64_t kernel) {
    Conv2d(ConvOptions{.in = in, .out = out, .kernel = kernel, .bias = false});
  };
  draw(3, 64, 7);
  std::int64_t in = 64;
  for (const std::int64_t width : {64, 128, 256, 512}) {
    draw(in, 4 * width, 1);
    draw(in, width, 1);
    draw(width, width, 3);
    draw(width, 4 * width, 1);
    in = 4 * width;
  }
  const Linear head(2048, 10);
  EXPECT_TRUE(at::equal(parameters["fc.weight"], head.named_parameters(false)["weight"]));
  const auto again = [](std::vector<std::int64_t> sizes, double fanOut) {
    return at::empty(sizes).normal_(0.0, std::sqrt(2.0) / std::sqrt(fanOut));
  };
  EXPECT_TRUE(at::equal(parameters["conv1.weight"], again({64, 3, 7, 7}, 64 * 49)));
  EXPECT_TRUE(at::equal(parameters["layer1.0.conv1.weight"], again({64, 64, 1, 1}, 64)));
  EXPECT_TRUE(at::equal(parameters["layer1.0.conv2.weight"], again({64, 64, 3, 3}, 64 * 9)));
  EXPECT_TRUE(at::equal(parameters["layer1.0.conv3.weight"], again({256, 64, 1, 1}, 256)));
  EXPECT_TRUE(at::equal(parameters["layer1.0.downsample.0.weight"], again({256, 64, 1, 1}, 256)));
}

TEST(ResNet, ADeepOneOverfitsOneBatch) {
  at::manual_seed(0);
  const auto model = buildModel("resnet50", images(1, 28, 10));
  const auto input = at::randn({8, 1, 28, 28});
  const auto target = at::randint(10, {8}, at::kLong);
  const auto parameters = trainableParameters(*model);
  double first = 0, last = 0;
  for (int step = 0; step < 15; ++step) {
    for (auto parameter : parameters) parameter.mutable_grad().reset();
    const auto loss = at::cross_entropy_loss((*model)(input), target);
    loss.backward();
    const at::NoGradGuard noGrad;
    for (auto parameter : parameters) parameter.sub_(parameter.grad(), 0.005);
    (step == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, 0.3 * first);
}

}  // namespace atelier::engine
