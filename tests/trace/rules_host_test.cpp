// Rules about a run on a CPU: what fires each, and what comes near and does not.
#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

// Steps of which a share is spent in the stage of the data.
Case waiting(double share) {
  auto it = healthyCnn();
  it.steps(3, 60 * kMs, share, 0.3 * (1 - share), 0.6 * (1 - share), 0.03);
  it.report.peaks.cores = 8;
  return it;
}

// Steps of 600 µs made of 450 calls with their self times.
Case smallOperators(std::int64_t meanNs) {
  Case it;
  it.steps(3, 600 * kUs, 0.02, 0.4, 0.4, 0.15);
  it.report.breakdown.overhead_ns = 300 * kUs;
  const double wall = static_cast<double>(it.report.breakdown.wall_ns);
  it.row("aten::add", static_cast<double>(450 * meanNs) / wall, 450);
  return it;
}

Case smallBatch(std::int64_t batch, double reach) {
  Case it;
  it.steps(3, 4 * kMs, 0.02, 0.35, 0.35, 0.2);
  it.spec["batch"] = batch;
  it.row("aten::addmm", 0.3, 6, reach);
  it.row("aten::mm", 0.2, 12, reach);
  it.row("aten::relu", 0.05, 6);
  return it;
}

}  // namespace

TEST(RuleInputBound, NamesTheWaitAndTheWorkersItNeeds) {
  const auto finding = waiting(0.6).found("input_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Warning);
  EXPECT_DOUBLE_EQ(finding->share, 0.6);
  // 36 ms of making beside 24 ms of computing: two workers hide it whole.
  EXPECT_EQ(finding->fix.set.at("workers"), 2);
  EXPECT_NEAR(finding->expected_gain, 2.5, 1e-9);
  EXPECT_EQ(finding->evidence.front().args.front().second, "36");
}

TEST(RuleInputBound, IsSilentBelowATenth) {
  EXPECT_FALSE(waiting(0.09).found("input_bound"));
  EXPECT_TRUE(waiting(0.11).found("input_bound"));
}

TEST(RuleInputBound, TakesNoMoreWorkersThanCores) {
  auto it = waiting(0.9);
  it.report.peaks.cores = 2;
  const auto finding = it.found("input_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fix.set.at("workers"), 2);
  // 54 ms of making, 27 a worker, beside 6 ms of computing: 21 of the 54 ms are left.
  EXPECT_NEAR(finding->expected_gain, amdahl(0.9, 54.0 / 21), 1e-6);
}

TEST(RuleInputBound, CountsFromTheBatchesThatWorkersWereSeenToMake) {
  auto it = waiting(0.5);
  it.spec["workers"] = 1;
  it.event(Kind::Loader, "batch", 0, 100 * kMs, Stage::None);
  const auto finding = it.found("input_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fix.set.at("workers"), 4);  // 100 ms beside 30 ms
}

TEST(RuleInputBound, SetsNothingWithoutASpecOrWithWorkersEnough) {
  auto it = waiting(0.6);
  it.spec = nlohmann::json::object();
  ASSERT_TRUE(it.found("input_bound"));
  EXPECT_TRUE(it.found("input_bound")->fix.set.empty());
  auto enough = waiting(0.6);
  enough.spec["workers"] = 8;
  ASSERT_TRUE(enough.found("input_bound"));
  EXPECT_TRUE(enough.found("input_bound")->fix.set.empty());
}

TEST(RuleInputBound, BelievesTheSummaryOverTheProfile) {
  auto it = waiting(0.6);
  it.summary.emplace();
  it.summary->stages = {1, 40, 50, 8, 1, 100};
  EXPECT_FALSE(it.found("input_bound"));
}

TEST(RuleTransferBound, NamesConversionsOnACpu) {
  auto it = healthyCnn();
  it.row("aten::copy_", 0.25, 90).modules = {it.module("features.0", "Conv2d")};
  const auto finding = it.found("transfer_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->operators, Names{"aten::copy_"});
  EXPECT_EQ(finding->modules, Names{"features.0"});
  EXPECT_NEAR(finding->expected_gain, amdahl(0.25, 2), 1e-6);
  EXPECT_TRUE(finding->fix.set.empty());  // there is no GPU to pin memory for
}

TEST(RuleTransferBound, LetsAFewCopiesPass) {
  auto it = healthyCnn();
  it.row("aten::copy_", 0.06, 90);
  EXPECT_FALSE(it.found("transfer_bound"));
}

TEST(RuleLaunchBound, SeesStepsOfTinyOperators) {
  const auto finding = smallOperators(2 * kUs).found("launch_bound");
  ASSERT_TRUE(finding);
  // 300 of 1,800 µs outside operators, less the data's 36, and 450 calls of a microsecond.
  EXPECT_NEAR(finding->share, (300.0 - 36 + 450) / 1800, 1e-6);
  EXPECT_EQ(finding->fix.set.at("batch"), 512);
  EXPECT_NEAR(finding->expected_gain, amdahl(finding->share, 4), 1e-9);
}

TEST(RuleLaunchBound, MeasuresTheCallByViews) {
  auto it = smallOperators(2 * kUs);
  for (int i = 0; i < 6; ++i) it.event(Kind::Operator, "aten::as_strided", i * 10 * kUs, 2 * kUs, Stage::Forward);
  const auto finding = it.found("launch_bound");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, (300.0 - 36 + 900) / 1800, 1e-6);
}

TEST(RuleLaunchBound, IsSilentWhereOperatorsAreLarge) {
  auto it = smallOperators(2 * kUs);
  it.report.operators.front().self_ns = 450 * 25 * kUs;
  EXPECT_FALSE(it.found("launch_bound"));
  Case none;
  none.steps(3, kMs, 0, 0.5, 0.4, 0.1);
  EXPECT_FALSE(none.found("launch_bound"));
}

TEST(RuleLaunchBound, ProposesNoBatchThatTheBudgetCannotHold) {
  auto it = smallOperators(2 * kUs);
  it.budget_bytes = 100 * kMiB;
  it.report.memory.peak.bytes[static_cast<std::size_t>(Category::Activations)] = 35 * kMiB;
  ASSERT_TRUE(it.found("launch_bound"));
  EXPECT_EQ(it.found("launch_bound")->fix.set.at("batch"), 256);  // four times are 140 MiB, twice are 70
  it.budget_bytes = 80 * kMiB;
  ASSERT_TRUE(it.found("launch_bound"));
  EXPECT_TRUE(it.found("launch_bound")->fix.set.empty());
}

TEST(RuleSmallBatch, SeesPoorMatmuls) {
  const auto finding = smallBatch(8, 0.1).found("small_batch");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fix.set.at("batch"), 32);
  EXPECT_EQ(finding->operators, (Names{"aten::addmm", "aten::mm"}));
  EXPECT_NEAR(finding->expected_gain, 1 / (1 - 0.7 * 0.75), 1e-6);  // half in matmuls, a fifth in the optimizer
}

TEST(RuleSmallBatch, SeesAnOptimizerThatFewSamplesShare) {
  const auto finding = smallBatch(8, 0.9).found("small_batch");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->expected_gain, 1 / (1 - 0.2 * 0.75), 1e-6) << "matmuls that are fed already gain nothing";
}

TEST(RuleSmallBatch, IsSilentForOrdinaryBatchesUnknownPeaksOrWhereNothingIsShared) {
  EXPECT_FALSE(smallBatch(64, 0.1).found("small_batch"));
  Case fed;
  fed.steps(3, 4 * kMs, 0.02, 0.45, 0.45, 0.02);
  fed.spec["batch"] = 8;
  fed.row("aten::addmm", 0.8, 6, 0.9);
  EXPECT_FALSE(fed.found("small_batch"));
  EXPECT_FALSE(smallBatch(8, 0).found("small_batch"));
  auto unknown = smallBatch(8, 0.1);
  unknown.spec = nlohmann::json::object();
  EXPECT_FALSE(unknown.found("small_batch"));
}

TEST(RuleOversubscribed, SharesTheCoresOut) {
  auto it = healthyCnn();
  it.report.peaks.cores = 4;
  it.spec["threads"] = 16;
  const auto finding = it.found("oversubscribed_threads");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fix.set.at("threads"), 4);
  EXPECT_FALSE(finding->fix.set.contains("workers"));
  it.spec["workers"] = 8;
  EXPECT_EQ(it.found("oversubscribed_threads")->fix.set.at("threads"), 2);
  EXPECT_EQ(it.found("oversubscribed_threads")->fix.set.at("workers"), 2);
}

