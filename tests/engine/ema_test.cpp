// The average of the weights: torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn(decay).
#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/session/memory_archive.h"
#include "core/engine/techniques/technique.h"
#include "listened.h"

namespace atelier::engine {
namespace {

std::unique_ptr<Technique> make(std::vector<wire::Message>& notices, const nlohmann::json& keys) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), keys);
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == "ema") return unit.make({spec, at::kCPU, notices, say});
  return nullptr;
}

std::vector<at::Tensor> valuesOf(const Module& model) {
  std::vector<at::Tensor> all;
  for (const auto& parameter : model.parameters()) all.push_back(parameter.detach().clone());
  return all;
}

bool same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!at::equal(a[i], b[i])) return false;
  return true;
}

// Sets a 1 × 1 layer's weight, as an optimizer would.
void moveTo(Technique& average, Module& model, StepState& state, float value) {
  const at::NoGradGuard noGrad;
  for (auto& parameter : model.parameters()) parameter.fill_(value);
  average.afterOptimizer(state);
}

}  // namespace

TEST(Ema, IsTheFirstWeightsThenDecays) {
  std::vector<wire::Message> notices;
  const auto average = make(notices, {{"ema", 0.75}});
  const auto made = std::make_shared<Linear>(1, 1);
  auto& model = *made;
  auto parameters = model.parameters();
  StepState state{parameters};
  average->prepareModel(model);
  for (const float value : {8.0F, 4.0F, 0.0F}) moveTo(*average, model, state, value);
  average->beforeEvaluation(model);
  // 8; 0.75 · 8 + 0.25 · 4 = 7; 0.75 · 7 = 5.25.
  EXPECT_FLOAT_EQ(model.weight().item<float>(), 5.25F);
  EXPECT_FLOAT_EQ(model.bias().item<float>(), 5.25F);
  average->leaveEvaluation(model);
  EXPECT_FLOAT_EQ(model.weight().item<float>(), 0.0F);
}

TEST(Ema, AStepThatWasLeftOutCountsForNothing) {
  std::vector<wire::Message> notices;
  const auto average = make(notices, {{"ema", 0.5}});
  const auto made = std::make_shared<Linear>(1, 1);
  auto& model = *made;
  auto parameters = model.parameters();
  StepState state{parameters};
  average->prepareModel(model);
  state.skip = true;
  moveTo(*average, model, state, 100.0F);
  state.skip = false;
  moveTo(*average, model, state, 4.0F);
  state.skip = true;
  moveTo(*average, model, state, 4.0F);
  state.skip = false;
  moveTo(*average, model, state, 2.0F);
  average->beforeEvaluation(model);
  EXPECT_FLOAT_EQ(model.weight().item<float>(), 3.0F);
  average->leaveEvaluation(model);
}

TEST(Ema, BeforeTheFirstStepTheModelIsEvaluatedAsItIs) {
  std::vector<wire::Message> notices;
  const auto average = make(notices, {{"ema", 0.9}});
  const auto made = std::make_shared<Linear>(3, 2);
  auto& model = *made;
  average->prepareModel(model);
  const auto before = valuesOf(model);
  average->beforeEvaluation(model);
  EXPECT_TRUE(same(valuesOf(model), before));
  average->leaveEvaluation(model);
  EXPECT_TRUE(same(valuesOf(model), before));
}

TEST(Ema, GoesOnWhereItWas) {
  std::vector<wire::Message> notices;
  const auto first = make(notices, {{"ema", 0.5}}), second = make(notices, {{"ema", 0.5}});
  const auto made = std::make_shared<Linear>(1, 1);
  auto& model = *made;
  auto parameters = model.parameters();
  StepState state{parameters};
  first->prepareModel(model);
  second->prepareModel(model);
  for (const float value : {4.0F, 0.0F}) moveTo(*first, model, state, value);
  MemoryArchive archive;
  archive.save([&](StateArchive& each) { first->state(each); });
  archive.load([&](StateArchive& each) { second->state(each); });
  moveTo(*second, model, state, 2.0F);  // (4 + 0) / 2 = 2, and 2 again
  second->beforeEvaluation(model);
  EXPECT_FLOAT_EQ(model.weight().item<float>(), 2.0F);
  second->leaveEvaluation(model);
}

TEST(Ema, TrainingIsTheSameWithItAndEvaluationsAreOfTheAverage) {
  Listened plain(nlohmann::json{{"model", "mlp"}, {"learning_rate", 0.01}});
  Listened averaged(nlohmann::json{{"model", "mlp"}, {"learning_rate", 0.01}, {"ema", 0.9}});
  for (int step = 0; step < 6; ++step) {
    plain.trainer.activate();
    const auto expected = plain.trainer.step().loss;
    averaged.trainer.activate();
    EXPECT_EQ(averaged.trainer.step().loss, expected) << step;
  }
  const auto trained = valuesOf(averaged.trainer.model());
  const auto ofAverage = averaged.trainer.evaluate([] { return true; }, Split::Test);
  EXPECT_TRUE(same(valuesOf(averaged.trainer.model()), trained));
  const auto ofWeights = plain.trainer.evaluate([] { return true; }, Split::Test);
  ASSERT_TRUE(ofAverage && ofWeights);
  EXPECT_NE(ofAverage->loss, ofWeights->loss);
}

TEST(Ema, AnAbandonedEvaluationGivesTheWeightsBack) {
  Listened run(nlohmann::json{{"model", "mlp"}, {"ema", 0.9}});
  run.steps(4);
  const auto trained = valuesOf(run.trainer.model());
  int batches = 0;
  EXPECT_FALSE(run.trainer.evaluate([&] { return ++batches < 3; }, Split::Test).has_value());
  EXPECT_TRUE(same(valuesOf(run.trainer.model()), trained));
}

TEST(Ema, IsForTrainingsThatAreEvaluated) {
  std::vector<wire::Message> notices;
  EXPECT_EQ(make(notices, {{"ema", 0}}), nullptr);
  EXPECT_EQ(make(notices, {{"ema", 0.9}, {"mode", "infer"}}), nullptr);
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(make(notices, {{"ema", 0.9}, {"evaluate", false}}), nullptr);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].id, "ema.no_evaluation");
}

}  // namespace atelier::engine
