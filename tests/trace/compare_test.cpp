#include "core/trace/compare.h"

#include <string>

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace {
namespace {

using testing::TraceBuilder;

// `steps` steps of 1,000 ns with a matmul below a module, of `matmul` ns, and a backward one of 200 ns.
Trace training(int steps, std::int64_t matmul, std::string_view path = "fc") {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto start = step * 1000;
    builder.step(track, start, 1000);
    builder.module(track, path, "Linear", start + 100, matmul + 100);
    builder.op(track, "aten::addmm", start + 150, matmul);
    builder.last().sequence = step;
    builder.node(track, "AddmmBackward0", start + 700, 250, step);
    builder.op(track, "aten::addmm", start + 720, 200);
  }
  return builder.build();
}

const Change* changeOf(const Comparison& comparison, const std::string& module, const std::string& name,
                       bool backward = false) {
  for (const auto& change : comparison.changes)
    if (change.module == module && change.name == name && change.backward == backward) return &change;
  return nullptr;
}

}  // namespace

TEST(Compare, ATraceWithItselfHasNoDifference) {
  const auto trace = training(3, 400);
  const auto comparison = compareTraces(trace, trace);
  ASSERT_FALSE(comparison.changes.empty());
  EXPECT_DOUBLE_EQ(comparison.a_step_ns, 1000);
  EXPECT_DOUBLE_EQ(comparison.b_step_ns, 1000);
  for (const auto& change : comparison.changes) EXPECT_EQ(change.difference(), 0) << change.name;
}

TEST(Compare, AlignsByModuleOperatorAndPassAStep) {
  // Twice as many steps on one side: figures are a step's.
  const auto comparison = compareTraces(training(2, 400), training(4, 100));
  ASSERT_FALSE(comparison.changes.empty());
  EXPECT_EQ(comparison.changes[0].name, "aten::addmm");
  EXPECT_EQ(comparison.changes[0].module, "fc");
  EXPECT_FALSE(comparison.changes[0].backward);
  EXPECT_DOUBLE_EQ(comparison.changes[0].a_ns, 400);
  EXPECT_DOUBLE_EQ(comparison.changes[0].b_ns, 100);
  EXPECT_DOUBLE_EQ(comparison.changes[0].difference(), -300);
  EXPECT_DOUBLE_EQ(comparison.changes[0].a_calls, 1);
  EXPECT_DOUBLE_EQ(comparison.changes[0].b_calls, 1);
  const auto* backward = changeOf(comparison, "fc", "aten::addmm", true);
  ASSERT_TRUE(backward);
  EXPECT_DOUBLE_EQ(backward->a_ns, 200);
  EXPECT_DOUBLE_EQ(backward->difference(), 0);
}

TEST(Compare, WhatOnlyOneSideHasIsAllDifference) {
  const auto comparison = compareTraces(training(2, 400, "fc"), training(2, 300, "head"));
  const auto* gone = changeOf(comparison, "fc", "aten::addmm");
  const auto* come = changeOf(comparison, "head", "aten::addmm");
  ASSERT_TRUE(gone && come);
  EXPECT_DOUBLE_EQ(gone->difference(), -400);
  EXPECT_DOUBLE_EQ(come->difference(), 300);
  EXPECT_EQ(come->a_calls, 0);
}

TEST(Compare, WorkBesideTheStepDoesNotCount) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  const auto worker = builder.track("loader worker 0");
  builder.step(track, 0, 1000);
  builder.op(track, "aten::mm", 100, 300);
  builder.loader(worker, 0, 900);
  builder.op(worker, "aten::stack", 100, 500);
  builder.op(track, "aten::empty", 2000, 50);  // after the last step
  const auto trace = builder.build();
  const auto comparison = compareTraces(trace, trace);
  EXPECT_TRUE(changeOf(comparison, "", "aten::mm"));
  EXPECT_FALSE(changeOf(comparison, "", "aten::stack"));
  EXPECT_FALSE(changeOf(comparison, "", "aten::empty"));
}

TEST(Compare, OnDevicesTheDevicesTimeCounts) {
  const auto made = [](std::int64_t kernel) {
    TraceBuilder builder;
    const auto track = builder.track("main thread");
    const auto stream = builder.track("stream 7", 0);
    builder.step(track, 0, 1000);
    builder.op(track, "aten::mm", 100, 50);
    builder.runtime(track, "cudaLaunchKernel", 110, 20, 5);
    builder.kernel(stream, "gemm", 200, kernel, 5);
    return builder.build();
  };
  const auto comparison = compareTraces(made(400), made(250));
  const auto* change = changeOf(comparison, "", "aten::mm");
  ASSERT_TRUE(change);
  EXPECT_DOUBLE_EQ(change->a_ns, 400);
  EXPECT_DOUBLE_EQ(change->difference(), -150);
  // Against a trace without a device only the host's time can be compared.
  const auto mixed = compareTraces(made(400), training(1, 400));
  const auto* host = changeOf(mixed, "", "aten::mm");
  ASSERT_TRUE(host);
  EXPECT_DOUBLE_EQ(host->a_ns, 30);  // less what the launch took
}

TEST(Compare, WithoutStepsTheWholeIsOne) {
  TraceBuilder builder;
  builder.op(builder.track("main thread"), "aten::mm", 100, 300);
  const auto trace = builder.build();
  const auto comparison = compareTraces(trace, Trace{});
  EXPECT_DOUBLE_EQ(comparison.a_step_ns, 400);
  EXPECT_DOUBLE_EQ(comparison.b_step_ns, 0);
  ASSERT_EQ(comparison.changes.size(), 1U);
  EXPECT_DOUBLE_EQ(comparison.changes[0].difference(), -300);
}

}  // namespace atelier::trace
