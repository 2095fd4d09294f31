#include "core/trace/memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace {
namespace {

using testing::TraceBuilder;

constexpr auto kActivations = Category::Activations;

std::int64_t of(const MemoryPoint& point, Category category) {
  return point.bytes[static_cast<std::size_t>(category)];
}

std::vector<std::int64_t> totals(const MemoryReport& report) {
  std::vector<std::int64_t> all;
  for (const auto& point : report.timeline) all.push_back(point.total());
  return all;
}

void startWith(TraceBuilder& builder, Category category, std::int64_t bytes) {
  builder.trace().memory_at_start.bytes[static_cast<std::size_t>(category)] = bytes;
}

}  // namespace

TEST(Memory, FollowsWhatIsLiveByCategory) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  startWith(builder, Category::Weights, 1000);
  builder.memory(track, 10, 400, 1, kActivations);
  builder.memory(track, 20, 100, 2, Category::Gradients);
  builder.memory(track, 30, -400, 1, kActivations);
  builder.memory(track, 40, 50, 3, Category::Optimizer);
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_EQ(totals(report), (std::vector<std::int64_t>{1000, 1400, 1500, 1100, 1150}));
  EXPECT_EQ(report.timeline.front().time, 0);
  EXPECT_EQ(report.timeline.back().time, 40);
  EXPECT_EQ(of(report.timeline.back(), Category::Weights), 1000);
  EXPECT_EQ(of(report.timeline.back(), kActivations), 0);
  EXPECT_EQ(of(report.timeline.back(), Category::Gradients), 100);
  EXPECT_EQ(of(report.timeline.back(), Category::Optimizer), 50);
  EXPECT_EQ(report.peak.time, 20);
  EXPECT_EQ(report.peak.total(), 1500);
  EXPECT_EQ(report.allocations, 3);
  EXPECT_EQ(report.allocated_bytes, 550);
}

TEST(Memory, SaysWhatWasAliveAtThePeak) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.module(track, "conv", "Conv2d", 0, 100);
  builder.op(track, "aten::mkldnn_convolution", 10, 50);
  builder.memory(track, 5, 10, 1, kActivations);    // freed before the peak
  builder.memory(track, 20, 400, 2, kActivations);  // by the convolution
  builder.memory(track, 25, -10, 1);
  builder.memory(track, 70, 600, 3, kActivations);
  builder.memory(track, 80, -400, 2);
  builder.memory(track, 90, 20, 4, kActivations);  // after the peak
  const auto trace = builder.build();
  const auto report = memoryReport(trace, -1);
  EXPECT_EQ(report.peak.total(), 1000);
  ASSERT_EQ(report.at_peak.size(), 2U);
  EXPECT_EQ(report.at_peak[0].bytes, 600);
  EXPECT_EQ(report.at_peak[0].until, -1);
  EXPECT_EQ(report.at_peak[1].bytes, 400);
  EXPECT_EQ(report.at_peak[1].since, 20);
  EXPECT_EQ(report.at_peak[1].until, 80);
  EXPECT_EQ(report.at_peak[1].event, testing::find(trace, "aten::mkldnn_convolution"));
  ASSERT_GE(report.at_peak[1].module, 0);
  EXPECT_EQ(trace.modules[static_cast<std::size_t>(report.at_peak[1].module)].path, "conv");
  EXPECT_EQ(memoryReport(trace, -1, 4000, 1).at_peak.size(), 1U);
}

TEST(Memory, WhatIsFreedFromBeforeTheTraceWasThereBefore) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.memory(track, 10, -300, 7);
  builder.memory(track, 20, 100, 8, kActivations);
  builder.memory(track, 30, -200, 9);
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_EQ(totals(report), (std::vector<std::int64_t>{500, 200, 300, 100}));
  EXPECT_EQ(of(report.timeline.front(), Category::Unknown), 500);
  EXPECT_EQ(of(report.timeline.back(), Category::Unknown), 0);
  EXPECT_EQ(report.peak.time, 0);
  EXPECT_TRUE(report.at_peak.empty());
}

TEST(Memory, FreesTakeFromTheAccountOfTheStartAndNeverBelowZero) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  startWith(builder, Category::Gradients, 100);
  startWith(builder, Category::Other, 40);
  builder.memory(track, 10, -60, 7, Category::Gradients);
  builder.memory(track, 20, -70, 8);  // nobody told of what: the rest of "other", then of the gradients
  builder.memory(track, 30, 5, 9, Category::Gradients);
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_EQ(totals(report), (std::vector<std::int64_t>{140, 80, 10, 15}));
  EXPECT_EQ(of(report.timeline[1], Category::Gradients), 40);
  EXPECT_EQ(of(report.timeline[2], Category::Gradients), 10);
  EXPECT_EQ(of(report.timeline[2], Category::Other), 0);
  for (const auto& point : report.timeline)
    for (const auto bytes : point.bytes) EXPECT_GE(bytes, 0);
}

