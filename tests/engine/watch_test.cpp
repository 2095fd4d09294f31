#include "core/engine/profile/watch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/engine/module/layers.h"
#include "listened.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

using Apply = std::function<at::Tensor(const at::Tensor&)>;
using Parts = std::vector<std::shared_ptr<Module>>;

// A module of one function.
class Function final : public Module {
 public:
  explicit Function(Apply apply) : m_apply(std::move(apply)) {}
  std::string kind() const override { return "Function"; }

 private:
  at::Tensor forward(at::Tensor input) override { return m_apply(input); }
  Apply m_apply;
};

// A part, called twice, and a function of its own.
class Around final : public Module {
 public:
  explicit Around(Apply apply) : m_part(add("part", std::make_shared<Linear>(3, 3))), m_apply(std::move(apply)) {}
  std::string kind() const override { return "Around"; }

 private:
  at::Tensor forward(at::Tensor input) override { return m_apply((*m_part)((*m_part)(std::move(input)))); }
  std::shared_ptr<Linear> m_part;
  Apply m_apply;
};

std::shared_ptr<Module> function(Apply apply) {
  return std::make_shared<Function>(std::move(apply));
}

std::shared_ptr<Module> net(const Parts& parts) {
  at::manual_seed(0);
  auto model = std::make_shared<Sequential>(parts);
  model->bind();
  return model;
}

// One step forward and back under a watch.
wire::Health look(Module& model, const at::Tensor& input, bool operators, std::int64_t step = 5) {
  Watch watch(model, operators);
  watch.begin(step);
  model(input).sum().backward();
  return watch.end();
}

std::vector<std::string> modulesOf(const std::vector<wire::TensorStats>& all) {
  std::vector<std::string> names;
  for (const auto& stats : all) names.push_back(stats.module);
  return names;
}

// The first value of the module's output becomes NaN.
void plantNan(Module& model, const std::string& path) {
  model.hooks().after.push_back([path](Module& module, const at::Tensor&, at::Tensor& output) {
    if (module.path() != path) return;
    auto poison = at::zeros({output.numel()});
    poison[0].fill_(kNan);
    output = output + poison.view(output.sizes());
  });
}

}  // namespace

TEST(Watch, TellsOfEachModuleInCallOrderAndOfGradientsInTheirs) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  at::manual_seed(3);
  const auto input = at::randn({2, 1, 4, 4});
  const auto health = look(*model, input, false);
  EXPECT_EQ(health.step, 5);
  EXPECT_EQ(modulesOf(health.activations), (std::vector<std::string>{"0", "1", "2", "3", ""}));
  EXPECT_EQ(health.activations[1].type, "Linear");
  EXPECT_EQ(health.activations[4].type, "Sequential");
  const auto output = (*model)(input).detach();
  EXPECT_NEAR(health.activations[4].mean, output.mean().item<double>(), 1e-6);
  EXPECT_EQ(health.activations[4].count, 6);
  EXPECT_EQ(health.activations[2].min, 0) << "a ReLU";
  EXPECT_GT(health.activations[2].zeros, 0);
  EXPECT_EQ(modulesOf(health.gradients), (std::vector<std::string>{"3", "", "2", "1"})) << "flatten's asks for none";
  EXPECT_EQ(health.gradients[1].mean, 1) << "of a sum";
  EXPECT_EQ(health.first_bad_stage, "");
  EXPECT_EQ(health.first_bad_step, -1);
}

TEST(Watch, ReadsTheGradientsOfParametersByName) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  const auto health = look(*model, at::ones({2, 1, 4, 4}), false);
  EXPECT_EQ(modulesOf(health.parameters), (std::vector<std::string>{"1.weight", "1.bias", "3.weight", "3.bias"}));
  double squares = 0;
  for (const auto& stats : health.parameters) {
    const auto exact = model->named_parameters()[stats.module].grad().norm().item<double>();
    EXPECT_NEAR(stats.norm, exact, 1e-4 * exact) << stats.module;
    squares += stats.norm * stats.norm;
  }
  EXPECT_NEAR(health.gradient_norm, std::sqrt(squares), 1e-6 * health.gradient_norm);
}

TEST(Watch, SeesGradientsBeforeTheyAreClipped) {
  Listened run({{"model", "mlp"}, {"clip_norm", 0.001}});
  Watch watch(run.trainer.model(), false);
  watch.begin(0);
  run.trainer.step();
  EXPECT_GT(watch.end().gradient_norm, 0.1);
}

