#include "core/engine/techniques/technique.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/engine/session/plan.h"
#include "core/engine/session/trainer.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

wire::RunSpec spec(const nlohmann::json& keys) {
  auto all = nlohmann::json{{"model", "mlp"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"batch", 16}, {"threads", 1}};
  all.update(keys);
  return *wire::RunSpec::parse(*engineSchema(), all);
}

Trainer trainerOf(const nlohmann::json& keys) {
  DataCache cache;
  return Trainer(*makePlan(spec(keys), cache), installedMemory());
}

std::unique_ptr<Technique> make(const std::string& id, const wire::RunSpec& spec) {
  std::vector<wire::Message> notices;
  static const Say silent = [](const wire::EventBody&) {};
  for (const auto& unit : allTechniques())
    if (unit.id == id) return unit.make({spec, at::kCPU, notices, silent});
  return nullptr;
}

}  // namespace

// PyTorch 48696: casts that autocast kept while no gradients were wanted must not serve a training step.
TEST(Bf16, AnEvaluationBetweenStepsChangesNothing) {
  auto plain = trainerOf({{"precision", "bf16"}}), evaluated = trainerOf({{"precision", "bf16"}});
  for (int step = 0; step < 6; ++step) {
    plain.activate();
    const auto expected = plain.step().loss;
    evaluated.activate();
    EXPECT_EQ(evaluated.step().loss, expected) << "step " << step;
    ASSERT_TRUE(evaluated.evaluate([] { return true; }, Split::Test).has_value());
  }
  for (const auto& parameter : trainableParameters(evaluated.model())) EXPECT_TRUE(parameter.grad().defined());
}

TEST(Bf16, AnAbandonedEvaluationLeavesTheTrainerReady) {
  auto trainer = trainerOf({{"precision", "bf16"}});
  trainer.step();
  int batches = 0;
  EXPECT_FALSE(trainer.evaluate([&] { return ++batches < 3; }, Split::Test).has_value());
  EXPECT_TRUE(trainer.model().is_training());
  EXPECT_TRUE(std::isfinite(*trainer.step().loss));
}

// The values that torch.optim.lr_scheduler.ReduceLROnPlateau gives with its defaults: patience 10, factor 0.1.
TEST(Schedule, APlateauLowersTheRateAfterElevenEvaluationsWithoutImprovement) {
  const auto asked = spec({{"schedule", "plateau"}});
  const auto schedule = make("schedule", asked);
  std::vector<at::Tensor> none;
  StepState state{none};
  state.learning_rate = 0.5;
  const auto rate = [&] {
    schedule->beforeOptimizer(state);
    return state.effective_rate;
  };
  schedule->afterEvaluation(1.0);
  for (int i = 0; i < 10; ++i) schedule->afterEvaluation(1.0);
  EXPECT_DOUBLE_EQ(rate(), 0.5);
  schedule->afterEvaluation(0.99995);  // within the threshold of 1e-4
  EXPECT_DOUBLE_EQ(rate(), 0.05);
  schedule->afterEvaluation(0.5);
  for (int i = 0; i < 11; ++i) schedule->afterEvaluation(0.6);
  EXPECT_DOUBLE_EQ(rate(), 0.005);
}

TEST(Schedule, ACosineStaysAtItsEndBeyondThePlan) {
  const auto asked = spec({{"schedule", "cosine"}});
  const auto schedule = make("schedule", asked);
  std::vector<at::Tensor> none;
  StepState state{none};
  state.learning_rate = 1;
  state.planned_optimizer_steps = 100;
  double last = 2;
  for (const int step : {0, 25, 50, 75, 100, 120, 199}) {
    state.optimizer_step = step;
    schedule->beforeOptimizer(state);
    EXPECT_LE(state.effective_rate, last) << step;
    last = state.effective_rate;
  }
  EXPECT_NEAR(last, 0, 1e-15);
}

// `.contiguous(channels_last)` leaves the strides of a one-channel weight alone.
TEST(ChannelsLast, LaysOutImagesAndWeightsWithOneChannelToo) {
  auto trainer = trainerOf({{"model", "cnn"}, {"data", "fashion-mnist"}, {"channels_last", true}});
  int convolutions = 0;
  for (const auto& parameter : trainer.model().parameters()) {
    if (parameter.dim() != 4) continue;
    ++convolutions;
    EXPECT_EQ(parameter.stride(1), 1) << parameter.sizes();
    EXPECT_EQ(parameter.stride(3), parameter.size(1)) << parameter.sizes();
  }
  EXPECT_EQ(convolutions, 2);
  EXPECT_TRUE(std::isfinite(*trainer.step().loss));
}

TEST(ClipNorm, BoundsTheGlobalNorm) {
  auto trainer = trainerOf({{"clip_norm", 0.01}});
  trainer.step();
  double squares = 0;
  for (const auto& parameter : trainableParameters(trainer.model())) squares += parameter.grad().pow(2).sum().item<double>();
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-4);
}

}  // namespace atelier::engine
