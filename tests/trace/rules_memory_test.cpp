// Rules about memory.
#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

// Live at the peak: weights, optimizer state, activations.
void peak(Case& it, std::int64_t weights, std::int64_t optimizer, std::int64_t activations) {
  auto& bytes = it.report.memory.peak.bytes;
  bytes[static_cast<std::size_t>(Category::Weights)] = weights;
  bytes[static_cast<std::size_t>(Category::Optimizer)] = optimizer;
  bytes[static_cast<std::size_t>(Category::Activations)] = activations;
}

// Four steps, after each of which the given bytes more are alive.
Case growing(const std::vector<std::int64_t>& changes) {
  Case it;
  it.steps(4, 10 * kMs, 0.01, 0.4, 0.5, 0.05);
  peak(it, 20 * kMiB, 40 * kMiB, 40 * kMiB);
  for (int step = 0; step < 4; ++step) it.event(Kind::Step, "step", step * 10 * kMs, 10 * kMs, Stage::None);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Allocation made;
    made.time = static_cast<std::int64_t>(i) * 10 * kMs + 5 * kMs;
    made.bytes = changes[i];
    made.address = 4096 * (i + 1);
    it.trace.memory.push_back(made);
  }
  return it;
}

}  // namespace

TEST(RuleMemoryLeak, NamesWhoMadeWhatIsKept) {
  auto it = growing({2 * kMiB, 2 * kMiB, 2 * kMiB, 2 * kMiB});
  it.report.memory.growth_per_step = 2 * kMiB;
  it.budget_bytes = 200 * kMiB;
  const auto head = it.module("head", "Linear");
  it.event(Kind::Operator, "aten::addmm", 4 * kMs, kMs, Stage::Forward).module = head;
  LiveTensor kept;
  kept.bytes = 2 * kMiB;
  kept.event = 4;
  kept.module = head;
  auto freed = kept, late = kept;
  freed.until = 20 * kMs;
  it.event(Kind::Operator, "aten::relu", 34 * kMs, kMs, Stage::Forward);
  late.event = 5;  // of the last step: it may yet be freed
  it.report.memory.at_peak = {kept, freed, late};
  const auto finding = it.found("memory_leak");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Warning);
  EXPECT_EQ(finding->modules, Names{"head"});
  EXPECT_EQ(finding->operators, Names{"aten::addmm"});
  EXPECT_EQ(finding->args.front().second, "2");
  EXPECT_EQ(finding->events, std::vector<std::int32_t>{4});
  EXPECT_EQ(finding->evidence[1], (wire::Message{"evidence.steps_left", {{"count", "50"}}}));
}

TEST(RuleMemoryLeak, IsSilentWhenMemoryOnlyComesAndGoes) {
  auto it = growing({2 * kMiB, 2 * kMiB, -2 * kMiB, 2 * kMiB});
  it.report.memory.growth_per_step = 2 * kMiB;  // the median: a loader that fills its reserve
  EXPECT_FALSE(it.found("memory_leak"));
  auto little = growing({kMiB / 4, kMiB / 4, kMiB / 4, kMiB / 4});
  little.report.memory.growth_per_step = kMiB / 4;
  EXPECT_FALSE(little.found("memory_leak"));
  auto two = growing({2 * kMiB, 2 * kMiB, 2 * kMiB, 2 * kMiB});
  two.report.memory.growth_per_step = 2 * kMiB;
  two.report.breakdown.steps = 2;
  EXPECT_FALSE(two.found("memory_leak"));
}

TEST(RuleMemoryNearLimit, ComparesThePeakWithTheBudget) {
  Case it;
  peak(it, 20 * kMiB, 40 * kMiB, 40 * kMiB);
  it.budget_bytes = 105 * kMiB;
  const auto finding = it.found("memory_near_limit");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->args.front().second, "95");
  EXPECT_EQ(finding->evidence[1].args,
            (std::vector<std::pair<std::string, std::string>>{{"weights", "20"}, {"optimizer", "40"}, {"activations", "40"}}));
  it.budget_bytes = 120 * kMiB;
  EXPECT_FALSE(it.found("memory_near_limit"));
  it.budget_bytes = 0;
  EXPECT_FALSE(it.found("memory_near_limit"));
  it.budget_bytes = 120 * kMiB;
  it.summary.emplace();
  it.summary->peak_memory_bytes.total = 119 * kMiB;  // of the whole run, which the profile saw a part of
  EXPECT_TRUE(it.found("memory_near_limit"));
}

TEST(RuleAllocatorChurn, NamesTheGreediestOperator) {
  Case it;
  it.steps(3, 100 * kMs, 0.01, 0.4, 0.5, 0.05);
  peak(it, 10 * kMiB, 0, 10 * kMiB);
  it.report.memory.allocations_per_step = 900;
  it.report.memory.allocated_bytes_per_step = 400.0 * kMiB;
  it.report.peaks.bytes_per_second = 1e10;
  it.row("aten::cat", 0.1, 900).allocated = 900 * kMiB;
  it.report.operators.back().modules = {it.module("decoder", "Decoder")};
  it.row("aten::addmm", 0.1, 9).allocated = 30 * kMiB;
  const auto finding = it.found("allocator_churn");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->args.front().second, "20");
  EXPECT_EQ(finding->operators, Names{"aten::cat"});
  EXPECT_EQ(finding->modules, Names{"decoder"});
  // 340 MiB more than the usual three times the peak, written and read at 10 GB/s: 71 of 100 ms.
  EXPECT_NEAR(finding->share, 2 * 340.0 * kMiB / 1e10 / 0.1, 1e-9);
}

TEST(RuleAllocatorChurn, LetsATrainingStepAndAnInferencePass) {
  Case it;
  it.steps(3, 100 * kMs, 0.01, 0.4, 0.5, 0.05);
  peak(it, 10 * kMiB, 0, 10 * kMiB);
  it.report.memory.allocations_per_step = 900;
  it.report.memory.allocated_bytes_per_step = 60.0 * kMiB;
  EXPECT_FALSE(it.found("allocator_churn"));
  it.report.memory.allocated_bytes_per_step = 400.0 * kMiB;
  it.report.memory.allocations_per_step = 50;
  EXPECT_FALSE(it.found("allocator_churn"));
  it.report.memory.allocations_per_step = 900;
  it.steps(3, 100 * kMs, 0.01, 0.9, 0, 0);
  EXPECT_FALSE(it.found("allocator_churn"));
}

}  // namespace atelier::trace
