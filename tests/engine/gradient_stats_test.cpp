#include <cmath>

#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/session/memory_archive.h"
#include "core/engine/techniques/technique.h"
#include "listened.h"

namespace atelier::engine {
namespace {

using nlohmann::json;

// A layer of one weight and one bias whose gradients the test sets, step by step.
class Bench {
 public:
  explicit Bench(const json& keys)
      : m_spec(*wire::RunSpec::parse(*engineSchema(), keys)), m_say([this](wire::EventBody body) {
          said.push_back(std::get<wire::GradientsSampled>(std::move(body)).gradients);
        }) {
    for (const auto& unit : allTechniques())
      if (unit.id == "gradient_stats") technique = unit.make({m_spec, at::kCPU, notices, m_say});
    const at::NoGradGuard noGrad;
    for (auto& parameter : parameters) parameter.fill_(2);
    if (technique) technique->prepareModel(*m_model);
  }

  // One micro-batch; the last of a window ends in a step that takes a tenth of the gradient.
  void micro(double weight, double bias, std::int64_t samples, bool begin, bool end) {
    state.window_begin = begin;
    state.window_end = end;
    technique->beforeStep(state);
    technique->afterForward(at::zeros({samples, 1}), state);
    const at::NoGradGuard noGrad;
    parameters[0].mutable_grad() = at::full({1, 1}, weight, at::kFloat);
    parameters[1].mutable_grad() = at::full({1}, bias, at::kFloat);
    if (end) {
      technique->afterBackward(state);
      for (auto& parameter : parameters) parameter.sub_(parameter.grad(), 0.1);
      technique->afterOptimizer(state);
    }
    technique->afterStep(state);
    ++state.step;
  }
  void step(double weight, double bias, std::int64_t samples = 10) { micro(weight, bias, samples, true, true); }

  std::vector<wire::Gradients> said;
  std::vector<wire::Message> notices;
  std::unique_ptr<Technique> technique;

 private:
  std::shared_ptr<Linear> m_model = std::make_shared<Linear>(1, 1);
  wire::RunSpec m_spec;
  Say m_say;

