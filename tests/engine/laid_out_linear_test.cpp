#include "core/engine/module/laid_out_linear.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/monitor/tensor_memory.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kIn = 192, kOut = 160;

struct Case {
  at::Tensor input = at::randn({3, 5, kIn}), weight = at::randn({kOut, kIn}), bias = at::randn({kOut});
};

double error(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(LaidOutLinear, IsTheSameProduct) {
  at::manual_seed(1);
  const at::NoGradGuard noGrad;
  const Case c;
  LaidOutLinear linear;
  for (int call = 0; call < 2; ++call) {
    const auto output = linear(c.input, c.weight, c.bias);
    ASSERT_TRUE(output);
    EXPECT_EQ(output->sizes(), (at::IntArrayRef{3, 5, kOut}));
    EXPECT_LT(error(*output, at::linear(c.input, c.weight, c.bias)), 1e-4);
  }
  const auto plain = linear(c.input, c.weight, {});
  ASSERT_TRUE(plain);
  EXPECT_LT(error(*plain, at::linear(c.input, c.weight)), 1e-4);
}

TEST(LaidOutLinear, FollowsTheWeightWhateverChangedIt) {
  const at::NoGradGuard noGrad;
  Case c;
  LaidOutLinear linear;
  ASSERT_TRUE(linear(c.input, c.weight, c.bias));
  c.weight.mul_(2);
  EXPECT_LT(error(*linear(c.input, c.weight, c.bias), at::linear(c.input, c.weight, c.bias)), 2e-4);
  c.weight.set_data(at::randn({kOut, kIn}));
  EXPECT_LT(error(*linear(c.input, c.weight, c.bias), at::linear(c.input, c.weight, c.bias)), 2e-4);
}

TEST(LaidOutLinear, LeavesToLibTorchWhatIsNotItsOwn) {
  const Case c;
  LaidOutLinear linear;
  EXPECT_FALSE(linear(c.input, c.weight, c.bias)) << "autograd looks on";
  const at::NoGradGuard noGrad;
  EXPECT_FALSE(linear(c.input.to(at::kDouble), c.weight.to(at::kDouble), c.bias.to(at::kDouble)));
  EXPECT_FALSE(linear(c.input.to(at::kBFloat16), c.weight.to(at::kBFloat16), c.bias.to(at::kBFloat16)));
  EXPECT_FALSE(linear(at::randn({0, kIn}), c.weight, c.bias)) << "no rows";
  EXPECT_FALSE(linear(at::randn({2, 8}), at::randn({8, 8}), at::randn({8}))) << "too small to gain";
  EXPECT_FALSE(linear(c.input, at::randn({kIn, kOut}).t(), c.bias)) << "not contiguous";
  at::autocast::set_autocast_enabled(at::kCPU, true);
  EXPECT_FALSE(linear(c.input, c.weight, c.bias)) << "autocast chooses the type";
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_TRUE(linear(c.input, c.weight, c.bias));
}

TEST(LaidOutLinear, TheCopyCountsAsWeightsAndGoesWhenItIsForgotten) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(0);
  memory.use(account);
  const at::NoGradGuard noGrad;
  const Case c;
  LaidOutLinear linear;
  const auto before = account.live().weights;
  ASSERT_TRUE(linear(c.input, c.weight, c.bias));
  EXPECT_EQ(account.live().weights - before, kIn * kOut * 4);
  linear.forget();
  EXPECT_EQ(account.live().weights, before);
}

TEST(LaidOutLinear, WithoutRoomForTheCopyTheProductIsMadeWithoutIt) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(400 << 10);
  memory.use(account);
  const at::NoGradGuard noGrad;
  const at::Tensor weight = at::randn({256, 256}), input = at::randn({1, 256});
  LaidOutLinear linear;
  EXPECT_FALSE(linear(input, weight, {}));
  EXPECT_FALSE(linear(input, weight, {}));
  memory.use(memory.newAccount(0));
}

TEST(LaidOutLinear, ALayerForgetsItWhenTrainingBegins) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(0);
  memory.use(account);
  Linear layer(kIn, kOut);
  const auto weights = account.live().weights;
  {
    const at::NoGradGuard noGrad;
    layer.eval();
    layer(at::randn({4, kIn}));
    EXPECT_GT(account.live().weights, weights);
    layer.train();
    EXPECT_EQ(account.live().weights, weights);
    layer(at::randn({4, kIn}));
  }
  layer(at::randn({4, kIn}));
  EXPECT_EQ(account.live().weights, weights) << "autograd needs LibTorch's own matmul";
}

}  // namespace
}  // namespace atelier::engine
