#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;

}  // namespace

TEST(Facts, ReadKeysByTheirType) {
  Case it;
  it.spec = {{"batch", 32}, {"fused", true}, {"precision", "bf16"}, {"clip_norm", 0.5}, {"nothing", nullptr}};
  const auto facts = it.facts();
  EXPECT_TRUE(facts.knows("nothing"));
  EXPECT_FALSE(facts.knows("workers"));
  EXPECT_EQ(facts.integer("batch"), 32);
  EXPECT_EQ(facts.integer("precision", 7), 7);
  EXPECT_EQ(facts.integer("clip_norm", 7), 7);
  EXPECT_EQ(facts.text("precision"), "bf16");
  EXPECT_EQ(facts.text("batch", "none"), "none");
  EXPECT_TRUE(facts.flag("fused"));
  EXPECT_FALSE(facts.flag("batch"));
  EXPECT_FALSE(facts.flag("workers"));
}

TEST(Facts, TakeStagesAndStepsFromTheSummaryWhereThereIsOne) {
  Case it;
  it.steps(3, 10 * kMs, 0.1, 0.4, 0.3, 0.1);
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::Forward), 0.4);
  EXPECT_NEAR(it.facts().stageShare(Stage::None), 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(it.facts().stepNs(), 10.0 * kMs);
  it.summary.emplace();  // a run that ended before its first block
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::Forward), 0.4);
  EXPECT_DOUBLE_EQ(it.facts().stepNs(), 10.0 * kMs);
  it.summary->stages = {10, 20, 30, 35, 5, 100};
  it.summary->step_p50 = 8.5;
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::Data), 0.1);
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::Optimizer), 0.35);
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::Other), 0.05);
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::None), 0);
  EXPECT_DOUBLE_EQ(it.facts().stepNs(), 8.5e6);
}

TEST(Facts, TakeTheMedianOfSteps) {
  Case it;
  EXPECT_DOUBLE_EQ(it.facts().stepNs(), 0);
  EXPECT_DOUBLE_EQ(it.facts().stageShare(Stage::Data), 0);
  it.report.breakdown.step_ns = {900, 10, 12};
  EXPECT_DOUBLE_EQ(it.facts().stepNs(), 12);
  it.report.breakdown.step_ns.clear();
  it.report.breakdown.steps = 4;
  it.report.breakdown.wall_ns = 100;
  EXPECT_DOUBLE_EQ(it.facts().stepNs(), 25);
}

}  // namespace atelier::trace