TEST(Memory, AnAddressGivenOutAnewWasFreed) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.memory(track, 10, 100, 7, kActivations);
  builder.memory(track, 20, 30, 7, kActivations);
  builder.memory(track, 30, -30, 7);
  builder.memory(track, 40, -30, 7);  // twice: it was not there any more, so it is one of before
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_EQ(totals(report), (std::vector<std::int64_t>{30, 130, 60, 30, 0}));
}

TEST(Memory, DevicesAreCountedApart) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.track("stream 7", 0);
  startWith(builder, Category::Weights, 1000);
  builder.memory(track, 10, 400, 1, kActivations, 0);
  builder.memory(track, 20, 8, 1, Category::Other);
  const auto trace = builder.build();
  EXPECT_EQ(memoryReport(trace, 0).peak.total(), 1400);
  EXPECT_EQ(memoryReport(trace, -1).peak.total(), 8);
  EXPECT_EQ(memoryReport(trace, -1).allocations, 1);
  EXPECT_TRUE(memoryReport(trace, 1).timeline.empty());
}

TEST(Memory, ThinningKeepsSpikesTheEndsAndThePeak) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  // A saw of 10 bytes, 2,000 times, with one spike and one dip in it.
  builder.memory(track, 1, 50, 1, kActivations);
  for (std::int64_t i = 1; i <= 2000; ++i) {
    const auto address = static_cast<std::uint64_t>(i) + 10;
    builder.memory(track, i * 10, i == 777 ? 5000 : 10, address, kActivations);
    if (i == 1500) builder.memory(track, i * 10 + 1, -50, 1);
    if (i == 1500) builder.memory(track, i * 10 + 3, 50, 1, kActivations);
    builder.memory(track, i * 10 + 5, i == 777 ? -5000 : -10, address);
  }
  const auto trace = builder.build();
  const auto report = memoryReport(trace, -1, 100);
  EXPECT_LE(report.timeline.size(), 100U);
  EXPECT_GE(report.timeline.size(), 90U);
  EXPECT_EQ(report.peak.total(), 5050);
  EXPECT_EQ(report.timeline.front().total(), 0);
  EXPECT_EQ(report.timeline.back().time, 20'005);
  const auto all = totals(report);
  EXPECT_EQ(std::count(all.begin(), all.end(), 5050), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), 10), 1);  // the dip
  EXPECT_TRUE(std::is_sorted(report.timeline.begin(), report.timeline.end(),
                             [](const MemoryPoint& a, const MemoryPoint& b) { return a.time < b.time; }));
  for (const std::size_t few : {0U, 1U, 3U}) {
    const auto least = memoryReport(trace, -1, few);
    ASSERT_EQ(least.timeline.size(), 1U);
    EXPECT_EQ(least.timeline[0].total(), 5050);
  }
  EXPECT_LE(memoryReport(trace, -1, 4).timeline.size(), 4U);
}

TEST(Memory, ALeakIsTheMedianGrowthFromStepToStep) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  std::uint64_t address = 1;
  for (std::int64_t step = 0; step < 5; ++step) {
    builder.step(track, step * 100, 90);
    builder.memory(track, step * 100 + 10, 1000, address, kActivations);
    builder.memory(track, step * 100 + 80, -1000, address++);
    builder.memory(track, step * 100 + 20, 64, address++, kActivations);                          // kept
    if (step == 0) builder.memory(track, step * 100 + 30, 5000, address++, Category::Optimizer);  // made once
  }
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_EQ(report.growth_per_step, 64);
  EXPECT_DOUBLE_EQ(report.allocations_per_step, 11.0 / 5);
  EXPECT_DOUBLE_EQ(report.allocated_bytes_per_step, (5 * 1064 + 5000) / 5.0);
}

TEST(Memory, StepsThatGiveBackWhatTheyTakeDoNotLeak) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  for (std::int64_t step = 0; step < 4; ++step) {
    builder.step(track, step * 100, 100);
    builder.memory(track, step * 100 + 10, 1000, 1, kActivations);
    builder.memory(track, step * 100 + 80, -1000, 1);
  }
  EXPECT_EQ(memoryReport(builder.build(), -1).growth_per_step, 0);
}

TEST(Memory, NothingRecordedIsNothingSaid) {
  TraceBuilder builder;
  builder.step(builder.track("main thread"), 0, 100);
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_TRUE(report.timeline.empty());
  EXPECT_EQ(report.peak.total(), 0);
  EXPECT_EQ(report.allocations_per_step, 0);
  EXPECT_EQ(report.growth_per_step, 0);
}

TEST(Memory, HostileSizesStayInside) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.memory(track, 1, INT64_MAX, 1, kActivations);
  builder.memory(track, 2, INT64_MAX, 2, Category::Weights);
  builder.memory(track, 3, INT64_MIN, 3);
  builder.memory(track, 4, INT64_MIN, 1);
  builder.memory(track, 5, 0, 5);
  const auto report = memoryReport(builder.build(), -1);
  EXPECT_EQ(report.peak.total(), INT64_MAX);
  EXPECT_EQ(report.allocated_bytes, INT64_MAX);
  for (const auto& point : report.timeline)
    for (const auto bytes : point.bytes) EXPECT_GE(bytes, 0);
}

}  // namespace atelier::trace
