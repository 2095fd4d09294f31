#include "core/engine/module/module.h"

#include <cmath>

#include <gtest/gtest.h>

#include "text_fixture.h"

namespace atelier::engine {

using fixture::buildModel;

TEST(Module, HooksSeeEveryCallWithItsPathAndType) {
  const auto model = buildModel("resnet18", {3, 32, 32, 10});
  std::vector<std::string> paths;
  model->hooks().after.push_back(
      [&](Module& module, const at::Tensor&, at::Tensor&) { paths.push_back(module.path() + ":" + module.kind()); });
  (*model)(at::zeros({2, 3, 32, 32}));
  const auto has = [&](const std::string& path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
  EXPECT_TRUE(has("layer2.0.downsample.1:BatchNorm2d"));
  EXPECT_TRUE(has("conv1:Conv2d"));
  EXPECT_EQ(paths.back(), ":ResNet");
}

TEST(Module, HooksMayReplaceTensorsAndSeeGradients) {
  const auto model = buildModel("mlp", {1, 4, 4, 3});
  model->hooks().before.push_back([](Module& module, at::Tensor& input) {
    if (module.path() == "3") input = at::zeros_like(input);
  });
  int gradients = 0;
  model->hooks().gradient.push_back([&](Module& module, const at::Tensor& gradient) {
    ++gradients;
    EXPECT_TRUE(!module.path().empty() || gradient.sizes() == at::IntArrayRef({2, 3}));
  });
  const auto first = (*model)(at::ones({2, 1, 4, 4})), second = (*model)(at::ones({2, 1, 4, 4}).mul(9));
  EXPECT_TRUE(at::equal(first, second)) << "the head saw zeros both times";
  first.sum().backward();
  EXPECT_GE(gradients, 2);
}

TEST(Module, ParameterNamesArePyTorchs) {
  const auto model = buildModel("resnet18", {3, 224, 224, 1000});
  std::int64_t parameters = 0;
  for (const auto& parameter : model->named_parameters()) parameters += parameter.value().numel();
  EXPECT_EQ(parameters, 11689512) << "torchvision's resnet18";
  EXPECT_TRUE(model->named_parameters().contains("layer4.1.bn2.weight"));
  EXPECT_TRUE(model->named_buffers().contains("layer4.1.bn2.running_var"));
}

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, OverfitsOneBatch) {
  at::manual_seed(0);
  const auto model = buildModel(GetParam(), {1, 28, 28, 10});
  const auto input = at::randn({16, 1, 28, 28});
  const auto target = at::randint(10, {16}, at::kLong);
  const auto parameters = trainableParameters(*model);
  double first = 0, last = 0;
  for (int step = 0; step < 40; ++step) {
    for (auto parameter : parameters) parameter.mutable_grad().reset();
    const auto loss = at::cross_entropy_loss((*model)(input), target);
    loss.backward();
    const at::NoGradGuard noGrad;
    for (auto parameter : parameters) parameter.sub_(parameter.grad(), 0.05);
    (step == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, 0.2 * first);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::Values("mlp", "cnn", "resnet18"));

}  // namespace atelier::engine
