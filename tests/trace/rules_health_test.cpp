// Rules about what flows through a model: gradients by depth, dead units, values that are no numbers.
#include <cmath>

#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

// The gradient of a weight of 10,000 values, each of the typical size.
wire::TensorStats gradient(const std::string& name, double typical) {
  wire::TensorStats stats;
  stats.module = name;
  stats.count = 10'000;
  stats.norm = 100 * typical;
  return stats;
}

Case layers(const std::vector<double>& typical) {
  Case it;
  it.health.step = 7;
  it.health.gradient_norm = 1;
  for (std::size_t i = 0; i < typical.size(); ++i)
    it.health.parameters.push_back(gradient("layers." + std::to_string(i) + ".weight", typical[i]));
  return it;
}

wire::TensorStats output(const std::string& module, const std::string& type, std::int64_t count, std::int64_t zeros) {
  wire::TensorStats stats;
  stats.module = module;
  stats.type = type;
  stats.count = count;
  stats.zeros = zeros;
  return stats;
}

}  // namespace

TEST(RuleGradientVanishing, NamesTheLayersThatGetNothing) {
  const auto finding = layers({1e-9, 1e-7, 1e-5, 1e-3, 1e-2}).found("gradient_vanishing");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Warning);
  EXPECT_EQ(finding->modules, (Names{"layers.0.weight", "layers.1.weight"}));
  EXPECT_EQ(finding->evidence.front().args.back(), (std::pair<std::string, std::string>{"times", "10000000"}));
}

TEST(RuleGradientVanishing, SeesAGradientThatIsZero) {
  const auto finding = layers({0, 0, 1e-3, 1e-2}).found("gradient_vanishing");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->evidence.front().id, "evidence.gradient_zero");
}

TEST(RuleGradientVanishing, IsSilentForOrdinaryDepths) {
  EXPECT_FALSE(layers({1e-4, 1e-3, 1e-3, 1e-2}).found("gradient_vanishing"));
  EXPECT_FALSE(layers({1e-9, 1e-2, 1e-2}).found("gradient_vanishing"));  // three layers have no depth
  auto frozen = layers({0, 0, 0, 1e-2});
  frozen.spec["freeze"] = "backbone";
  EXPECT_FALSE(frozen.found("gradient_vanishing"));
}

// Rows of an embedding that a batch does not use have no gradient, and a normalisation's scale is no layer.
TEST(RuleGradientVanishing, LeavesOutWhatIsNoLayer) {
  auto it = layers({1e-2, 1e-2, 1e-2, 1e-2});
  it.health.parameters.insert(it.health.parameters.begin(), gradient("embeddings.word_embeddings.weight", 1e-9));
  EXPECT_FALSE(it.found("gradient_vanishing"));
  auto normalised = layers({1e-2, 1e-2, 1e-2, 1e-2});
  normalised.health.parameters.insert(normalised.health.parameters.begin(),
                                      {gradient("norm.weight", 1e-9), gradient("norm.bias", 1e-9)});
  EXPECT_FALSE(normalised.found("gradient_vanishing"));
  auto sparse = layers({1e-2, 1e-2, 1e-2, 1e-2});
  sparse.health.parameters.front().norm = 1e-5;  // of one value that is not zero
  sparse.health.parameters.front().zeros = 9'999;
  EXPECT_FALSE(sparse.found("gradient_vanishing"));
}

TEST(RuleGradientExploding, GoesByTheGlobalNorm) {
  auto it = layers({1, 0.3, 0.1, 0.05});
  it.health.gradient_norm = 250;
  const auto finding = it.found("gradient_exploding");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Warning);
  EXPECT_EQ(finding->modules, Names{"layers.0.weight"});
  EXPECT_EQ(finding->fix.set.at("clip_norm"), 1.0);
  it.health.gradient_norm = 1e6;
  EXPECT_EQ(it.found("gradient_exploding")->severity, Severity::Critical);
  it.health.gradient_norm = 60;
  EXPECT_FALSE(it.found("gradient_exploding"));
}

TEST(RuleGradientExploding, SeesGrowthFromLayerToLayer) {
  const auto finding = layers({1, 1e-1 / 2, 1e-3, 1e-5, 1e-7}).found("gradient_exploding");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->modules, (Names{"layers.0.weight", "layers.1.weight"}));
  EXPECT_FALSE(layers({1, 1e-2, 1e-4, 1e-4, 1e-6}).found("gradient_exploding"));  // two, and one, but no three on end
}

TEST(RuleGradientExploding, KnowsThatTheNormIsClipped) {
  auto it = layers({1, 1, 1, 1});
  it.health.gradient_norm = 500;
  it.spec["clip_norm"] = 1.0;
  const auto finding = it.found("gradient_exploding");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Hint);
  EXPECT_TRUE(finding->fix.set.empty());
}

