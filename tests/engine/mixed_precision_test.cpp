// precision, loss_scaling and master_weights, as a trainer uses them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/techniques/grad_scaler.h"
#include "core/engine/techniques/training_error.h"
#include "listened.h"
#include "token_models.h"

namespace atelier::engine {
namespace {

using nlohmann::json;

json mlp(const json& more) {
  json keys{{"model", "mlp"}, {"optimizer", "sgd"}, {"learning_rate", 0.01}, {"momentum", 0.0}, {"weight_decay", 0.0}};
  keys.update(more);
  return keys;
}

std::unique_ptr<Technique> make(const std::string& id, const json& keys, std::vector<wire::Message>& notices) {
  static const Say silent;
  const auto spec = *wire::RunSpec::parse(*engineSchema(), keys);
  for (const auto& unit : allTechniques())
    if (unit.id == id) return unit.make({spec, at::kCPU, notices, silent});
  return nullptr;
}

bool noticed(const std::vector<wire::Message>& notices, const std::string& id) {
  return std::any_of(notices.begin(), notices.end(), [&](const wire::Message& m) { return m.id == id; });
}

// A layer whose weights are all 1, after `steps` steps of SGD at 1e-3 down a gradient of 1.
float weightAfter(int steps, const std::string& precision, bool masters) {
  const json keys{{"precision", precision}, {"master_weights", masters}, {"optimizer", "sgd"},
                  {"learning_rate", 1e-3},  {"momentum", 0.0},           {"weight_decay", 0.0}};
  std::vector<wire::Message> notices;
  std::vector<std::unique_ptr<Technique>> techniques;
  for (const char* id : {"precision", "master_weights", "optimizer"})
    if (auto technique = make(id, keys, notices)) techniques.push_back(std::move(technique));
  const auto layer = std::make_shared<Linear>(4, 2);
  {
    const at::NoGradGuard noGrad;
    for (auto& parameter : layer->parameters()) parameter.fill_(1);
  }
  for (const auto& technique : techniques) technique->prepareModel(*layer);
  auto parameters = trainableParameters(*layer);
  StepState state{parameters};
  state.effective_rate = 1e-3;
  for (int i = 0; i < steps; ++i) {
    for (auto& parameter : parameters) parameter.mutable_grad() = at::ones_like(parameter);
    for (const auto& technique : techniques) technique->afterBackward(state);
    for (const auto& technique : techniques) technique->optimizerStep(state);
    for (const auto& technique : techniques) technique->afterOptimizer(state);
  }
  EXPECT_EQ(layer->weight().scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(parameters.front(), layer->weight())) << "the trainer's own parameters are back";
  return layer->weight().to(at::kFloat).max().item<float>();
}

}  // namespace

// Half of bfloat16's step at 1 is 0.002: an update of 0.001 is rounded away each time.
TEST(MasterWeights, MoveWherePureBfloat16StandsStill) {
  EXPECT_EQ(weightAfter(100, "bf16-pure", false), 1);
  EXPECT_NEAR(weightAfter(100, "bf16", true), 0.9, 0.004);
}

TEST(MasterWeights, WeightsAreBfloat16NormsAreNotAndItLearns) {
  Listened run(json{{"model", "cnn"}, {"precision", "bf16"}, {"master_weights", true}, {"clip_norm", 1.0}, {"steps", 30}});
  const auto first = run.trainer.step().loss;
  run.steps(28);
  const auto last = run.trainer.step().loss;
  EXPECT_LT(*last, 0.7 * *first);
  int norms = 0;
  for (const auto& parameter : run.trainer.model().named_parameters()) {
    const bool norm = parameter.key().find(".1.") != std::string::npos && parameter.value().dim() == 1 &&
                      parameter.value().scalar_type() == at::kFloat;
    norms += norm ? 1 : 0;
    if (parameter.value().dim() > 1) {
      EXPECT_EQ(parameter.value().scalar_type(), at::kBFloat16) << parameter.key();
    }
  }
  EXPECT_EQ(norms, 4) << "a weight and a bias of two norms";
}

TEST(MasterWeights, AreForBfloat16Only) {
  const auto schema = engineSchema();
  for (const char* precision : {"fp32", "fp16", "bf16-pure", "fp8"}) {
    const auto status = validate(*wire::RunSpec::parse(*schema, json{{"master_weights", true}, {"precision", precision}}));
    ASSERT_FALSE(status.ok()) << precision;
    EXPECT_EQ(status.error().messages.front().id, "precision.masters_need_bf16");
  }
  EXPECT_TRUE(validate(*wire::RunSpec::parse(*schema, json{{"master_weights", true}, {"precision", "bf16"}})).ok());
}

TEST(Fp16, TrainsFloat32WeightsAndUnscalesTheirGradients) {
  Listened exact(mlp({{"steps", 20}})), run(mlp({{"precision", "fp16"}, {"scaler_initial_scale", 4096.0}, {"steps", 20}}));
  for (int i = 0; i < 20; ++i) {
    exact.trainer.activate();
    const double expected = *exact.trainer.step().loss;
    run.trainer.activate();
    EXPECT_NEAR(*run.trainer.step().loss, expected, 0.02 * expected) << i;
  }
  for (const auto& parameter : trainableParameters(run.trainer.model())) {
    EXPECT_EQ(parameter.scalar_type(), at::kFloat);
    EXPECT_LT(parameter.grad().abs().max().item<float>(), 10) << "as they are, not times 4,096";
  }
}

TEST(Fp16, GradientsAreUnscaledBeforeTheyAreClipped) {
  Listened run(mlp({{"precision", "fp16"}, {"scaler_initial_scale", 4096.0}, {"clip_norm", 0.01}}));
  run.steps(1);
  double squares = 0;
  for (const auto& parameter : trainableParameters(run.trainer.model()))
    squares += parameter.grad().pow(2).sum().item<double>();
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-4);
}

