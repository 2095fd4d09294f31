#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/engine/session/plan.h"
#include "core/engine/techniques/technique.h"
#include "listened.h"

namespace atelier::engine {
namespace {

std::unique_ptr<Technique> make(const nlohmann::json& keys) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), keys);
  std::vector<wire::Message> notices;
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == "clip_value") return unit.make({spec, at::kCPU, notices, say});
  return nullptr;
}

int orderOf(const std::string& id) {
  for (const auto& unit : allTechniques())
    if (unit.id == id) return unit.order;
  return -1;
}

}  // namespace

// As torch.nn.utils.clip_grad_value_.
TEST(ClipValue, BoundsEveryValueAndLeavesTheOthers) {
  const auto clip = make({{"clip_value", 0.5}});
  std::vector<at::Tensor> parameters{at::zeros({4}).requires_grad_(), at::zeros({2}).requires_grad_(),
                                     at::zeros({1}).requires_grad_()};
  parameters[0].mutable_grad() = at::tensor({-3.0F, -0.5F, 0.25F, 7.0F});
  parameters[1].mutable_grad() = at::tensor({HUGE_VALF, -HUGE_VALF});
  StepState state{parameters};
  clip->afterBackward(state);
  EXPECT_TRUE(at::equal(parameters[0].grad(), at::tensor({-0.5F, -0.5F, 0.25F, 0.5F}))) << parameters[0].grad();
  EXPECT_TRUE(at::equal(parameters[1].grad(), at::tensor({0.5F, -0.5F}))) << parameters[1].grad();
  EXPECT_FALSE(parameters[2].grad().defined());
}

TEST(ClipValue, IsOffAtZeroAndBoundsNothingWithoutGradients) {
  EXPECT_EQ(make({{"clip_value", 0}}), nullptr);
  std::vector<at::Tensor> parameters{at::zeros({1}).requires_grad_()};
  StepState state{parameters};
  make({{"clip_value", 1}})->afterBackward(state);
  EXPECT_FALSE(parameters[0].grad().defined());
}

TEST(ClipValue, ActsBeforeTheNormIsClipped) {
  EXPECT_LT(orderOf("gradient_stats"), orderOf("clip_value"));
  EXPECT_LT(orderOf("clip_value"), orderOf("clip_norm"));
  Listened run(nlohmann::json{{"model", "mlp"}, {"clip_value", 1e-4}});
  run.steps(1);
  double largest = 0;
  for (const auto& parameter : trainableParameters(run.trainer.model()))
    largest = std::max(largest, parameter.grad().abs().max().item<double>());
  EXPECT_FLOAT_EQ(static_cast<float>(largest), 1e-4F);
}

}  // namespace atelier::engine
