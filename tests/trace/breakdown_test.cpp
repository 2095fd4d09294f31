#include <iterator>
#include <numeric>

#include <gtest/gtest.h>

#include "core/trace/tables.h"
#include "trace_builder.h"

namespace atelier::trace::testing {
namespace {

Breakdown breakdown(const Trace& trace) {
  return breakdownOf(trace, timesOf(trace), stepsSpan(trace));
}

std::int64_t stage(const Breakdown& breakdown, Stage stage) {
  return breakdown.stage_ns[static_cast<std::size_t>(stage)];
}

void expectSums(const Breakdown& breakdown) {
  EXPECT_EQ(std::accumulate(std::begin(breakdown.stage_ns), std::end(breakdown.stage_ns), std::int64_t{0}), breakdown.wall_ns);
}

}  // namespace

TEST(Breakdown, PartsSumToTheWallTimeOfTheSteps) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::before", 0, 50);
  for (const std::int64_t begin : {100, 300}) {
    b.step(t, begin, 150);
    b.stage(t, Stage::Data, begin + 5, 20);
    b.stage(t, Stage::Forward, begin + 25, 40);
    b.op(t, "aten::mm", begin + 30, 30);
    b.stage(t, Stage::Backward, begin + 70, 50);
    b.op(t, "aten::mm", begin + 75, 40);
    b.stage(t, Stage::Optimizer, begin + 120, 20);
  }
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.steps, 2);
  EXPECT_EQ(found.wall_ns, 300);
  EXPECT_EQ(found.step_ns, (std::vector<std::int64_t>{150, 150}));
  EXPECT_EQ(stage(found, Stage::Data), 40);
  EXPECT_EQ(stage(found, Stage::Forward), 80);
  EXPECT_EQ(stage(found, Stage::Backward), 100);
  EXPECT_EQ(stage(found, Stage::Optimizer), 40);
  EXPECT_EQ(stage(found, Stage::None), 40);
  expectSums(found);
  EXPECT_EQ(found.operators_ns, 140);
  EXPECT_EQ(found.overhead_ns, 40 + 20 + 20 + 40);
  EXPECT_EQ(found.device_busy_ns, 0);
  EXPECT_EQ(found.device_idle_ns, 0);  // no device: nothing is said of one
}

TEST(Breakdown, StepsInWhichNothingIsMarkedAreAllUnmarked) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.step(t, 0, 100);
  b.step(t, 100, 100);
  b.stage(t, Stage::Forward, 500, 100);  // after them
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.wall_ns, 200);
  EXPECT_EQ(stage(found, Stage::None), 200);
  expectSums(found);
}

TEST(Breakdown, AStageInAnotherIsNotCountedTwice) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.step(t, 0, 100);
  b.stage(t, Stage::Forward, 0, 80);
  b.stage(t, Stage::Data, 20, 30);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(stage(found, Stage::Forward), 50);
  EXPECT_EQ(stage(found, Stage::Data), 30);
  expectSums(found);
}

TEST(Breakdown, AStageThatReachesBeyondItsStepCountsInsideOnly) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.stage(t, Stage::Forward, 50, 250);
  b.step(t, 100, 100);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.wall_ns, 100);
  EXPECT_EQ(stage(found, Stage::Forward), 100);
  expectSums(found);
}

TEST(Breakdown, StepsThatOverlapTakeTheirTimeOnce) {
  TraceBuilder b;
  const auto t = b.track("main"), other = b.track("another's");
  b.step(t, 0, 100);
  b.step(other, 60, 100);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.wall_ns, 160);
  EXPECT_EQ(found.step_ns, (std::vector<std::int64_t>{100, 60}));
  expectSums(found);
}

TEST(Breakdown, WithoutStepsTheWholeTraceIsTold) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.stage(t, Stage::Forward, 100, 50);
  b.stage(t, Stage::Backward, 200, 70);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.steps, 0);
  EXPECT_EQ(found.wall_ns, 170);
  EXPECT_EQ(stage(found, Stage::None), 50);
  expectSums(found);
}