 public:
  std::vector<at::Tensor> parameters = m_model->parameters();
  StepState state{parameters};
};

}  // namespace

TEST(GradientStats, NormsRatiosAndTheStepTheyAreOf) {
  Bench bench(json{{"gradient_stats", 2}});
  for (int i = 0; i < 3; ++i) bench.step(3, 4);
  ASSERT_EQ(bench.said.size(), 2U);
  EXPECT_EQ(bench.said[0].step, 0);
  EXPECT_EQ(bench.said[1].step, 2);
  const auto& first = bench.said[0];
  EXPECT_DOUBLE_EQ(first.norm, 5);
  ASSERT_EQ(first.layers.size(), 2U);
  EXPECT_EQ(first.layers[0].name, "weight");
  EXPECT_EQ(first.layers[1].name, "bias");
  EXPECT_DOUBLE_EQ(first.layers[0].norm, 3);
  EXPECT_DOUBLE_EQ(first.layers[0].weight_norm, 2);
  EXPECT_NEAR(first.layers[0].update_ratio, 0.3 / 2, 1e-6);
  EXPECT_NEAR(first.layers[1].update_ratio, 0.4 / 2, 1e-6);
  EXPECT_FALSE(first.noise_scale.has_value());
  EXPECT_EQ(first.noise_estimator, "");
  EXPECT_NEAR(bench.said[1].layers[0].weight_norm, 2 - 2 * 0.3, 1e-6);
}

// Two batches of 10: (3, 1) · (1, 3) = 6 = |G|²; their mean square 10; tr Σ = 10 · (10 − 6) = 40.
TEST(GradientStats, ConsecutiveStepsGiveTheNoiseScale) {
  Bench bench(json{{"gradient_stats", 2}});
  bench.step(9, 9);
  bench.step(3, 1);
  bench.step(1, 3);
  ASSERT_EQ(bench.said.size(), 2U);
  EXPECT_EQ(bench.said[1].noise_estimator, "consecutive");
  ASSERT_TRUE(bench.said[1].noise_scale.has_value());
  EXPECT_NEAR(*bench.said[1].noise_scale, 40.0 / 6, 1e-6);
}

TEST(GradientStats, GradientsWithoutNoiseHaveNoNoiseScaleAndOppositeOnesNoSignal) {
  Bench equal(json{{"gradient_stats", 1}});
  for (int i = 0; i < 2; ++i) equal.step(3, 1);
  EXPECT_NEAR(equal.said.back().noise_scale.value_or(-1), 0, 1e-9);
  Bench opposite(json{{"gradient_stats", 1}});
  opposite.step(3, 1);
  opposite.step(-3, -1);
  EXPECT_FALSE(opposite.said.back().noise_scale.has_value());
  EXPECT_EQ(opposite.said.back().noise_estimator, "consecutive");
}

// Windows of four micro-batches of 2. The first one's gradient is 4 and lies there with its weight, 1; the window's is 3.
// |G|² = (8 · 9 − 2 · 16) / 6, tr Σ = (16 − 9) / (1/2 − 1/8).
TEST(GradientStats, AWindowIsComparedWithItsFirstMicroBatch) {
  Bench bench(json{{"gradient_stats", 1}, {"accumulation", 4}, {"batch", 2}, {"model", "mlp"}});
  for (int i = 0; i < 4; ++i) bench.micro(i == 0 ? 1 : 3, 0, 2, i == 0, i == 3);
  ASSERT_EQ(bench.said.size(), 1U);
  EXPECT_EQ(bench.said[0].step, 3);
  EXPECT_EQ(bench.said[0].noise_estimator, "micro-batches");
  ASSERT_TRUE(bench.said[0].noise_scale.has_value());
  EXPECT_NEAR(*bench.said[0].noise_scale, (7.0 / 0.375) / (40.0 / 6), 1e-6);
  // One that was cut short says nothing.
  for (int i = 0; i < 2; ++i) bench.micro(100, 0, 2, i == 0, i == 1);
  ASSERT_EQ(bench.said.size(), 2U);
  EXPECT_EQ(bench.said[1].noise_scale, bench.said[0].noise_scale);
  EXPECT_EQ(bench.said[1].noise_estimator, "");
}

TEST(GradientStats, ExplodedAndBrokenGradientsAreSaidAsTheyAre) {
  Bench bench(json{{"gradient_stats", 1}});
  bench.step(1e30, 1e30);  // its square is beyond float
  EXPECT_NEAR(bench.said.back().norm / 1e30, std::sqrt(2.0), 1e-6);
  bench.step(HUGE_VAL, 1);
  EXPECT_TRUE(std::isinf(bench.said.back().norm));
  bench.step(std::nan(""), 1);
  EXPECT_TRUE(std::isnan(bench.said.back().norm));
  EXPECT_FALSE(bench.said.back().noise_scale.has_value());
}

TEST(GradientStats, AScaleThatIsStillOnTheGradientsIsLeftOut) {
  Bench bench(json{{"gradient_stats", 1}});
  bench.state.loss_scale = 1024;
  bench.step(3 * 1024, 1024);
  bench.state.loss_scale = 512;
  bench.step(512, 3 * 512);
  EXPECT_DOUBLE_EQ(bench.said[0].norm, std::sqrt(10.0));
  EXPECT_NEAR(bench.said[1].noise_scale.value_or(-1), 40.0 / 6, 1e-6);
}

TEST(GradientStats, GoOnWhereTheyWere) {
  Bench first(json{{"gradient_stats", 2}}), second(json{{"gradient_stats", 2}});
  first.step(9, 9);
  first.step(3, 1);
  MemoryArchive archive;
  archive.save([&](StateArchive& each) { first.technique->state(each); });
  archive.load([&](StateArchive& each) { second.technique->state(each); });
  second.step(1, 3);
  ASSERT_EQ(second.said.size(), 1U);
  EXPECT_NEAR(second.said[0].noise_scale.value_or(-1), 40.0 / 6, 1e-6);
}

TEST(GradientStats, SayWhatTheyCostAndAreForTraining) {
  Bench bench(json{{"gradient_stats", 5}});
  ASSERT_EQ(bench.notices.size(), 1U);
  EXPECT_EQ(bench.notices[0], (wire::Message{"gradient_stats.costs", {{"steps", "5"}}}));
  EXPECT_EQ(Bench(json{{"gradient_stats", 0}}).technique, nullptr);
  EXPECT_EQ(Bench(json{{"gradient_stats", 5}, {"mode", "infer"}}).technique, nullptr);
}

TEST(GradientStats, ChangeNothingOfATraining) {
  Listened plain(nlohmann::json{{"model", "mlp"}, {"clip_norm", 0.1}});
  Listened looked(nlohmann::json{{"model", "mlp"}, {"clip_norm", 0.1}, {"gradient_stats", 2}});
  for (int i = 0; i < 5; ++i) {
    plain.trainer.activate();
    const auto expected = plain.trainer.step().loss;
    looked.trainer.activate();
    EXPECT_EQ(looked.trainer.step().loss, expected) << i;
  }
  const auto said = looked.said<wire::GradientsSampled>();
  ASSERT_EQ(said.size(), 3U);
  EXPECT_GT(said[0].gradients.norm, 0.1) << "before clipping";
  EXPECT_EQ(said[0].gradients.layers.size(), 4U);
  for (const auto& layer : said[2].gradients.layers) {
    EXPECT_GT(layer.update_ratio, 0) << layer.name;
    EXPECT_LT(layer.update_ratio, 1) << layer.name;
  }
}

}  // namespace atelier::engine
