#include "core/trace/report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace {
namespace {

using nlohmann::json;
using testing::TraceBuilder;

// Two steps on a CPU: data 100, forward 300, backward 400, optimizer 150, and 50 between. The matmul of forward: 2 · 8 · 16 ·
// 32 FLOP.
Trace training() {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  for (std::int64_t step = 0; step < 2; ++step) {
    const auto start = step * 1000;
    builder.step(track, start, 1000);
    builder.stage(track, Stage::Data, start, 100);
    builder.stage(track, Stage::Forward, start + 100, 300);
    builder.module(track, "fc", "Linear", start + 110, 280);
    builder.op(track, "aten::mm", start + 120, 250, {{8, 32}, {32, 16}});
    builder.last().sequence = step;
    builder.stage(track, Stage::Backward, start + 400, 400);
    builder.node(track, "MmBackward0", start + 410, 350, step);
    builder.op(track, "aten::mm", start + 420, 300, {{32, 8}, {8, 16}});
    builder.stage(track, Stage::Optimizer, start + 800, 150);
    builder.memory(track, start + 130, 512, static_cast<std::uint64_t>(step) + 1);
  }
  builder.trace().events_cut = 3;
  builder.trace().memory_cut = 4;
  return builder.build();
}

Peaks peaks() {
  Peaks made;
  made.name = "test machine";
  made.cores = 2;
  made.fp32_flops = 100e9;
  made.bytes_per_second = 20e9;
  return made;
}

json written(const Trace& trace, std::size_t most = 200) {
  return toJson(trace, analyse(trace, peaks()), most);
}

}  // namespace

TEST(Report, HoldsWhatItsHeaderNames) {
  const auto all = written(training());
  for (const char* key : {"operators", "operators_by_shape", "modules", "kernels", "breakdown", "activity", "idle", "transfers",
                          "memory", "roofline", "peaks", "cut"})
    EXPECT_TRUE(all.contains(key)) << key;
  EXPECT_EQ(all["cut"], (json{{"events", 3}, {"memory", 4}}));
  EXPECT_EQ(all["peaks"]["name"], "test machine");
  EXPECT_EQ(all["peaks"]["fp32_flops"], 100e9);
}

TEST(Report, ThePartsOfTheBreakdownSumToItsWall) {
  const auto breakdown = written(training())["breakdown"];
  EXPECT_EQ(breakdown["steps"], 2);
  EXPECT_EQ(breakdown["wall_ns"], 2000);
  EXPECT_EQ(breakdown["data_ns"], 200);
  EXPECT_EQ(breakdown["forward_ns"], 600);
  EXPECT_EQ(breakdown["backward_ns"], 800);
  EXPECT_EQ(breakdown["optimizer_ns"], 300);
  EXPECT_EQ(breakdown["between_ns"], 100);
  std::int64_t sum = 0;
  for (const auto& [key, value] : breakdown.items())
    if (key.ends_with("_ns") && key != "wall_ns") sum += value.get<std::int64_t>();
  EXPECT_EQ(sum, 2000);
}