TEST(Watch, AModuleThatIsCalledTwiceIsOneRow) {
  const auto model = net({std::make_shared<Around>([](const at::Tensor& x) { return x; })});
  const auto health = look(*model, at::ones({5, 3}), false);
  EXPECT_EQ(modulesOf(health.activations), (std::vector<std::string>{"0.part", "0", ""}));
  EXPECT_EQ(health.activations[0].count, 30);
  EXPECT_EQ(health.activations[1].count, 15);
}

TEST(Watch, WithoutGradientsThereAreActivationsAlone) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  Watch watch(*model, false);
  watch.begin(1);
  {
    const at::NoGradGuard noGrad;
    (*model)(at::ones({2, 1, 4, 4}));
  }
  const auto health = watch.end();
  EXPECT_EQ(health.activations.size(), 5U);
  EXPECT_TRUE(health.gradients.empty());
  EXPECT_TRUE(health.parameters.empty());
  EXPECT_EQ(health.gradient_norm, 0);
}

TEST(Watch, LooksOnlyBetweenBeginAndEndAndForgetsWhatWasBefore) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  Watch watch(*model, true);
  (*model)(at::full({2, 1, 4, 4}, kNan)).sum().backward();
  EXPECT_EQ(watch.end().step, -1);
  EXPECT_TRUE(watch.end().activations.empty());
  for (int step = 0; step < 2; ++step) {
    watch.begin(step);
    (*model)(at::ones({2, 1, 4, 4})).sum().backward();
    const auto health = watch.end();
    EXPECT_EQ(health.step, step);
    EXPECT_EQ(health.activations[4].count, 6);
    EXPECT_EQ(health.activations[4].nans, 0);
    EXPECT_EQ(health.parameters.size(), 4U);
  }
}

TEST(Watch, TakesItsHooksOffAndLeavesThoseOfOthers) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  auto& hooks = model->hooks();
  int before = 0, between = 0;
  hooks.after.push_back([&](Module&, const at::Tensor&, at::Tensor&) { ++before; });
  {
    const Watch first(*model, false);
    const Watch second(*model, true);
    hooks.after.push_back([&](Module&, const at::Tensor&, at::Tensor&) { ++between; });
    EXPECT_EQ(hooks.before.size(), 2U);
    EXPECT_EQ(hooks.after.size(), 4U);
    EXPECT_EQ(hooks.gradient.size(), 2U);
  }
  EXPECT_TRUE(hooks.before.empty());
  EXPECT_TRUE(hooks.gradient.empty());
  ASSERT_EQ(hooks.after.size(), 2U);
  (*model)(at::ones({2, 1, 4, 4}));
  EXPECT_EQ(before, 5);
  EXPECT_EQ(between, 5);
}

TEST(Watch, ChangesNothingInWhatIsTrained) {
  const nlohmann::json keys{{"model", "cnn"}, {"deterministic", true}};
  Listened plain(keys), watched(keys);
  Watch watch(watched.trainer.model(), true);
  for (int step = 0; step < 3; ++step) {
    plain.trainer.activate();
    const auto expected = plain.trainer.step().loss;
    watched.trainer.activate();
    watch.begin(step);
    EXPECT_EQ(watched.trainer.step().loss, expected) << step;
    EXPECT_EQ(watch.end().first_bad_stage, "") << step;
  }
}

TEST(WatchNotFinite, NamesTheInnermostModuleWhoseOutputWentBad) {
  const auto model = fixture::buildModel("cnn", {1, 8, 8, 3});
  plantNan(*model, "1.0");
  const auto health = look(*model, at::ones({2, 1, 8, 8}), false, 17);
  EXPECT_EQ(health.first_bad_module, "1.0");
  EXPECT_EQ(health.first_bad_stage, "forward");
  EXPECT_EQ(health.first_bad_step, 17);
  EXPECT_EQ(health.first_bad_operator, "") << "nobody looked at operators";
  for (const auto& stats : health.activations)
    EXPECT_EQ(stats.nans > 0, stats.module != "0" && !stats.module.starts_with("0.")) << stats.module;
  EXPECT_TRUE(std::isnan(health.gradient_norm));
}

TEST(WatchNotFinite, NamesTheModuleWithABadWeight) {
  const auto model = fixture::buildModel("cnn", {1, 8, 8, 3});
  {
    const at::NoGradGuard noGrad;
    model->named_parameters()["1.0.bias"].select(0, 3).fill_(-kInfinity);
  }
  for (const bool operators : {false, true}) {
    const auto health = look(*model, at::ones({2, 1, 8, 8}), operators);
    EXPECT_EQ(health.first_bad_module, "1.0");
    EXPECT_EQ(health.first_bad_operator, "") << "each operator there was given the bad weight";
  }
}

