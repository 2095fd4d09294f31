// Rules about work that need not be done, or is done as it should be, on a CPU.
#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

}  // namespace

TEST(RuleUnfusedOptimizer, SetsFused) {
  auto it = healthyCnn();
  it.steps(3, 10 * kMs, 0.02, 0.3, 0.3, 0.3);
  for (int i = 0; i < 36; ++i) it.event(Kind::Operator, "aten::addcdiv_", i * 800 * kUs, 100 * kUs, Stage::Optimizer);
  const auto finding = it.found("unfused_optimizer");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fix.set.at("fused"), true);
  EXPECT_EQ(finding->operators, Names{"aten::addcdiv_"});
  EXPECT_EQ(finding->evidence.front().args.front().second, "12");
  it.spec["fused"] = true;
  EXPECT_FALSE(it.found("unfused_optimizer"));
}

TEST(RuleUnfusedOptimizer, KnowsAFusedOptimizerByItsOperator) {
  auto it = healthyCnn();
  it.spec = nlohmann::json::object();
  it.steps(3, 10 * kMs, 0.02, 0.3, 0.3, 0.3);
  for (int i = 0; i < 36; ++i) it.event(Kind::Operator, "aten::add_", i * 800 * kUs, 100 * kUs, Stage::Optimizer);
  ASSERT_TRUE(it.found("unfused_optimizer"));
  EXPECT_TRUE(it.found("unfused_optimizer")->fix.set.empty());
  it.event(Kind::Operator, "aten::_fused_adamw_", 29 * kMs, 100 * kUs, Stage::Optimizer);
  EXPECT_FALSE(it.found("unfused_optimizer"));
}

TEST(RuleDominantOperator, CallsGoodArithmeticHealthy) {
  auto it = healthyCnn();
  const auto finding = it.found("dominant_operator");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Healthy);
  EXPECT_EQ(finding->operators, Names{"aten::convolution_backward"});
  EXPECT_EQ(finding->modules, Names{"1.0"});
  EXPECT_DOUBLE_EQ(finding->expected_gain, 1);
  it.report.operators.front().peak_share = 0.1;
  EXPECT_EQ(it.found("dominant_operator")->severity, Severity::Hint);
  EXPECT_NEAR(it.found("dominant_operator")->expected_gain, amdahl(0.44, 2), 1e-6);
  // Bound by memory and near that roof: as good as it gets.
  RooflinePoint point;
  point.name = it.report.operators.front().name;
  point.share = 0.8;
  it.report.roofline = {point};
  EXPECT_EQ(it.found("dominant_operator")->severity, Severity::Healthy);
  it.report.operators.front().self_ns = 60 * kMs;
  EXPECT_FALSE(it.found("dominant_operator"));
}

TEST(RuleDominantOperator, PointsAtWhatIsNoArithmetic) {
  auto it = healthyCnn();
  it.row("aten::cumsum", 0.5, 3);
  const auto finding = it.found("dominant_operator");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Hint);
  EXPECT_EQ(finding->operators, Names{"aten::cumsum"});
}

TEST(RuleRecomputedConstants, NamesMaskAndModule) {
  auto it = healthyCnn();
  const auto attention = it.module("layers.0.self_attn", "MultiheadAttention");
  for (int step = 0; step < 3; ++step) {
    it.event(Kind::Operator, "aten::ones", step * 60 * kMs, kMs, Stage::Forward).module = attention;
    it.event(Kind::Operator, "aten::tril", step * 60 * kMs + kMs, kMs, Stage::Forward).module = attention;
  }
  const auto finding = it.found("recomputed_constants");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 6.0 / 180, 1e-6);
  EXPECT_EQ(finding->modules, Names{"layers.0.self_attn"});
  EXPECT_EQ(finding->operators, (Names{"aten::ones", "aten::tril"}));
}

TEST(RuleRecomputedConstants, LetsPassWhatDiffersFromStepToStepOrIsCheap) {
  auto differing = healthyCnn(), cheap = healthyCnn(), backward = healthyCnn();
  for (auto* it : {&differing, &cheap, &backward}) it->module("0", "Conv2d");
  for (int step = 0; step < 3; ++step) {
    differing.trace.details.push_back({{}, {std::to_string(64 + step)}, ""});
    auto& made = differing.event(Kind::Operator, "aten::arange", step * 60 * kMs, 2 * kMs, Stage::Forward);
    made.module = 1;
    made.detail = step;
    cheap.event(Kind::Operator, "aten::arange", step * 60 * kMs, 5 * kUs, Stage::Forward).module = 1;
    backward.event(Kind::Operator, "aten::zeros", step * 60 * kMs, 5 * kMs, Stage::Backward).module = 1;
  }
  for (const auto* it : {&differing, &cheap, &backward}) EXPECT_FALSE(it->found("recomputed_constants"));
}

TEST(RuleValidation, CountsEvaluationsOfTheSummary) {
  auto it = healthyCnn();
  it.summary.emplace();
  auto& run = *it.summary;
  run.stages = {20, 300, 600, 30, 50, 1000};
  run.accuracy = 0.8;
  run.evaluated = 10'000;
  run.samples = 20'000;
  run.epochs = 5;
  const auto finding = it.found("validation_too_frequent");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 15.0 / 35, 1e-9);  // five times a forward of 10,000 at 0.3 each, against 20,000
  run.samples = 300'000;
  EXPECT_FALSE(it.found("validation_too_frequent"));
  run.samples = 2'000;
  run.epochs = 1;  // one at the end is what everybody wants
  EXPECT_FALSE(it.found("validation_too_frequent"));
}

TEST(RuleValidation, KnowsRangesByTheirNames) {
  auto it = healthyCnn();
  it.event(Kind::Range, "forward", 0, 60 * kMs, Stage::Forward);
  it.event(Kind::Range, "Validation epoch 3", 60 * kMs, 40 * kMs, Stage::None);
  it.event(Kind::Operator, "autograd::engine::evaluate_function: MmBackward0", 0, 100 * kMs, Stage::Backward);
  const auto finding = it.found("validation_too_frequent");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 0.4, 1e-9);
  EXPECT_EQ(finding->events, std::vector<std::int32_t>{1});
  it.trace.events[1].duration = 10 * kMs;
  EXPECT_FALSE(it.found("validation_too_frequent"));
}

}  // namespace atelier::trace
