// A deep net that does not learn by default, and what saves it. Losses are over seeded steps: the last ten of sixty.
#include <cmath>

#include <gtest/gtest.h>

#include "core/engine/models/model.h"
#include "listened.h"

namespace atelier::engine {
namespace {

using nlohmann::json;

json with(json base, const json& more) {
  base.update(more);
  return base;
}

// What a guess among ten classes costs.
const double kGuess = std::log(10.0);

struct Outcome {
  double first, last, largest;
};

// Mean of the last ten losses; NaN or infinity as soon as one of them is.
Outcome trained(const json& keys) {
  auto all = json{{"model", "deep-mlp"}, {"batch", 64}, {"optimizer", "sgd"}, {"learning_rate", 0.01}};
  Listened run(with(all, keys));
  Outcome outcome{0, 0, 0};
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const double loss = *run.trainer.step().loss;
    if (step == 0) outcome.first = loss;
    if (step >= kSteps - 10) outcome.last += loss / 10;
    if (std::isnan(loss) || loss > outcome.largest) outcome.largest = loss;
  }
  return outcome;
}

std::shared_ptr<Module> built(const json& keys) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), with({{"model", "deep-mlp"}}, keys));
  at::manual_seed(0);
  InputShape shape;
  auto model = findModelUnit("deep-mlp")->build({shape, spec, nullptr});
  model->bind();
  return model;
}

}  // namespace

TEST(DeepMlp, HasTheLayersThatWereAskedFor) {
  std::int64_t parameters = 0;
  const auto model = built({{"depth", 4}, {"width", 8}, {"normalise", "layer"}});
  for (const auto& parameter : model->parameters()) parameters += parameter.numel();
  EXPECT_EQ(parameters, 784 * 8 + 8 + 3 * (8 * 8 + 8 + 2 * 8) + 8 * 10 + 10);
  EXPECT_TRUE(model->named_parameters().contains("3.linear.weight"));
  EXPECT_TRUE(model->named_parameters().contains("5.norm.bias"));
  EXPECT_TRUE(built({{"normalise", "batch"}})->named_buffers().contains("3.norm.running_var"));
  EXPECT_EQ(built({{"depth", 1}})->parts().size(), 4U);
  EXPECT_EQ((*built({{"depth", 1}}))(at::zeros({2, 1, 28, 28})).size(1), 10);
}

TEST(DeepMlp, AShortcutAddsTheInput) {
  const auto model = built({{"depth", 2}, {"width", 4}, {"residual", true}, {"activation", "tanh"}});
  auto& block = *model->parts()[3].second;
  const auto input = at::randn({3, 4});
  const auto parameters = block.named_parameters();
  const auto expected = input + at::tanh(at::linear(input, parameters["linear.weight"], parameters["linear.bias"]));
  EXPECT_TRUE(at::allclose(block(input), expected, 1e-6, 1e-6));
}

TEST(DeepMlp, ByDefaultLearnsNothing) {
  const auto relu = trained(json::object());
  EXPECT_NEAR(relu.last, kGuess, 0.05);
  EXPECT_NEAR(trained({{"init", "small"}}).last, kGuess, 0.05);
  EXPECT_NEAR(trained({{"activation", "tanh"}}).last, kGuess, 0.05);
}

TEST(DeepMlp, TechniquesThatLetTheGradientThroughMakeItLearn) {
  const std::vector<std::pair<json, double>> cases{
      {{{"init", "kaiming"}}, 2.0},
      {{{"normalise", "batch"}}, 1.5},
      {{{"init", "xavier"}, {"activation", "tanh"}}, 1.0},
      {{{"init", "orthogonal"}, {"activation", "tanh"}}, 1.0},
      {{{"residual", true}, {"activation", "tanh"}}, 0.1}};
  for (const auto& [keys, most] : cases) {
    const auto outcome = trained(keys);
    EXPECT_LT(outcome.last, most) << keys;
  }
}

TEST(DeepMlp, WithShortcutsAloneItDiverges) {
  const auto outcome = trained({{"residual", true}});
  EXPECT_TRUE(!std::isfinite(outcome.largest) || outcome.largest > 1e6) << outcome.largest;
  EXPECT_TRUE(!std::isfinite(outcome.last) || outcome.last > 1e3) << outcome.last;
}

TEST(DeepMlp, EachTechniqueAloneSavesItFromDiverging) {
  for (const auto& keys : std::vector<json>{{{"clip_norm", 1}},
                                            {{"clip_value", 0.01}},
                                            {{"warmup_steps", 30}},
                                            {{"init", "small"}},
                                            {{"normalise", "batch"}},
                                            {{"normalise", "layer"}}}) {
    const auto outcome = trained(with({{"residual", true}}, keys));
    EXPECT_LT(outcome.last, 3) << keys;
    EXPECT_LT(outcome.last, outcome.first) << keys;
    EXPECT_LT(outcome.largest, 1e3) << keys;
  }
}

TEST(DeepMlp, WeightsDrawnTooLargeExplodeAtOnce) {
  EXPECT_GT(trained({{"init", "large"}}).first, 1e9);
}

}  // namespace atelier::engine
