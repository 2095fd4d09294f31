#include "core/registry/event_log.h"

#include "fixture.h"

namespace atelier::registry::testing {
namespace {

TEST(EventLogTest, ATornLastLineIsNoDamage) {
  const auto whole = blockLine(0, 100) + "\n";
  const auto log = decodeLog(whole + blockLine(1, 100).substr(0, 20));
  EXPECT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.skipped, 0);
  EXPECT_EQ(log.whole_bytes, whole.size());
}

TEST(EventLogTest, TheMedianIsOverUndisturbedBlocks) {
  std::string content;
  for (int block = 0; block < 10; ++block) content += blockLine(block, 100 + block) + "\n";
  content += blockLine(10, 5, true) + "\n";
  const auto summary = recoverSummary("x", decodeLog(content));
  EXPECT_EQ(summary.status, "failed");
  EXPECT_EQ(summary.blocks, 11);
  EXPECT_EQ(summary.disturbed_blocks, 1);
  EXPECT_EQ(summary.steps, 220);
  ASSERT_TRUE(summary.samples_per_second.has_value());
  EXPECT_EQ(summary.samples_per_second->median, 104.5);
  EXPECT_EQ(summary.samples_per_second->low, 101);  // the second and the ninth of ten
  EXPECT_EQ(summary.samples_per_second->high, 108);
  EXPECT_EQ(summary.samples_per_second->count, 10);
}

TEST(EventLogTest, NothingMeasuredIsNoFigure) {
  const auto summary = recoverSummary("x", decodeLog(""));
  EXPECT_FALSE(summary.samples_per_second.has_value());
  EXPECT_EQ(summary.failure.front().id, "run.killed");
}

TEST(EventLogTest, TheRunsOwnLastWordCounts) {
  auto finished = exampleSummary();
  finished.id = "x";
  const auto done = decodeLog(wire::encodeEvent({0, 1, "", wire::RunFinished{finished}}) + "\n");
  EXPECT_TRUE(hasEnding(done));
  EXPECT_EQ(recoverSummary("x", done).status, "done");
  EXPECT_EQ(recoverSummary("x", done).steps, 200);

  const wire::RunFailed outOfMemory{wire::ExitCode::OutOfMemory, {{"memory.budget"}}};
  const auto failed = decodeLog(blockLine(0, 50) + "\n" + wire::encodeEvent({0, 1, "", outOfMemory}) + "\n");
  const auto summary = recoverSummary("x", failed);
  EXPECT_EQ(summary.status, "failed");
  EXPECT_EQ(summary.failure.front().id, "memory.budget");
  EXPECT_EQ(summary.steps, 20);
}

}  // namespace
}  // namespace atelier::registry::testing
