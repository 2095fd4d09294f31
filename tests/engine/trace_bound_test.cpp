#include "core/engine/profile/trace_bound.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/trace/trace_builder.h"

namespace atelier::engine {
namespace {

using trace::Kind;

// Three steps of 1,000 ns with `operators` each, and an allocation in each operator.
trace::Trace threeSteps(int operators) {
  trace::testing::TraceBuilder builder;
  const auto track = builder.track("main thread");
  for (int step = 0; step < 3; ++step) {
    builder.step(track, step * 1000, 1000);
    for (int i = 0; i < operators; ++i) {
      builder.op(track, "aten::add", step * 1000 + 10 * i + 1, 5);
      builder.memory(track, step * 1000 + 10 * i + 2, 8, static_cast<std::uint64_t>(64 * (1 + step * operators + i)));
    }
  }
  return std::move(builder.trace());
}

std::int64_t steps(const trace::Trace& trace) {
  return std::count_if(trace.events.begin(), trace.events.end(), [](const auto& event) { return event.kind == Kind::Step; });
}

}  // namespace

TEST(TraceBound, ATraceWithinItIsLeftAsItIs) {
  auto trace = threeSteps(9);
  boundTrace(trace, 30);
  EXPECT_EQ(trace.events.size(), 30U);
  EXPECT_EQ(trace.events_cut, 0);
  EXPECT_EQ(trace.memory.size(), 27U);
  EXPECT_EQ(trace.memory_cut, 0);
}

TEST(TraceBound, WholeStepsGoFirstFromTheLast) {
  auto trace = threeSteps(9);
  boundTrace(trace, 29);
  EXPECT_EQ(steps(trace), 2);
  EXPECT_EQ(trace.events.size(), 20U);
  EXPECT_EQ(trace.events_cut, 10);
  EXPECT_EQ(trace.memory.size(), 18U) << "allocations go with their step";
  EXPECT_EQ(trace.memory_cut, 9);
  auto less = threeSteps(9);
  boundTrace(less, 19);
  EXPECT_EQ(steps(less), 1);
  EXPECT_EQ(less.events.size(), 10U);
}

TEST(TraceBound, OfOneStepTheLatestEventsGo) {
  auto trace = threeSteps(9);
  boundTrace(trace, 4);
  EXPECT_EQ(trace.events.size(), 4U);
  EXPECT_EQ(trace.events_cut, 26);
  EXPECT_EQ(steps(trace), 1);
  for (const auto& event : trace.events) EXPECT_LT(event.start, 31);
  trace.finish();
  EXPECT_EQ(trace.events.back().parent, 0);
}

// Kernels run behind the host: those of a step that is kept may begin when the next one has begun.
TEST(TraceBound, WhatRunsOnADeviceGoesWithItsLaunch) {
  trace::testing::TraceBuilder builder;
  const auto host = builder.track("main thread"), stream = builder.track("stream 7", 0);
  for (int step = 0; step < 2; ++step) {
    builder.step(host, step * 1000, 1000);
    builder.runtime(host, "cudaLaunchKernel", step * 1000 + 100, 10, step + 1);
    builder.kernel(stream, "gemm", step * 1000 + 1500, 200, step + 1);
  }
  auto trace = std::move(builder.trace());
  boundTrace(trace, 5);
  ASSERT_EQ(trace.events.size(), 3U);
  EXPECT_EQ(trace.events_cut, 3);
  EXPECT_EQ(trace.events.back().kind, Kind::Kernel);
  EXPECT_EQ(trace.events.back().start, 1500);
}

TEST(TraceBound, AllocationsAreBoundedOnTheirOwn) {
  auto trace = threeSteps(1);
  for (int i = 0; i < 20; ++i) trace.memory.push_back({5, 8, 4096, 0, -1, trace::Category::Other});
  boundTrace(trace, 6);
  EXPECT_EQ(trace.events.size(), 6U);
  EXPECT_EQ(trace.memory.size(), 6U);
  EXPECT_EQ(trace.memory_cut, 17);
  EXPECT_EQ(trace.memory.front().time, 2) << "the latest go";
}

TEST(TraceBound, AnEmptyTraceStaysEmpty) {
  trace::Trace trace;
  boundTrace(trace, 1);
  EXPECT_TRUE(trace.events.empty());
  EXPECT_EQ(trace.events_cut, 0);
}

}  // namespace atelier::engine
