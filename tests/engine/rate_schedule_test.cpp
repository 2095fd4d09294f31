// The learning rate step by step. The expected values are those of torch.optim.lr_scheduler's formulas.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/engine/session/memory_archive.h"
#include "core/engine/session/plan.h"
#include "core/engine/techniques/technique.h"

namespace atelier::engine {
namespace {

wire::RunSpec spec(const nlohmann::json& keys) {
  return *wire::RunSpec::parse(*engineSchema(), keys);
}

std::unique_ptr<Technique> make(const nlohmann::json& keys) {
  const auto asked = spec(keys);
  std::vector<wire::Message> notices;
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == "schedule") return unit.make({asked, at::kCPU, notices, say});
  return nullptr;
}

// At the steps that were asked for, of `planned`.
std::vector<double> rates(const nlohmann::json& keys, const std::vector<int>& steps, std::int64_t planned, double rate = 0.8) {
  const auto schedule = make(keys);
  std::vector<at::Tensor> none;
  StepState state{none};
  state.learning_rate = rate;
  state.planned_optimizer_steps = planned;
  std::vector<double> all;
  for (const int step : steps) {
    state.optimizer_step = step;
    schedule->beforeOptimizer(state);
    all.push_back(state.effective_rate);
  }
  return all;
}

void expectNear(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12) << i;
}

double rateOf(Technique& schedule, StepState& state) {
  schedule.beforeOptimizer(state);
  return state.effective_rate;
}

}  // namespace

// LambdaLR(lambda step: min(1, step / 4)).
TEST(RateSchedule, RisesInALineAndStays) {
  expectNear(rates({{"warmup_steps", 4}}, {0, 1, 2, 3, 4, 5, 1000}, 100), {0, 0.2, 0.4, 0.6, 0.8, 0.8, 0.8});
  expectNear(rates({{"warmup_steps", 1}}, {0, 1}, 100), {0, 0.8});
  EXPECT_EQ(make({{"warmup_steps", 0}}), nullptr);
}

// SequentialLR of that line and CosineAnnealingLR(T_max = 10 - 4), which is read at step - 4.
TEST(RateSchedule, TheCosineHasTheStepsThatAreLeft) {
  const double quarter = 0.4 * (1 + std::cos(std::numbers::pi / 3));
  expectNear(rates({{"schedule", "cosine"}, {"warmup_steps", 4}}, {0, 2, 4, 6, 7, 10, 15}, 10),
             {0, 0.4, 0.8, quarter, 0.4, 0, 0});
}

TEST(RateSchedule, ARiseLongerThanThePlanEndsInNoNumberThatIsNone) {
  expectNear(rates({{"schedule", "cosine"}, {"warmup_steps", 20}}, {0, 10, 19, 20, 21}, 10), {0, 0.4, 0.76, 0.8, 0});
}

TEST(RateSchedule, OneCycleRefusesASecondRise) {
  const auto refused = validate(spec({{"schedule", "one-cycle"}, {"warmup_steps", 5}, {"device", "cpu"}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(refused.error().messages.front().id, "schedule.one_cycle_rises");
  EXPECT_TRUE(validate(spec({{"schedule", "one-cycle"}, {"device", "cpu"}})).ok());
  EXPECT_TRUE(validate(spec({{"schedule", "cosine"}, {"warmup_steps", 5}, {"device", "cpu"}})).ok());
}

// OneCycleLR(max_lr = 0.8, total_steps = 10, cycle_momentum = False): top at 0.3 · 10 − 1 = 2, end at 9.
TEST(RateSchedule, OneCycleIsThatOfPyTorch) {
  expectNear(rates({{"schedule", "one-cycle"}}, {0, 1, 2, 9, 12}, 10),
             {0.8 / 25, (0.8 + 0.8 / 25) / 2, 0.8, 0.8 / 25 / 1e4, 0.8 / 25 / 1e4});
}

// ReduceLROnPlateau(patience = 1, factor = 0.5).
TEST(RateSchedule, APlateauHasItsPatienceAndItsFactor) {
  const auto schedule = make({{"schedule", "plateau"}, {"plateau_patience", 1}, {"plateau_factor", 0.5}});
  std::vector<at::Tensor> none;
  StepState state{none};
  state.learning_rate = 0.8;
  for (const double loss : {1.0, 1.0}) schedule->afterEvaluation(loss);
  EXPECT_DOUBLE_EQ(rateOf(*schedule, state), 0.8);
  schedule->afterEvaluation(1.0);
  EXPECT_DOUBLE_EQ(rateOf(*schedule, state), 0.4);
  for (const double loss : {0.5, 0.6, 0.6}) schedule->afterEvaluation(loss);
  EXPECT_DOUBLE_EQ(rateOf(*schedule, state), 0.2);
}

TEST(RateSchedule, APlateauIgnoresEvaluationsWhileTheRateRises) {
  const auto schedule =
      make({{"schedule", "plateau"}, {"plateau_patience", 0}, {"plateau_factor", 0.5}, {"warmup_steps", 4}});
  std::vector<at::Tensor> none;
  StepState state{none};
  state.learning_rate = 0.8;
  state.optimizer_step = 1;
  EXPECT_DOUBLE_EQ(rateOf(*schedule, state), 0.2);
  for (int i = 0; i < 5; ++i) schedule->afterEvaluation(1.0);
  state.optimizer_step = 3;  // the fourth step: the rise is done
  EXPECT_NEAR(rateOf(*schedule, state), 0.6, 1e-12);
  for (int i = 0; i < 2; ++i) schedule->afterEvaluation(1.0);
  state.optimizer_step = 4;
  EXPECT_DOUBLE_EQ(rateOf(*schedule, state), 0.4);
}

TEST(RateSchedule, APlateauGoesOnWhereItWas) {
  const nlohmann::json keys{{"schedule", "plateau"}, {"plateau_patience", 2}, {"plateau_factor", 0.5}};
  const auto first = make(keys), second = make(keys);
  std::vector<at::Tensor> none;
  StepState state{none};
  state.learning_rate = 0.8;
  rateOf(*first, state);
  for (const double loss : {1.0, 1.0, 1.0, 1.0, 1.0}) first->afterEvaluation(loss);  // halved once, one bad since
  MemoryArchive archive;
  archive.save([&](StateArchive& each) { first->state(each); });
  archive.load([&](StateArchive& each) { second->state(each); });
  EXPECT_DOUBLE_EQ(rateOf(*second, state), 0.4);
  for (int i = 0; i < 2; ++i) second->afterEvaluation(1.0);
  EXPECT_DOUBLE_EQ(rateOf(*second, state), 0.2);
}

}  // namespace atelier::engine