TEST(Fp16, EachGrowthOfTheScaleIsSaid) {
  Listened run(mlp({{"precision", "fp16"}, {"scaler_initial_scale", 8.0}, {"scaler_growth_interval", 2}, {"steps", 6}}));
  run.steps(5);
  const auto changes = run.said<wire::ScaleChanged>();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].step, 1);
  EXPECT_EQ(changes[0].was, 8);
  EXPECT_EQ(changes[0].is, 16);
  EXPECT_EQ(changes[1].step, 3);
  EXPECT_EQ(changes[1].is, 32);
  EXPECT_EQ(changes[1].reason, "growth");
}

TEST(Fp16, AtTheFloorTheRunFailsWithItsReason) {
  Listened run(mlp({{"precision", "fp16"}, {"scaler_initial_scale", 4.0 * GradScaler::kFloor}}));
  run.trainer.model().hooks().after.push_back([](Module& module, const at::Tensor&, at::Tensor& output) {
    if (module.path().empty()) output = output.mul(std::numeric_limits<double>::quiet_NaN());
  });
  run.steps(2);
  EXPECT_EQ(run.trainer.skippedSteps(), 2);
  try {
    run.steps(1);
    FAIL() << "it went on";
  } catch (const TrainingError& problem) {
    EXPECT_EQ(problem.error().code, wire::ExitCode::Failed);
    EXPECT_EQ(problem.error().messages.front().id, "scaler.floor");
    EXPECT_EQ(argument(problem.error().messages.front(), "step"), "2");
  }
  EXPECT_EQ(run.said<wire::ScaleChanged>().size(), 3U);
}

