// The search for the first value that is not finite: operators that are looked at, and runs under `watch` and `anomaly`.
#include <cmath>
#include <limits>

#include "core/engine/profile/operator_watch.h"
#include "listened.h"

namespace atelier::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

}  // namespace

TEST(OperatorWatch, TellsOfTheInnermostFirstAndOfNothingAfterwards) {
  std::vector<std::string> told;
  const auto zero = at::zeros({4});
  {
    const OperatorWatch watch([&](const char* name, bool backward) {
      EXPECT_FALSE(backward);
      told.emplace_back(name);
    });
    at::ones({3}).add(1);
    EXPECT_TRUE(told.empty());
    at::empty({4}).fill_(kNan);
    at::full({4}, kInfinity).mul(0);
    EXPECT_TRUE(told.empty()) << "what was asked for is no accident";
    at::div(zero, zero);
    EXPECT_EQ(told, (std::vector<std::string>{"aten::div"}));
    told.clear();
    at::linear(at::full({1, 1}, 1e38F), at::full({1, 1}, 100.0F)).add(1);
    ASSERT_GE(told.size(), 2U);
    EXPECT_NE(told.front(), "aten::linear") << "it calls others that do the work";
    EXPECT_EQ(told.back(), "aten::linear") << "what follows was given an infinity";
  }
  told.clear();
  at::div(zero, zero);
  EXPECT_TRUE(told.empty());
}

TEST(WatchTechnique, LooksEverySoManyStepsAndHasNoHooksBetween) {
  Listened run({{"model", "mlp"}, {"watch", 3}});
  EXPECT_TRUE(run.trainer.model().hooks().empty());
  run.steps(7);
  EXPECT_TRUE(run.trainer.model().hooks().empty());
  std::vector<std::int64_t> steps;
  for (const auto& sample : run.said<wire::HealthSampled>()) {
    steps.push_back(sample.health.step);
    EXPECT_EQ(sample.health.activations.size(), 5U);
    EXPECT_EQ(sample.health.parameters.size(), 4U);
    EXPECT_GT(sample.health.gradient_norm, 0);
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 3, 6}));
  ASSERT_EQ(run.trainer.notices().size(), 1U);
  EXPECT_EQ(run.trainer.notices()[0].id, "watch.costs");
}

TEST(WatchTechnique, ByDefaultNobodyLooks) {
  Listened run(nlohmann::json{{"model", "mlp"}});
  run.steps(2);
  EXPECT_TRUE(run.events.empty());
  EXPECT_TRUE(run.trainer.notices().empty());
}

TEST(Anomaly, NamesModuleOperatorStepAndStageOnceAndStopsLooking) {
  Listened run({{"model", "mlp"}, {"anomaly", true}, {"inject", "nan"}});
  run.steps(3);
  EXPECT_TRUE(run.said<wire::HealthSampled>().empty());
  run.steps(5);
  const auto samples = run.said<wire::HealthSampled>();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].health.step, 3);
  const auto notices = run.said<wire::Noticed>();
  ASSERT_EQ(run.noticed(), (std::vector<std::string>{"inject.active", "anomaly.found"}));
  EXPECT_EQ(notices[1].severity, "warning");
  EXPECT_EQ(argument(notices[1].message, "module"), "1") << "the middle one of two";
  EXPECT_EQ(argument(notices[1].message, "operator"), "aten::div");
  EXPECT_EQ(argument(notices[1].message, "step"), "3");
  EXPECT_EQ(argument(notices[1].message, "stage"), "forward");
  EXPECT_TRUE(run.trainer.model().hooks().before.empty()) << "it looks no more";
}

TEST(Anomaly, ASoundRunHasNone) {
  for (const char* precision : {"fp32", "bf16"}) {
    Listened run({{"model", "cnn"}, {"anomaly", true}, {"precision", precision}});
    run.steps(3);
    EXPECT_TRUE(run.events.empty()) << precision;
    ASSERT_EQ(run.trainer.notices().size(), 1U);
    EXPECT_EQ(run.trainer.notices()[0].id, "anomaly.slow");
  }
}

TEST(Anomaly, ABatchThatBringsNanIsToldAsSuch) {
  Listened run({{"model", "mlp"}, {"anomaly", true}});
  run.trainer.model().hooks().before.push_back([](Module& module, at::Tensor& input) {
    if (module.path().empty()) input = at::full_like(input, kNan);
  });
  run.steps(2);
  EXPECT_EQ(run.noticed(), (std::vector<std::string>{"anomaly.in_batch"}));
  EXPECT_EQ(argument(run.said<wire::Noticed>()[0].message, "step"), "0");
}

}  // namespace atelier::engine