TEST(WatchNotFinite, ABadBatchIsNoModulesDoing) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  const auto health = look(*model, at::full({2, 1, 4, 4}, kInfinity), true);
  EXPECT_EQ(health.first_bad_stage, "");
  EXPECT_EQ(health.first_bad_module, "");
  EXPECT_EQ(health.activations[0].infinities, 32);
}

TEST(WatchNotFinite, NamesTheOperatorInForward) {
  const auto model = net({std::make_shared<Linear>(3, 3), function([](const at::Tensor& x) { return at::log(-x.abs()); }),
                          std::make_shared<Linear>(3, 2)});
  const auto health = look(*model, at::ones({2, 3}), true);
  EXPECT_EQ(health.first_bad_module, "1");
  EXPECT_EQ(health.first_bad_operator, "aten::log");
  EXPECT_EQ(health.first_bad_stage, "forward");
}

TEST(WatchNotFinite, WhatAModuleDoesItselfIsNotItsParts) {
  const auto model = net({std::make_shared<Around>([](const at::Tensor& x) { return at::exp(x.mul(0).add(1000)); })});
  const auto health = look(*model, at::ones({2, 3}), true);
  EXPECT_EQ(health.first_bad_module, "0");
  EXPECT_EQ(health.first_bad_operator, "aten::exp");
}

TEST(WatchNotFinite, NamesModuleAndOperatorInBackward) {
  const auto first = std::make_shared<Linear>(3, 3);
  const auto model = net({first, function([](const at::Tensor& x) { return at::sqrt(x); }), std::make_shared<Linear>(3, 2)});
  {
    const at::NoGradGuard noGrad;
    for (auto parameter : first->parameters()) parameter.zero_();
  }
  for (const bool operators : {false, true}) {
    const auto health = look(*model, at::ones({2, 3}), operators);
    EXPECT_EQ(health.first_bad_module, "1") << "the root of 0 has an infinite slope";
    EXPECT_EQ(health.first_bad_stage, "backward");
    EXPECT_EQ(health.first_bad_operator, operators ? "aten::div" : "");
    EXPECT_EQ(health.activations[1].infinities, 0);
    EXPECT_GT(health.gradients.back().infinities + health.gradients.back().nans, 0);
  }
}

TEST(WatchNotFinite, ALossThatGoesBadIsNoModules) {
  const auto model = net({std::make_shared<Linear>(3, 2)});
  Watch watch(*model, true);
  watch.begin(1);
  // The slope of log at 0 is infinite, and 0 times that is NaN.
  at::log((*model)(at::ones({2, 3})).mul(0)).sum().backward();
  const auto health = watch.end();
  EXPECT_EQ(health.first_bad_module, "");
  EXPECT_EQ(health.first_bad_operator, "aten::log");
  EXPECT_EQ(health.first_bad_stage, "forward");
  EXPECT_EQ(health.activations[0].nans + health.activations[0].infinities, 0);
  EXPECT_GT(health.gradients[0].nans, 0);
}

TEST(WatchNotFinite, AParametersGradientAloneNamesItsOwner) {
  const auto large = [](const at::Tensor& x) { return x.mul(0).add(1e30); };
  const auto model = net({std::make_shared<Linear>(3, 3), function(large), std::make_shared<Linear>(3, 2)});
  {
    const at::NoGradGuard noGrad;
    model->named_parameters()["2.weight"].mul_(1e-25);
  }
  Watch watch(*model, false);
  watch.begin(0);
  (*model)(at::ones({2, 3})).mul(1e20).sum().backward();
  const auto health = watch.end();
  EXPECT_EQ(health.first_bad_module, "2") << "1e30 × 1e20 is beyond a float";
  EXPECT_EQ(health.first_bad_stage, "backward");
  for (const auto& stats : health.gradients) EXPECT_EQ(stats.nans + stats.infinities, 0) << stats.module;
  EXPECT_TRUE(std::isinf(health.gradient_norm));
}

TEST(WatchNotFinite, MasksAndInfinitiesThatGoNowhereAreSound) {
  const auto masked = [](const at::Tensor& x) {
    return at::softmax(x.masked_fill(at::tensor({0, 1, 0}).to(at::kBool), -kInfinity), -1);
  };
  const auto clamped = [](const at::Tensor& x) { return at::exp(x.abs().add(1).mul(1e4)).clamp_max(1); };
  for (const Apply& apply : {Apply(masked), Apply(clamped)}) {
    const auto model = net({std::make_shared<Linear>(3, 3), function(apply)});
    Watch watch(*model, true);
    watch.begin(0);
    {
      const at::NoGradGuard noGrad;
      (*model)(at::ones({2, 3}));
    }
    EXPECT_EQ(watch.end().first_bad_stage, "");
  }
}

}  // namespace atelier::engine