// Casts that autocast kept while no gradients were wanted must not serve a training step.
TEST(Fp16, AnEvaluationBetweenStepsChangesNothing) {
  Listened plain(mlp({{"precision", "fp16"}})), evaluated(mlp({{"precision", "fp16"}}));
  for (int step = 0; step < 4; ++step) {
    plain.trainer.activate();
    const auto expected = plain.trainer.step().loss;
    evaluated.trainer.activate();
    EXPECT_EQ(evaluated.trainer.step().loss, expected) << "step " << step;
    ASSERT_TRUE(evaluated.trainer.evaluate([] { return true; }, Split::Test).has_value());
  }
}

TEST(Fp16, OtherPrecisionsAndInferenceHaveNoScale) {
  std::vector<wire::Message> notices;
  EXPECT_EQ(make("loss_scaling", {{"precision", "bf16"}}, notices), nullptr);
  EXPECT_EQ(make("loss_scaling", {{"precision", "fp16"}, {"mode", "infer"}}, notices), nullptr);
  EXPECT_NE(make("loss_scaling", {{"precision", "fp16"}}, notices), nullptr);
}

// Models of every kind, in every precision that touches their weights or products: one step forward and back.
TEST(Precisions, EveryModelTakesAStepInEachOfThem) {
  const std::vector<json> precisions{{{"precision", "fp16"}},
                                     {{"precision", "bf16"}, {"master_weights", true}},
                                     {{"precision", "bf16-pure"}},
                                     {{"precision", "fp8"}}};
  for (const std::string model : {"lstm", "transformer", "decoder"})
    for (const auto& keys : precisions) {
      std::vector<wire::Message> notices;
      const auto built = builtModel(model, smallTokens());
      std::vector<std::unique_ptr<Technique>> techniques;
      for (const char* id : {"precision", "master_weights"})
        if (auto technique = make(id, keys, notices)) techniques.push_back(std::move(technique));
      for (const auto& technique : techniques) technique->prepareModel(*built);
      built->train(true);
      for (const auto& technique : techniques) technique->enterForward(true);
      const auto output = (*built)(tokenIds({{3, 4, 5, 6}, {7, 8}}), {});
      for (const auto& technique : techniques) technique->leaveForward();
      const auto loss = output.to(at::kFloat).pow(2).mean();
      torch::autograd::backward({loss}, {});
      EXPECT_TRUE(std::isfinite(loss.item<float>())) << model << keys;
      for (const auto& parameter : trainableParameters(*built)) {
        ASSERT_TRUE(parameter.grad().defined()) << model << keys;
        EXPECT_EQ(parameter.grad().scalar_type(), parameter.scalar_type());
      }
    }
}

TEST(Precisions, AutocastIsOffAgainAfterwards) {
  Listened run(mlp({{"precision", "fp16"}}));
  run.steps(1);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(Fp8Precision, TakesTheLinearLayersBetweenTheFirstAndTheLast) {
  std::vector<wire::Message> notices;
  const auto technique = make("precision", {{"precision", "fp8"}}, notices);
  const auto decoder = builtModel("decoder", smallTokens());
  technique->prepareModel(*decoder);
  ASSERT_TRUE(noticed(notices, "precision.fp8_emulated"));
  EXPECT_EQ(argument(notices.front(), "layers"), "8") << "two in each of four layers";
  for (const auto& module : decoder->modules())
    if (const auto* linear = dynamic_cast<Linear*>(module.get())) {
      EXPECT_EQ(linear->computesOtherwise(), linear->path().find("out_proj") == std::string::npos) << linear->path();
    }
}

TEST(Fp8Precision, SaysSoWhereThereIsNothingToDo) {
  Listened none(mlp({{"precision", "fp8"}})), one(json{{"model", "cnn"}, {"precision", "fp8"}, {"fp8_scale", "row"}});
  EXPECT_TRUE(noticed(none.trainer.notices(), "precision.fp8_none"));
  EXPECT_TRUE(noticed(one.trainer.notices(), "precision.fp8_emulated"));
  const auto first = one.trainer.step().loss;
  one.steps(20);
  EXPECT_LT(*one.trainer.step().loss, 0.8 * *first) << "it learns";
}

}  // namespace atelier::engine
