#include "core/trace/plan.h"

#include <gtest/gtest.h>

namespace atelier::trace {
namespace {

using Set = std::map<std::string, nlohmann::json>;

Finding fix(const std::string& rule, double share, double speedup, Set set, std::vector<std::string> operators = {}) {
  Finding finding;
  finding.rule = rule;
  finding.share = share;
  finding.expected_gain = amdahl(share, speedup);
  finding.fix.set = std::move(set);
  finding.operators = std::move(operators);
  return finding;
}

std::vector<std::string> rules(const std::vector<PlanStep>& plan) {
  std::vector<std::string> names;
  for (const auto& step : plan) names.push_back(step.finding.rule);
  return names;
}

const nlohmann::json kSpec{{"precision", "fp32"}, {"channels_last", false}, {"fused", false}, {"batch", 32}, {"workers", 0}};

}  // namespace

TEST(Plan, RanksByGainAndMultipliesUp) {
  const auto plan =
      planOf({fix("unfused_optimizer", 0.2, 2, Set{{"fused", true}}), fix("input_bound", 0.5, 2, Set{{"workers", 2}})}, kSpec);
  ASSERT_EQ(rules(plan), (std::vector<std::string>{"input_bound", "unfused_optimizer"}));
  // A quarter of the step goes, then a tenth of what it was: 0.75, 0.65.
  EXPECT_NEAR(plan[0].predicted, 1 / 0.75, 1e-12);
  EXPECT_NEAR(plan[0].cumulative, 1 / 0.75, 1e-12);
  EXPECT_NEAR(plan[1].predicted, 0.75 / 0.65, 1e-12);
  EXPECT_NEAR(plan[1].cumulative, 1 / 0.65, 1e-12);
  EXPECT_NEAR(plan[0].predicted * plan[1].predicted, plan[1].cumulative, 1e-12);
}

TEST(Plan, OfTwoThatContradictTheFirstStays) {
  const auto plan =
      planOf({fix("small_batch", 0.5, 2, Set{{"batch", 128}}), fix("launch_bound", 0.6, 4, Set{{"batch", 64}})}, kSpec);
  ASSERT_EQ(rules(plan), std::vector<std::string>{"launch_bound"});
  EXPECT_EQ(plan[0].set, (Set{{"batch", 64}}));
}

TEST(Plan, LeavesOutWhatIsSetAlready) {
  const auto plan =
      planOf({fix("missing_amp", 0.6, 3, Set{{"precision", "bf16"}, {"channels_last", true}}),
              fix("channels_last_missing", 0.6, 1.3, Set{{"channels_last", true}}), fix("odd", 0.5, 2, Set{{"workers", 0}})},
             kSpec);
  ASSERT_EQ(rules(plan), std::vector<std::string>{"missing_amp"});
  const auto other = planOf({fix("channels_last_missing", 0.9, 3, Set{{"channels_last", true}}),
                             fix("missing_amp", 0.6, 3, Set{{"precision", "bf16"}, {"channels_last", true}})},
                            kSpec);
  ASSERT_EQ(other.size(), 2U);
  EXPECT_EQ(other[1].set, (Set{{"precision", "bf16"}}));
}

// Two ways to speed the same convolutions up share what there is to save.
TEST(Plan, CountsTheSameOperatorsOnce) {
  const std::vector<std::string> conv{"aten::mkldnn_convolution"};
  const auto plan = planOf({fix("missing_amp", 0.6, 3, Set{{"precision", "bf16"}}, conv),
                            fix("channels_last_missing", 0.6, 2, Set{{"channels_last", true}}, conv)},
                           kSpec);
  ASSERT_EQ(plan.size(), 2U);
  // 0.6 becomes 0.2, and that 0.1: 0.5 of the step is left, where two parts of their own would leave 0.3.
  EXPECT_NEAR(plan[1].cumulative, 1 / 0.5, 1e-12);
  EXPECT_NEAR(plan[1].predicted, 0.6 / 0.5, 1e-12);
}

// What a step costs once is shared by more samples after a larger batch: a fix of it has less to save, whichever comes first.
TEST(Plan, ALargerBatchAndACheaperStepShareWhatThereIsToSave) {
  const auto batch = fix("small_batch", 0.6, 2, Set{{"batch", 128}});
  auto optimizer = fix("unfused_optimizer", 0.2, 2, Set{{"fused", true}});
  optimizer.once_a_step = true;
  const auto plan = planOf({optimizer, batch}, kSpec);
  ASSERT_EQ(rules(plan), (std::vector<std::string>{"small_batch", "unfused_optimizer"}));
  // 0.3 goes; of the tenth that the optimizer's fix saved a step of 32, a quarter is left for each of 128's samples.
  EXPECT_NEAR(plan[1].cumulative, 1 / (0.7 - 0.025), 1e-12);
  optimizer = fix("unfused_optimizer", 0.5, 4, Set{{"fused", true}});
  optimizer.once_a_step = true;
  const auto other = planOf({optimizer, batch}, kSpec);
  ASSERT_EQ(rules(other), (std::vector<std::string>{"unfused_optimizer", "small_batch"}));
  EXPECT_NEAR(other[1].cumulative, 1 / (1 - 0.375 - (0.3 - 0.375 * 0.75)), 1e-12);
}

TEST(Plan, PromisesNoEndlessGain) {
  std::vector<Finding> findings;
  for (int i = 0; i < 5; ++i) findings.push_back(fix("rule", 0.9, 1e9, Set{{"key" + std::to_string(i), true}}));
  const auto plan = planOf(findings, nlohmann::json::object());
  ASSERT_EQ(plan.size(), 5U);
  for (const auto& step : plan) {
    EXPECT_GE(step.predicted, 1);
    EXPECT_LE(step.cumulative, 50);
  }
}

TEST(Plan, HoldsOnlyWhatChangesTheSpecAndPays) {
  EXPECT_TRUE(planOf({}, kSpec).empty());
  EXPECT_TRUE(planOf({fix("sync_in_loop", 0.4, 2, Set{})}, kSpec).empty());
  EXPECT_TRUE(planOf({fix("gradient_exploding", 0, 1, Set{{"clip_norm", 1.0}})}, kSpec).empty());
}

}  // namespace atelier::trace
