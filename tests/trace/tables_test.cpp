#include "core/trace/tables.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace::testing {
namespace {

constexpr Span kAll{};

const OperatorRow* rowOf(const Trace& trace, const std::vector<OperatorRow>& rows, std::string_view name,
                         std::string_view shapes = "") {
  for (const auto& row : rows)
    if (trace.names[static_cast<std::size_t>(row.name)] == name && row.shapes == shapes) return &row;
  return nullptr;
}

const ModuleRow* rowOf(const Trace& trace, const std::vector<ModuleRow>& rows, std::string_view path) {
  for (const auto& row : rows)
    if (row.module >= 0 && trace.modules[static_cast<std::size_t>(row.module)].path == path) return &row;
  return nullptr;
}

std::vector<OperatorRow> operators(const Trace& trace, GroupBy group = GroupBy::Name, Span span = kAll, Peaks peaks = {}) {
  return operatorTable(trace, timesOf(trace), costsOf(trace), peaks, span, group);
}

}  // namespace

TEST(OperatorTable, SumsCallsSelfAndTotalTimes) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::linear", 0, 100);
  b.op(t, "aten::addmm", 10, 60);
  b.op(t, "aten::addmm", 200, 40);
  b.range(t, "no operator", 300, 500);
  const auto trace = b.build();
  const auto rows = operators(trace);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(trace.names[static_cast<std::size_t>(rows[0].name)], "aten::addmm");  // most self time first
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].self_ns, 100);
  EXPECT_EQ(rows[0].total_ns, 100);
  EXPECT_EQ(rows[1].self_ns, 40);
  EXPECT_EQ(rows[1].total_ns, 100);
}

TEST(OperatorTable, AnOperatorThatCallsItselfTakesItsTimeOnce) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::copy_", 0, 100);
  b.op(t, "aten::to", 10, 80);
  b.op(t, "aten::copy_", 20, 50);
  const auto trace = b.build();
  const auto rows = operators(trace);
  const auto* copy = rowOf(trace, rows, "aten::copy_");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->calls, 2);
  EXPECT_EQ(copy->self_ns, 20 + 50);
  EXPECT_EQ(copy->total_ns, 100);
}

TEST(OperatorTable, TellsShapesApartWhenAsked) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::relu", 0, 10, {{128, 32}});
  b.op(t, "aten::relu", 20, 30, {{64}});
  b.op(t, "aten::relu", 60, 10, {{128, 32}}, "c10::BFloat16");
  b.op(t, "aten::relu", 80, 7);
  const auto trace = b.build();
  EXPECT_EQ(operators(trace).size(), 1U);
  const auto rows = operators(trace, GroupBy::NameAndShapes);
  ASSERT_EQ(rows.size(), 3U);
  ASSERT_NE(rowOf(trace, rows, "aten::relu", "[128, 32]"), nullptr);
  EXPECT_EQ(rowOf(trace, rows, "aten::relu", "[128, 32]")->calls, 2);
  EXPECT_EQ(rowOf(trace, rows, "aten::relu", "[64]")->self_ns, 30);
  EXPECT_EQ(rowOf(trace, rows, "aten::relu", "")->self_ns, 7);
}

TEST(OperatorTable, CountsOnlyWhatBeginsInTheSpan) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::mm", 0, 10);
  b.op(t, "aten::mm", 100, 10);
  b.op(t, "aten::mm", 200, 10);
  const auto trace = b.build();
  const auto rows = operators(trace, GroupBy::Name, {100, 200});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].calls, 1);
}

TEST(OperatorTable, RatesFollowFromShapesAndTime) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::mm", 0, 1000, {{100, 200}, {200, 50}});  // 2 · 100 · 50 · 200 = 2,000,000 in a microsecond
  b.op(t, "aten::unknown_to_all", 2000, 1000, {{100}});
  const auto trace = b.build();
  Peaks peaks;
  peaks.fp32_flops = 8e12;
  const auto rows = operators(trace, GroupBy::Name, kAll, peaks);
  const auto* mm = rowOf(trace, rows, "aten::mm");
  ASSERT_NE(mm, nullptr);
  EXPECT_DOUBLE_EQ(mm->flops, 2e6);
  EXPECT_DOUBLE_EQ(mm->flops_per_second, 2e12);
  EXPECT_DOUBLE_EQ(mm->peak_share, 0.25);
  EXPECT_EQ(mm->bytes, 4 * (100 * 200 + 200 * 50 + 100 * 50));
  EXPECT_EQ(rowOf(trace, rows, "aten::unknown_to_all")->flops_per_second, 0);
  const auto unmeasured = operators(trace);
  EXPECT_DOUBLE_EQ(rowOf(trace, unmeasured, "aten::mm")->flops_per_second, 2e12);
  EXPECT_EQ(rowOf(trace, unmeasured, "aten::mm")->peak_share, 0);
}

TEST(OperatorTable, OnADeviceTheDevicesTimeCounts) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.op(t, "aten::slow_to_call", 0, 500);
  b.op(t, "aten::mm", 600, 20, {{100, 200}, {200, 50}});
  b.runtime(t, "cudaLaunchKernel", 605, 5, 1);
  b.kernel(stream, "gemm", 700, 1000, 1);
  const auto trace = b.build();
  const auto rows = operators(trace);
  EXPECT_EQ(trace.names[static_cast<std::size_t>(rows[0].name)], "aten::mm");
  EXPECT_EQ(rows[0].device_self_ns, 1000);
  EXPECT_EQ(rows[0].device_total_ns, 1000);
  EXPECT_EQ(rows[0].self_ns, 15);
  EXPECT_DOUBLE_EQ(rows[0].flops_per_second, 2e12);
}

