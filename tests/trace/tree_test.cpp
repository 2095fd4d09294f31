#include "core/trace/tree.h"

#include <numeric>

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace::testing {
namespace {

std::size_t at(const Trace& trace, std::string_view name) {
  return static_cast<std::size_t>(find(trace, name));
}

}  // namespace

TEST(Tree, SelfTimesOfSubMicrosecondOperatorsAreNeverNegativeAndSumToTheRoot) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "root", 1'000'000'100, 1999);
  b.op(t, "first", 1'000'000'150, 999);
  b.op(t, "inner", 1'000'000'151, 998);
  b.op(t, "second", 1'000'001'200, 899);
  const auto trace = b.build();
  const auto times = timesOf(trace);
  EXPECT_EQ(times.self[at(trace, "root")], 1999 - 999 - 899);
  EXPECT_EQ(times.self[at(trace, "first")], 1);
  EXPECT_EQ(times.self[at(trace, "inner")], 998);
  for (const auto self : times.self) EXPECT_GE(self, 0);
  EXPECT_EQ(std::accumulate(times.self.begin(), times.self.end(), std::int64_t{0}), 1999);
}

TEST(Tree, SelfTimesSumToTheRootWhenEventsCrossEachOther) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "root", 0, 1000);
  for (std::int64_t i = 0; i < 200; ++i) b.op(t, "op", i * 37 % 997, 1 + i * 61 % 450);
  const auto trace = b.build();
  const auto times = timesOf(trace);
  for (const auto self : times.self) EXPECT_GE(self, 0);
  EXPECT_EQ(std::accumulate(times.self.begin(), times.self.end(), std::int64_t{0}), 1000);
}

TEST(Tree, EachKernelIsChargedOnceToWhatLaunchedIt) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.op(t, "aten::linear", 0, 100);
  b.op(t, "aten::addmm", 10, 80);
  b.runtime(t, "cudaLaunchKernel", 20, 5, 1);
  b.runtime(t, "cudaLaunchKernel", 30, 5, 2);
  b.runtime(t, "cudaMemsetAsync", 95, 5, 3);  // by aten::linear itself
  b.kernel(stream, "gemm", 200, 70, 1);
  b.kernel(stream, "splitk", 270, 30, 2);
  b.kernel(stream, "memset", 300, 5, 3);
  b.kernel(stream, "of nobody", 400, 50, 9);
  const auto trace = b.build();
  const auto times = timesOf(trace);
  EXPECT_EQ(times.device_self[at(trace, "aten::addmm")], 100);
  EXPECT_EQ(times.device_total[at(trace, "aten::addmm")], 100);
  EXPECT_EQ(times.device_self[at(trace, "aten::linear")], 5);
  EXPECT_EQ(times.device_total[at(trace, "aten::linear")], 105);
  EXPECT_EQ(times.device_self[at(trace, "cudaLaunchKernel")], 0);
  EXPECT_EQ(std::accumulate(times.device_self.begin(), times.device_self.end(), std::int64_t{0}), 105);
}

TEST(Tree, AGraphsLaunchIsChargedWithAllItsKernels) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.runtime(t, "cudaGraphLaunch", 0, 10, 5);  // in no operator
  b.kernel(stream, "a", 20, 10, 5);
  b.kernel(stream, "b", 30, 10, 5);
  const auto trace = b.build();
  EXPECT_EQ(timesOf(trace).device_self[at(trace, "cudaGraphLaunch")], 20);
}

TEST(Tree, TheStepsSpanFromTheFirstBeginToTheLastEnd) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "before", 0, 10);
  b.step(t, 100, 50);
  b.step(t, 200, 70);
  const auto trace = b.build();
  const auto span = stepsSpan(trace);
  EXPECT_EQ(span.from, 100);
  EXPECT_EQ(span.to, 270);
  EXPECT_FALSE(span.has(eventOf(trace, "before")));
  EXPECT_TRUE(span.has(eventOf(trace, "step 1")));
}

TEST(Tree, WithoutStepsAllIsInTheSpan) {
  TraceBuilder b;
  b.op(b.track("main"), "op", 5, 10);
  const auto trace = b.build();
  const auto span = stepsSpan(trace);
  EXPECT_EQ(span.from, 0);
  EXPECT_EQ(span.to, INT64_MAX);
}

}  // namespace atelier::trace::testing