TEST(RuleOversubscribed, LetsAWorkerBesideAllThreadsPass) {
  auto it = healthyCnn();
  it.spec["workers"] = 1;
  it.summary.emplace();
  it.summary->cpu_percent = 99;
  EXPECT_FALSE(it.found("oversubscribed_threads"));
  it.spec["workers"] = 2;
  EXPECT_TRUE(it.found("oversubscribed_threads"));
  it.summary->cpu_percent = 60;  // workers that wait take no core from anybody
  EXPECT_FALSE(it.found("oversubscribed_threads"));
  it.report.peaks.cores = 0;
  it.spec["threads"] = 64;
  EXPECT_FALSE(it.found("oversubscribed_threads"));
}

TEST(RuleBusyMachine, CountsOthersAndDisturbedBlocks) {
  auto it = healthyCnn();
  it.others_percent = 40;
  ASSERT_TRUE(it.found("busy_machine"));
  EXPECT_EQ(it.found("busy_machine")->evidence.front().args.front().second, "40");
  it.others_percent = 14;
  it.summary.emplace();
  it.summary->blocks = 10;
  it.summary->disturbed_blocks = 5;
  EXPECT_FALSE(it.found("busy_machine"));
  it.summary->disturbed_blocks = 6;
  EXPECT_TRUE(it.found("busy_machine"));
  it.others_percent = -1;  // not known
  it.summary.reset();
  EXPECT_FALSE(it.found("busy_machine"));
}

}  // namespace atelier::trace