TEST(Breakdown, AnEmptyTraceHasNothing) {
  Trace trace;
  trace.finish();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.wall_ns, 0);
  expectSums(found);
}

TEST(Breakdown, TheMainThreadWaitsOnlyWhileAWorkerMakesABatch) {
  TraceBuilder b;
  const auto t = b.track("main"), worker = b.track("worker");
  b.step(t, 0, 200);
  b.stage(t, Stage::Data, 0, 100);
  b.op(t, "aten::to", 70, 30);  // works itself
  b.stage(t, Stage::Forward, 100, 100);
  b.loader(worker, 20, 60);   // [20, 80)
  b.loader(worker, 110, 50);  // nobody waits for this one
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.data_wait_ns, 50);
}

TEST(Breakdown, ALoaderOnTheMainThreadIsNoWait) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.step(t, 0, 200);
  b.stage(t, Stage::Data, 0, 100);
  b.loader(t, 10, 80);
  EXPECT_EQ(breakdown(b.build()).data_wait_ns, 0);
}

TEST(Breakdown, PythonsWorkerProcessesAreWaitedForUnseen) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.event(Kind::Step, t, "ProfilerStep#0", 0, 200);
  b.range(t, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 10, 90);
  b.op(t, "aten::set_", 80, 15);
  const auto trace = b.build();
  EXPECT_EQ(breakdown(trace).data_wait_ns, 75);
}

TEST(Breakdown, StagesOfPythonsTracesReachAcrossTheirGapsAndThreads) {
  TraceBuilder b;
  const auto t = b.track("main"), autograd = b.track("autograd");
  b.event(Kind::Step, t, "ProfilerStep#0", 0, 1000);
  b.event(Kind::Python, t, "train.py(3): step", 5, 900);
  b.range(t, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 90);
  b.op(t, "aten::conv2d", 120, 50);
  b.op(t, "aten::relu", 200, 50);
  b.node(autograd, "ReluBackward0", 300, 50);
  b.node(autograd, "ConvolutionBackward0", 400, 100);
  b.range(t, "Optimizer.step#AdamW.step", 600, 200);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(stage(found, Stage::Data), 90);
  EXPECT_EQ(stage(found, Stage::Forward), 130);   // 120 … 250, with the gap between the two operators
  EXPECT_EQ(stage(found, Stage::Backward), 200);  // 300 … 500, on the other thread
  EXPECT_EQ(stage(found, Stage::Optimizer), 200);
  EXPECT_EQ(stage(found, Stage::None), 380);
  expectSums(found);
  EXPECT_EQ(found.operators_ns, 100);
}

TEST(Breakdown, TheDeviceIsBusyOnceHoweverManyStreamsWork) {
  TraceBuilder b;
  const auto t = b.track("main"), s7 = b.track("stream 7", 0), s8 = b.track("stream 8", 0);
  b.step(t, 0, 100);
  b.synchronize(t, "cudaStreamSynchronize", 60, 30);
  b.kernel(s7, "gemm", 10, 40);
  b.kernel(s8, "other", 30, 40);                                  // [30, 70)
  b.copy(s8, "Memcpy HtoD (Pageable -> Device)", 90, 50, 0, 10);  // reaches beyond the step
  b.copy(s7, "Memcpy DtoD (Device -> Device)", 75, 5, 0, 10);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_EQ(found.device_busy_ns, 60 + 5 + 10);
  EXPECT_EQ(found.device_idle_ns, 25);
  EXPECT_EQ(found.copy_ns, 10);
  EXPECT_EQ(found.synchronise_ns, 30);
}

TEST(Breakdown, ADeviceOfWhichNothingWasSeenIsNotCalledIdle) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.track("stream 7", 0);
  b.step(t, 0, 100);
  const auto trace = b.build();
  const auto found = breakdown(trace);
  EXPECT_TRUE(trace.hasDevice());
  EXPECT_EQ(found.device_busy_ns, 0);
  EXPECT_EQ(found.device_idle_ns, 0);
}

}  // namespace atelier::trace::testing