TEST(OperatorTable, TellsAllocationsAndTheModulesThatCalled) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.module(t, "small", "Linear", 0, 20);
  b.op(t, "aten::addmm", 5, 10);
  b.module(t, "large", "Linear", 100, 100);
  b.op(t, "aten::addmm", 110, 80);
  b.memory(t, 6, 100, 1);
  b.memory(t, 120, 200, 2);
  b.memory(t, 130, -100, 1);
  b.memory(t, 15, 1000, 3);  // by the module, not the operator
  const auto trace = b.build();
  const auto rows = operators(trace);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].allocated, 300);
  EXPECT_EQ(rows[0].allocations, 2);
  ASSERT_EQ(rows[0].modules.size(), 2U);
  EXPECT_EQ(trace.modules[static_cast<std::size_t>(rows[0].modules[0])].path, "large");
}

TEST(ModuleTable, TimesForwardSelfAndBackward) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.step(t, 0, 1000);
  b.stage(t, Stage::Forward, 0, 400);
  b.module(t, "", "Net", 0, 200);
  b.module(t, "conv", "Conv2d", 20, 100);
  b.op(t, "aten::conv2d", 30, 80);
  b.last().sequence = 3;
  b.op(t, "aten::nll_loss", 300, 50);
  b.stage(t, Stage::Backward, 400, 300);
  b.node(t, "ConvolutionBackward0", 410, 150, 3);
  b.op(t, "aten::convolution_backward", 420, 120);
  const auto trace = b.build();
  const auto rows = moduleTable(trace, timesOf(trace), costsOf(trace), kAll);
  const auto* conv = rowOf(trace, rows, "conv");
  const auto* root = rowOf(trace, rows, "");
  ASSERT_TRUE(conv && root);
  EXPECT_EQ(conv->calls, 1);
  EXPECT_EQ(conv->forward_ns, 100);
  EXPECT_EQ(conv->forward_self_ns, 100);
  EXPECT_EQ(conv->backward_ns, 150);
  EXPECT_EQ(root->forward_ns, 200);
  EXPECT_EQ(root->forward_self_ns, 100);
  EXPECT_EQ(root->backward_ns, 150);  // with that of what stands in it
  const auto outside = std::find_if(rows.begin(), rows.end(), [](const ModuleRow& row) { return row.module == -1; });
  ASSERT_NE(outside, rows.end());
  EXPECT_EQ(outside->forward_ns, 50);
}

TEST(ModuleTable, ARecomputedForwardIsTimeOfTheBackward) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.module(t, "block", "Block", 0, 50);
  b.node(t, "CheckpointBackward", 100, 100);
  b.module(t, "block", "Block", 110, 40);
  const auto trace = b.build();
  const auto rows = moduleTable(trace, timesOf(trace), costsOf(trace), kAll);
  const auto* block = rowOf(trace, rows, "block");
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->calls, 1);
  EXPECT_EQ(block->forward_ns, 50);
  EXPECT_EQ(block->backward_ns, 40);
}

TEST(ModuleTable, AModuleThatCallsItselfTakesItsTimeOnce) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.module(t, "cell", "Cell", 0, 100);
  b.module(t, "cell", "Cell", 10, 50);
  const auto trace = b.build();
  const auto rows = moduleTable(trace, timesOf(trace), costsOf(trace), kAll);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].forward_ns, 100);
  EXPECT_EQ(rows[0].forward_self_ns, 100);
}

TEST(ModuleTable, WorkOfInnerModulesIsTheOuterOnesToo) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.module(t, "net", "Net", 0, 100);
  b.module(t, "net.features.0", "Linear", 10, 50);  // there is no module "net.features" in the trace
  b.op(t, "aten::mm", 20, 30, {{2, 3}, {3, 4}});
  b.runtime(t, "cudaLaunchKernel", 25, 5, 1);
  b.memory(t, 22, 64, 1);
  b.kernel(stream, "gemm", 200, 70, 1);
  const auto trace = b.build();
  const auto rows = moduleTable(trace, timesOf(trace), costsOf(trace), kAll);
  const auto* net = rowOf(trace, rows, "net");
  ASSERT_NE(net, nullptr);
  EXPECT_EQ(net->device_ns, 70);
  EXPECT_DOUBLE_EQ(net->flops, 2.0 * 2 * 4 * 3);
  EXPECT_EQ(net->allocated, 64);
  EXPECT_EQ(rowOf(trace, rows, "net.features.0")->device_ns, 70);
}

TEST(KernelTable, SumsByNameAndDevice) {
  TraceBuilder b;
  const auto s7 = b.track("stream 7", 0), s8 = b.track("stream 8", 0), other = b.track("stream 7", 1);
  b.kernel(s7, "gemm", 0, 10);
  b.kernel(s8, "gemm", 0, 31);
  b.kernel(other, "gemm", 0, 5);
  b.copy(s7, "Memcpy HtoD (Pageable -> Device)", 50, 100, 0, 4096);
  const auto trace = b.build();
  const auto rows = kernelTable(trace, kAll);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].bytes, 4096);
  EXPECT_EQ(rows[1].calls, 2);
  EXPECT_EQ(rows[1].total_ns, 41);
  EXPECT_EQ(rows[1].mean_ns, 20);
  EXPECT_EQ(rows[1].min_ns, 10);
  EXPECT_EQ(rows[1].max_ns, 31);
  EXPECT_EQ(rows[2].device, 1);
}

TEST(KernelTable, IsEmptyWithoutADevice) {
  TraceBuilder b;
  b.op(b.track("main"), "aten::mm", 0, 10);
  EXPECT_TRUE(kernelTable(b.build(), kAll).empty());
}

}  // namespace atelier::trace::testing
