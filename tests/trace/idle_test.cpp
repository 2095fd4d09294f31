#include <gtest/gtest.h>

#include "core/trace/tables.h"
#include "trace_builder.h"

namespace atelier::trace::testing {
namespace {

std::vector<Idle> idle(const Trace& trace, std::int64_t* total = nullptr, std::size_t most = 100) {
  return idleTimes(trace, stepsSpan(trace), most, total);
}

std::int64_t caused(const std::vector<Idle>& all, const std::string& cause) {
  std::int64_t time = 0;
  for (const auto& one : all) time += one.cause == cause ? one.to - one.from : 0;
  return time;
}

}  // namespace

TEST(Idle, GapsOfTheDeviceAreExplainedByWhatTheHostDid) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.step(t, 0, 1000);
  b.stage(t, Stage::Data, 0, 200);
  b.stage(t, Stage::Forward, 200, 300);
  b.op(t, "aten::mm", 260, 190);  // the host is slow to launch
  b.synchronize(t, "cudaStreamSynchronize", 600, 150);
  b.kernel(stream, "k", 200, 60);
  b.kernel(stream, "k", 450, 150);
  b.kernel(stream, "k", 750, 50);
  const auto trace = b.build();
  std::int64_t total = 0;
  const auto all = idle(trace, &total);
  EXPECT_EQ(total, 1000 - 260);
  EXPECT_EQ(caused(all, "data"), 200);
  EXPECT_EQ(caused(all, "launch"), 190);
  EXPECT_EQ(caused(all, "synchronise"), 150);
  EXPECT_EQ(caused(all, "host"), 200);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].from, 0);  // the longest first, of equals the earliest
  EXPECT_EQ(all[0].event, find(trace, "data"));
  EXPECT_EQ(all[1].cause, "host");
  EXPECT_EQ(all[2].event, find(trace, "aten::mm"));
  EXPECT_EQ(all[3].event, find(trace, "cudaStreamSynchronize"));
}

TEST(Idle, ThreadsOfAutogradLaunchTooLoadersDont) {
  TraceBuilder b;
  const auto t = b.track("main"), autograd = b.track("autograd"), worker = b.track("worker"), stream = b.track("stream 7", 0);
  b.step(t, 0, 300);
  b.node(autograd, "MmBackward0", 0, 100);
  b.runtime(autograd, "cudaLaunchKernel", 50, 10, 1);
  b.loader(worker, 100, 200);
  b.op(worker, "aten::stack", 110, 180);
  b.runtime(worker, "cudaHostAlloc", 120, 50, 0);
  b.kernel(stream, "k", 100, 50, 1);
  const auto trace = b.build();
  const auto all = idle(trace);
  EXPECT_EQ(caused(all, "launch"), 100);
  EXPECT_EQ(caused(all, "host"), 150);
}

TEST(Idle, AGapBetweenTwoStepsIsSaidToBeOne) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.step(t, 0, 100);
  b.step(t, 300, 100);
  b.kernel(stream, "k", 0, 90);
  b.kernel(stream, "k", 310, 90);
  const auto trace = b.build();
  const auto all = idle(trace);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].cause, "between-steps");
  EXPECT_EQ(all[0].from, 90);
  EXPECT_EQ(all[0].to, 310);
}

TEST(Idle, OnlyTheLongestAreListedButAllAreSummed) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.step(t, 0, 1000);
  for (std::int64_t i = 0; i < 10; ++i) b.kernel(stream, "k", i * 100, 90 - i);
  const auto trace = b.build();
  std::int64_t total = 0;
  const auto all = idle(trace, &total, 2);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].to - all[0].from, 19);
  EXPECT_EQ(all[1].to - all[1].from, 18);
  EXPECT_EQ(total, 100 + 45);
}

TEST(Idle, WithoutADeviceItIsTheMainThreadInNoOperator) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.step(t, 0, 100);
  b.stage(t, Stage::Data, 0, 40);
  b.op(t, "aten::stack", 10, 20);
  b.stage(t, Stage::Forward, 40, 60);
  b.op(t, "aten::mm", 50, 30);
  b.step(t, 150, 100);
  b.stage(t, Stage::Forward, 150, 100);
  b.op(t, "aten::mm", 150, 100);
  const auto trace = b.build();
  std::int64_t total = 0;
  const auto all = idle(trace, &total);
  EXPECT_EQ(caused(all, "data"), 20);
  EXPECT_EQ(caused(all, "host"), 30);
  EXPECT_EQ(caused(all, "between-steps"), 50);
  EXPECT_EQ(total, 100);
  EXPECT_EQ(all[0].cause, "between-steps");
  EXPECT_EQ(all[0].event, -1);
}

TEST(Idle, ADeviceThatIsAlwaysBusyIsNeverIdle) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.step(t, 10, 100);
  b.kernel(stream, "k", 0, 200);
  const auto trace = b.build();
  std::int64_t total = 7;
  EXPECT_TRUE(idle(trace, &total).empty());
  EXPECT_EQ(total, 0);
}

TEST(Idle, AnEmptyTraceHasNone) {
  Trace trace;
  trace.finish();
  std::int64_t total = 7;
  EXPECT_TRUE(idle(trace, &total).empty());
  EXPECT_EQ(total, 0);
}

}  // namespace atelier::trace::testing