TEST(Report, OperatorsCarryTheirFigures) {
  const auto rows = written(training())["operators"];
  ASSERT_TRUE(rows.is_array());
  const auto row = std::find_if(rows.begin(), rows.end(), [](const json& one) { return one["name"] == "aten::mm"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ((*row)["shapes"], "");
  EXPECT_EQ((*row)["calls"], 4);
  EXPECT_EQ((*row)["calls_per_step"], 2.0);
  EXPECT_EQ((*row)["self_ns"], 1100);
  EXPECT_EQ((*row)["total_ns"], 1100);
  EXPECT_EQ((*row)["device_ns"], 0);
  EXPECT_TRUE((*row)["self_ns"].is_number_integer());
  // Twice forward and backward, 2 · 8 · 16 · 32 each; over 1,100 ns, of 100 GFLOP/s
  EXPECT_EQ((*row)["flops"], 4 * 8192);
  EXPECT_NEAR((*row)["flops_per_second"].get<double>(), 32768 / 1100e-9, 1);
  EXPECT_NEAR((*row)["peak_share"].get<double>(), 0.298, 0.001);
  EXPECT_EQ((*row)["bytes"], 2 * (256 + 512 + 128) * 4 + 2 * (256 + 128 + 512) * 4);
  EXPECT_EQ((*row)["allocated"], 1024);
  EXPECT_EQ((*row)["allocations"], 2);
  EXPECT_EQ((*row)["modules"], json::array({"fc"}));
}

TEST(Report, ModulesCarryTheirFigures) {
  const auto rows = written(training())["modules"];
  const auto row = std::find_if(rows.begin(), rows.end(), [](const json& one) { return one["path"] == "fc"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ((*row)["type"], "Linear");
  EXPECT_EQ((*row)["calls"], 2);
  EXPECT_EQ((*row)["forward_ns"], 560);
  EXPECT_EQ((*row)["backward_ns"], 700);
  EXPECT_EQ((*row)["flops"], 4 * 8192);
  EXPECT_TRUE((*row)["parameters"].is_null());
}

TEST(Report, MemoryHasItsTimelineInColumns) {
  const auto memory = written(training())["memory"];
  EXPECT_EQ(memory["timeline"]["time_ns"], json::array({0, 130, 1130}));
  EXPECT_EQ(memory["timeline"]["activations"], json::array({0, 512, 1024}));  // made in the forward pass
  EXPECT_EQ(memory["timeline"]["weights"], json::array({0, 0, 0}));
  EXPECT_EQ(memory["peak_bytes"]["total"], 1024);
  EXPECT_EQ(memory["peak_bytes"]["activations"], 1024);
  EXPECT_EQ(memory["growth_per_step"], 512);
  ASSERT_EQ(memory["at_peak"].size(), 2U);
  EXPECT_EQ(memory["at_peak"][0]["operator"], "aten::mm");
  EXPECT_EQ(memory["at_peak"][0]["module"], "fc");
  EXPECT_EQ(memory["at_peak"][0]["category"], "activations");
  EXPECT_TRUE(memory["at_peak"][0]["until_ns"].is_null());
}

TEST(Report, RooflineAndMemoryAreOfTheSameTrace) {
  const auto trace = training();
  const auto report = analyse(trace, peaks());
  ASSERT_FALSE(report.roofline.empty());
  EXPECT_EQ(trace.names[static_cast<std::size_t>(report.roofline[0].name)], "aten::mm");
  EXPECT_EQ(report.span.from, 0);
  EXPECT_EQ(report.span.to, 2000);
  EXPECT_EQ(report.times.self.size(), trace.events.size());
  EXPECT_EQ(report.memory.allocations, 2);
}

TEST(Report, WithADeviceItIsTheDevicesMemory) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  const auto stream = builder.track("stream 7", 1);
  builder.op(track, "aten::mm", 0, 100);
  builder.kernel(stream, "gemm", 10, 50);
  builder.memory(track, 10, 4096, 1, Category::Activations, 1);
  builder.memory(track, 20, 8, 2, Category::Other);
  EXPECT_EQ(analyse(builder.build(), {}).memory.peak.total(), 4096);
}

TEST(Report, TablesAreCutAtTheMost) {
  const auto all = written(training(), 1);
  for (const char* table : {"operators", "operators_by_shape", "modules", "idle", "roofline"})
    EXPECT_LE(all[table].size(), 1U) << table;
  EXPECT_EQ(all["operators"].size(), 1U);
  EXPECT_EQ(all["memory"]["at_peak"].size(), 1U);
}

TEST(Report, WhatIsNotFiniteIsNull) {
  const auto trace = training();
  auto report = analyse(trace, peaks());
  report.operators[0].flops = std::numeric_limits<double>::infinity();
  report.operators[0].flops_per_second = std::nan("");
  ASSERT_FALSE(report.roofline.empty());
  report.roofline[0].share = std::nan("");
  report.memory.allocations_per_step = std::numeric_limits<double>::infinity();
  const auto all = toJson(trace, report);
  EXPECT_TRUE(all["operators"][0]["flops"].is_null());
  EXPECT_TRUE(all["operators"][0]["flops_per_second"].is_null());
  EXPECT_TRUE(all["roofline"][0]["share"].is_null());
  EXPECT_TRUE(all["memory"]["allocations_per_step"].is_null());
}

TEST(Report, OfAnEmptyTraceSaysNothingAndFails) {
  Trace trace;
  trace.finish();
  const auto all = written(trace);
  EXPECT_TRUE(all["operators"].empty());
  EXPECT_TRUE(all["memory"]["timeline"]["time_ns"].empty());
  EXPECT_EQ(all["breakdown"]["steps"], 0);
}

TEST(OperatorsCsv, HasOneRowAnOperatorAndQuotesWhatItMust) {
  TraceBuilder builder;
  const auto track = builder.track("main thread");
  builder.module(track, "a", "Linear", 0, 50);
  builder.op(track, "aten::mm", 0, 40, {{8, 32}, {32, 16}});
  builder.module(track, "b", "Linear", 50, 50);
  builder.op(track, "aten::mm", 50, 30, {{8, 32}, {32, 16}});
  builder.op(track, "say \"mm\", twice", 100, 10);
  const auto trace = builder.build();
  const auto csv = operatorsCsv(trace, analyse(trace, {}).operators_by_shape);
  EXPECT_TRUE(csv.starts_with("name,shapes,calls,self_ns,total_ns,device_self_ns,device_total_ns,flops,"));
  EXPECT_NE(csv.find("\r\naten::mm,\"[8, 32] [32, 16]\",2,70,70,0,0,16384,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",a;b\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\r\n\"say \"\"mm\"\", twice\",,1,10,10,0,0,0,0,0,0,0,0,\r\n"), std::string::npos) << csv;
}

}  // namespace atelier::trace