TEST(RuleGradientExploding, ProposesWhatIsNotInUseYet) {
  auto it = layers({1, 1, 1, 1});
  it.health.gradient_norm = 500;
  it.spec["warmup_steps"] = 0;
  it.spec["init"] = "large";
  const auto first = it.found("gradient_exploding")->fix.set;
  EXPECT_EQ(first.at("init"), "kaiming");
  EXPECT_EQ(first.at("clip_norm"), 1.0);
  EXPECT_FALSE(first.contains("warmup_steps"));
  it.spec["init"] = "default";
  it.spec["clip_norm"] = 1.0;
  EXPECT_EQ(it.found("gradient_exploding")->fix.set, (std::map<std::string, nlohmann::json>{{"warmup_steps", 100}}));
  it.spec["schedule"] = "one-cycle";  // it rises by itself
  EXPECT_TRUE(it.found("gradient_exploding")->fix.set.empty());
}

TEST(RuleGradientVanishing, ProposesANormalisationOrOtherWeights) {
  auto it = layers({1e-9, 1e-7, 1e-5, 1e-3, 1e-2});
  EXPECT_TRUE(it.found("gradient_vanishing")->fix.set.empty());
  const auto proposed = [&] { return it.found("gradient_vanishing")->fix.set; };
  using Set = std::map<std::string, nlohmann::json>;
  it.spec["init"] = "default";
  EXPECT_EQ(proposed(), (Set{{"init", "kaiming"}}));
  it.spec["weights"] = "learnt.safetensors";
  EXPECT_TRUE(proposed().empty());
  it.spec["weights"] = "";
  it.spec["model"] = "hf:minilm";
  EXPECT_TRUE(proposed().empty());
  it.spec.update({{"model", "deep-mlp"}, {"normalise", "none"}, {"activation", "tanh"}});
  EXPECT_EQ(proposed(), (Set{{"normalise", "batch"}}));
  it.spec["normalise"] = "layer";
  EXPECT_EQ(proposed(), (Set{{"init", "xavier"}}));
  it.spec["init"] = "kaiming";
  EXPECT_TRUE(proposed().empty());
}

TEST(RuleDeadActivations, NamesTheReluAndItsZeros) {
  Case it;
  it.health.activations = {output("0", "Conv2d", 1000, 990), output("1.relu", "ReLU", 1000, 700),
                           output("4.relu", "ReLU", 1000, 970), output("6", "Linear", 10, 10)};
  const auto finding = it.found("dead_activations");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->modules, Names{"4.relu"});
  EXPECT_EQ(finding->args.back().second, "97");
  it.health.activations[2].zeros = 950;
  EXPECT_FALSE(it.found("dead_activations"));
}

TEST(RuleNotFinite, NamesModuleOperatorAndStep) {
  Case it;
  it.health.first_bad_module = "encoder.norm";
  it.health.first_bad_operator = "aten::div";
  it.health.first_bad_stage = "forward";
  it.health.first_bad_step = 12;
  const auto finding = it.found("not_finite");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Critical);
  EXPECT_EQ(finding->modules, Names{"encoder.norm"});
  EXPECT_EQ(finding->operators, Names{"aten::div"});
  EXPECT_EQ(finding->evidence.front(),
            (wire::Message{"evidence.born_in_forward", {{"module", "encoder.norm"}, {"step", "12"}}}));
  it.health.first_bad_stage = "backward";
  it.health.first_bad_module.clear();
  it.health.first_bad_operator.clear();
  EXPECT_EQ(it.found("not_finite")->evidence.front().id, "evidence.born_in_backward");
  EXPECT_EQ(it.found("not_finite")->modules, Names{"model"});
}

TEST(RuleNotFinite, FindsItAmongTheStatistics) {
  Case it;
  it.health.activations = {output("0", "Linear", 10, 0), output("1", "Softmax", 10, 0)};
  EXPECT_FALSE(it.found("not_finite"));
  it.health.activations[1].nans = 3;
  ASSERT_TRUE(it.found("not_finite"));
  EXPECT_EQ(it.found("not_finite")->modules, Names{"1"});
  it.health.activations[1].nans = 0;
  it.health.parameters = {gradient("2.weight", 1)};
  it.health.parameters[0].infinities = 1;
  EXPECT_EQ(it.found("not_finite")->evidence.front().id, "evidence.bad_gradient");
}

TEST(RuleNotFinite, SeesAtLeastTheLoss) {
  Case it;
  it.summary.emplace();
  it.summary->loss = 2.3;
  EXPECT_FALSE(it.found("not_finite"));
  it.summary->loss = std::nan("");
  ASSERT_TRUE(it.found("not_finite"));
  EXPECT_EQ(it.found("not_finite")->severity, Severity::Critical);
  it.summary->loss.reset();
  EXPECT_FALSE(it.found("not_finite"));
}

// Numbers that are none must not make other rules speak of nonsense.
TEST(Rules, StandValuesThatAreNoNumbers) {
  auto it = layers({std::nan(""), std::nan(""), HUGE_VAL, std::nan("")});
  it.health.gradient_norm = std::nan("");
  EXPECT_EQ(it.rules(), Names{});
  Case empty;
  empty.spec = nlohmann::json::array();
  EXPECT_EQ(empty.rules(), Names{});
}

}  // namespace atelier::trace
