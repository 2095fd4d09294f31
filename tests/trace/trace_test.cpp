#include "core/trace/trace.h"

#include <gtest/gtest.h>

#include "trace_builder.h"

namespace atelier::trace::testing {
namespace {

const std::string& parentName(const Trace& trace, std::string_view name) {
  static const std::string none = "none";
  const auto parent = eventOf(trace, name).parent;
  return parent < 0 ? none : trace.nameOf(trace.events[static_cast<std::size_t>(parent)]);
}

std::string moduleOf(const Trace& trace, std::string_view name) {
  const auto module = eventOf(trace, name).module;
  return module < 0 ? "none" : trace.modules[static_cast<std::size_t>(module)].path;
}

}  // namespace

TEST(Trace, NamesAndModulesAreKeptOnce) {
  Trace trace;
  EXPECT_EQ(trace.name("aten::mm"), 0);
  EXPECT_EQ(trace.name("aten::add"), 1);
  EXPECT_EQ(trace.name("aten::mm"), 0);
  EXPECT_EQ(trace.module("conv", "Conv2d"), 0);
  EXPECT_EQ(trace.module("conv", "ConvTranspose2d"), 1);  // another model of the same program
  EXPECT_EQ(trace.module("conv", "Conv2d"), 0);
  EXPECT_EQ(trace.modules[1].type, "ConvTranspose2d");
}

TEST(Trace, StagesHaveNamesThatReadBack) {
  for (const auto stage : {Stage::Data, Stage::Forward, Stage::Backward, Stage::Optimizer, Stage::Other})
    EXPECT_EQ(stageOf(stageName(stage)), stage);
  EXPECT_EQ(stageOf("Forward"), Stage::None);
  EXPECT_EQ(stageOf("none"), Stage::None);
  EXPECT_EQ(stageOf(""), Stage::None);
  EXPECT_EQ(categoryName(Category::Activations), "activations");
}

TEST(Trace, AnEmptyTraceFinishes) {
  Trace trace;
  trace.finish();
  EXPECT_TRUE(trace.events.empty());
  EXPECT_FALSE(trace.hasDevice());
}

TEST(Trace, EventsInAnyOrderAreSortedAndNested) {
  TraceBuilder b;
  const auto t = b.track("main"), u = b.track("other");
  b.op(t, "inner", 30, 10);
  b.op(u, "elsewhere", 30, 10);
  b.op(t, "outer", 0, 100);
  b.op(t, "middle", 20, 40);
  b.op(t, "after", 60, 40);
  const auto trace = b.build();
  std::vector<std::string> order;
  for (const auto& event : trace.events) order.push_back(trace.nameOf(event));
  EXPECT_EQ(order, (std::vector<std::string>{"outer", "middle", "inner", "after", "elsewhere"}));
  EXPECT_EQ(parentName(trace, "inner"), "middle");
  EXPECT_EQ(parentName(trace, "middle"), "outer");
  EXPECT_EQ(parentName(trace, "after"), "outer");
  EXPECT_EQ(parentName(trace, "elsewhere"), "none");
}

TEST(Trace, OperatorsShorterThanAMicrosecondKeepTheirPlaces) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "root", 1000, 900);
  b.op(t, "child", 1200, 500);
  b.op(t, "grandchild", 1300, 300);
  b.op(t, "sibling", 1700, 199);
  const auto trace = b.build();
  EXPECT_EQ(parentName(trace, "child"), "root");
  EXPECT_EQ(parentName(trace, "grandchild"), "child");
  EXPECT_EQ(parentName(trace, "sibling"), "root");
}

TEST(Trace, OfEventsThatTakeTheSameTimeTheRangeEnclosesTheOperator) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "op", 10, 10);
  b.range(t, "range", 10, 10);
  b.step(t, 10, 10);
  const auto trace = b.build();
  EXPECT_EQ(parentName(trace, "op"), "range");
  EXPECT_EQ(parentName(trace, "range"), "step 0");
}

TEST(Trace, AnEventThatOutlastsItsParentIsCutAtItsEnd) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "outer", 0, 100);
  b.op(t, "crosses", 50, 80);
  b.op(t, "within", 90, 60);
  b.op(t, "next", 100, 10);
  b.op(t, "negative", 300, -5);
  const auto trace = b.build();
  EXPECT_EQ(eventOf(trace, "crosses").duration, 50);
  EXPECT_EQ(eventOf(trace, "within").duration, 10);
  EXPECT_EQ(parentName(trace, "within"), "crosses");
  EXPECT_EQ(parentName(trace, "next"), "none");
  EXPECT_EQ(eventOf(trace, "negative").duration, 0);
}

TEST(Trace, PythonsFramesAreCutWhereAStepBegins) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.event(Kind::Python, t, "train.py: <module>", 0, 1000);
  b.event(Kind::Python, t, "profiler.py: step", 90, 20);
  b.event(Kind::Step, t, "ProfilerStep#3", 100, 300);
  b.op(t, "aten::mm", 150, 50);
  const auto trace = b.build();
  EXPECT_EQ(eventOf(trace, "ProfilerStep#3").duration, 300);
  EXPECT_EQ(eventOf(trace, "profiler.py: step").duration, 10);
  EXPECT_EQ(parentName(trace, "ProfilerStep#3"), "train.py: <module>");
  EXPECT_EQ(parentName(trace, "aten::mm"), "ProfilerStep#3");
}

TEST(Trace, KernelsThatOverlapAreNeitherNestedNorCut) {
  TraceBuilder b;
  const auto stream = b.track("stream 7", 0);
  b.kernel(stream, "first", 0, 100);
  b.kernel(stream, "second", 90, 50);
  const auto trace = b.build();
  EXPECT_TRUE(trace.hasDevice());
  EXPECT_EQ(eventOf(trace, "second").parent, -1);
  EXPECT_EQ(eventOf(trace, "second").duration, 50);
}

TEST(Trace, EqualDetailsAreKeptOnce) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "b", 20, 5, {{2, 3}}, "float", {"1"});
  b.op(t, "a", 0, 5, {{2, 3}}, "double");
  b.op(t, "c", 40, 5, {{2, 3}}, "float", {"1"});
  b.op(t, "d", 60, 5, {{2}, {3}}, "float", {"1"});
  const auto trace = b.build();
  ASSERT_EQ(trace.details.size(), 3U);
  EXPECT_EQ(trace.details[0].inputs[0].dtype, "double");  // in the order of the events
  EXPECT_EQ(eventOf(trace, "b").detail, eventOf(trace, "c").detail);
  EXPECT_EQ(trace.detailOf(eventOf(trace, "d"))->inputs.size(), 2U);
  EXPECT_EQ(trace.detailOf(eventOf(trace, "c"))->scalars, (std::vector<std::string>{"1"}));
}

TEST(Trace, StepsAreNumberedFromZeroAndReachOtherThreads) {
  TraceBuilder b;
  const auto t = b.track("main"), worker = b.track("worker");
  b.event(Kind::Step, t, "step 8", 300, 100);
  b.event(Kind::Step, t, "step 7", 100, 100);
  b.op(t, "in first", 150, 10);
  b.op(t, "in second", 310, 10);
  b.op(t, "between", 250, 10);
  b.loader(worker, 350, 500);
  const auto trace = b.build();
  EXPECT_EQ(eventOf(trace, "step 7").step, 0);
  EXPECT_EQ(eventOf(trace, "step 8").step, 1);
  EXPECT_EQ(eventOf(trace, "in first").step, 0);
  EXPECT_EQ(eventOf(trace, "in second").step, 1);
  EXPECT_EQ(eventOf(trace, "between").step, -1);
  EXPECT_EQ(eventOf(trace, "batch").step, 1);
}

TEST(Trace, StagesComeFromTheRangesThatMarkThem) {
  TraceBuilder b;
  const auto t = b.track("main"), worker = b.track("worker");
  b.step(t, 0, 100);
  b.stage(t, Stage::Data, 0, 20);
  b.op(t, "aten::stack", 5, 10);
  b.stage(t, Stage::Forward, 20, 30);
  b.range(t, "my block", 21, 20);
  b.op(t, "aten::mm", 25, 10);
  b.op(t, "aten::unmarked", 60, 10);
  b.stage(t, Stage::Optimizer, 80, 20);
  b.op(t, "aten::_fused_adamw_", 85, 10);
  b.loader(worker, 0, 90);
  const auto trace = b.build();
  EXPECT_EQ(eventOf(trace, "aten::stack").stage, Stage::Data);
  EXPECT_EQ(eventOf(trace, "my block").stage, Stage::Forward);
  EXPECT_EQ(eventOf(trace, "aten::mm").stage, Stage::Forward);
  EXPECT_EQ(eventOf(trace, "aten::unmarked").stage, Stage::None);
  EXPECT_EQ(eventOf(trace, "aten::_fused_adamw_").stage, Stage::Optimizer);
  EXPECT_EQ(eventOf(trace, "batch").stage, Stage::Data);
  EXPECT_EQ(eventOf(trace, "step 0").stage, Stage::None);
}

TEST(Trace, StagesOfPythonsTracesAreInferred) {
  TraceBuilder b;
  const auto t = b.track("main"), autograd = b.track("autograd");
  b.event(Kind::Step, t, "ProfilerStep#0", 0, 1000);
  b.range(t, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 100);
  b.op(t, "aten::stack", 20, 50);
  b.range(t, "Optimizer.zero_grad#AdamW.zero_grad", 120, 10);
  b.op(t, "aten::conv2d", 150, 100);
  b.node(autograd, "ConvolutionBackward0", 300, 100);
  b.op(autograd, "ConvolutionBackward0", 310, 80);
  b.runtime(autograd, "cudaEventRecord", 420, 5, 0);
  b.range(t, "Optimizer.step#AdamW.step", 500, 100);
  b.op(t, "aten::add_", 520, 50);
  b.op(t, "aten::outside", 2000, 10);
  const auto trace = b.build();
  EXPECT_EQ(eventOf(trace, "aten::stack").stage, Stage::Data);
  EXPECT_EQ(eventOf(trace, "Optimizer.zero_grad#AdamW.zero_grad").stage, Stage::Optimizer);
  EXPECT_EQ(eventOf(trace, "aten::conv2d").stage, Stage::Forward);
  EXPECT_FALSE(eventOf(trace, "aten::conv2d").backward);
  EXPECT_EQ(eventOf(trace, "ConvolutionBackward0").stage, Stage::Backward);
  EXPECT_TRUE(eventOf(trace, "ConvolutionBackward0").backward);
  EXPECT_EQ(eventOf(trace, "ConvolutionBackward0").step, 0);
  EXPECT_EQ(eventOf(trace, "cudaEventRecord").stage, Stage::Backward);  // all of autograd's thread is
  EXPECT_EQ(eventOf(trace, "aten::add_").stage, Stage::Optimizer);
  EXPECT_EQ(eventOf(trace, "aten::outside").stage, Stage::None);
}

TEST(Trace, AThreadThatRunsForwardAndBackwardIsNotAutogradsOwn) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.op(t, "aten::mm", 0, 10);
  b.node(t, "MmBackward0", 20, 10);
  const auto trace = b.build();
  EXPECT_EQ(eventOf(trace, "aten::mm").stage, Stage::None);
  EXPECT_EQ(trace.events[1].stage, Stage::Backward);
}

TEST(Trace, AnOperatorBelongsToTheInnermostModule) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.module(t, "", "Net", 0, 100);
  b.module(t, "features.0", "Conv2d", 10, 30);
  b.op(t, "aten::conv2d", 15, 20);
  b.op(t, "aten::convolution", 16, 10);
  b.op(t, "aten::flatten", 50, 10);
  b.op(t, "aten::nll_loss", 110, 10);
  const auto trace = b.build();
  EXPECT_EQ(moduleOf(trace, "aten::convolution"), "features.0");
  EXPECT_EQ(moduleOf(trace, "aten::flatten"), "");
  EXPECT_EQ(moduleOf(trace, "aten::nll_loss"), "none");
}

TEST(Trace, ANodeBelongsToTheModuleOfTheForwardOperatorWithItsNumber) {
  TraceBuilder b;
  const auto t = b.track("main"), autograd = b.track("autograd");
  b.op(t, "aten::select", 0, 5);  // was told the number that conv1's node got later
  b.last().sequence = 14;
  b.module(t, "conv1", "Conv2d", 10, 30);
  b.op(t, "aten::conv2d", 15, 20);
  b.last().sequence = 14;
  b.module(t, "conv2", "Conv2d", 50, 30);
  b.op(t, "aten::relu", 55, 20);
  b.last().sequence = 15;
  b.node(autograd, "ReluBackward0", 100, 10, 15);
  b.op(autograd, "aten::threshold_backward", 102, 5);
  b.node(autograd, "ConvolutionBackward0", 120, 30, 14);
  b.op(autograd, "ConvolutionBackward0", 121, 25);
  b.last().sequence = 14;
  b.op(autograd, "aten::convolution_backward", 122, 20);
  b.node(autograd, "torch::autograd::AccumulateGrad", 160, 10);
  b.op(t, "aten::conv_of_next_step", 300, 20);
  b.last().sequence = 14;
  const auto trace = b.build();
  EXPECT_EQ(moduleOf(trace, "aten::threshold_backward"), "conv2");
  EXPECT_EQ(moduleOf(trace, "ConvolutionBackward0"), "conv1");
  EXPECT_EQ(moduleOf(trace, "aten::convolution_backward"), "conv1");
  EXPECT_EQ(moduleOf(trace, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"), "none");
}

TEST(Trace, WhatIsRecomputedInTheBackwardPassHasNodesOfItsOwn) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.node(t, "CheckpointBackward", 100, 200);
  b.module(t, "block", "Block", 110, 50);
  b.op(t, "aten::mm", 120, 20);
  b.last().sequence = 40;
  b.node(t, "MmBackward0", 200, 50, 40);
  const auto trace = b.build();
  EXPECT_EQ(moduleOf(trace, "autograd::engine::evaluate_function: MmBackward0"), "block");
  EXPECT_TRUE(eventOf(trace, "aten::mm").backward);
}

TEST(Trace, PythonsModulesGetTheirPathsFromTheirNesting) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.event(Kind::Module, t, "nn.Module: Net_0", 0, 100);
  b.event(Kind::Python, t, "torch/nn/modules/module.py: _call_impl", 5, 90);
  b.event(Kind::Module, t, "nn.Module: Conv2d_1", 10, 50);
  b.op(t, "aten::conv2d", 20, 10);
  const auto trace = b.build();
  EXPECT_EQ(moduleOf(trace, "aten::conv2d"), "Net_0.Conv2d_1");
  EXPECT_EQ(trace.modules[static_cast<std::size_t>(eventOf(trace, "aten::conv2d").module)].type, "Conv2d");
}

TEST(Trace, WhatRunsOnADeviceBelongsWhereItWasLaunched) {
  TraceBuilder b;
  const auto t = b.track("main"), stream = b.track("stream 7", 0);
  b.step(t, 0, 100);
  b.stage(t, Stage::Forward, 0, 50);
  b.module(t, "fc", "Linear", 5, 40);
  b.op(t, "aten::addmm", 10, 20);
  b.runtime(t, "cudaLaunchKernel", 15, 5, 77);
  b.kernel(stream, "gemm", 500, 60, 77);  // long after its step
  b.kernel(stream, "stranger", 20, 10, 78);
  const auto trace = b.build();
  const auto& gemm = eventOf(trace, "gemm");
  EXPECT_EQ(gemm.step, 0);
  EXPECT_EQ(gemm.stage, Stage::Forward);
  EXPECT_EQ(moduleOf(trace, "gemm"), "fc");
  EXPECT_EQ(moduleOf(trace, "stranger"), "none");
  EXPECT_EQ(eventOf(trace, "stranger").step, 0);
}

TEST(Trace, AllocationsFindTheirEventAndCategory) {
  TraceBuilder b;
  const auto t = b.track("main");
  b.stage(t, Stage::Forward, 0, 50);
  b.op(t, "aten::mm", 10, 20);
  b.stage(t, Stage::Backward, 50, 50);
  b.memory(t, 60, 300, 0xb);
  b.memory(t, 15, 100, 0xa);
  b.memory(t, 40, 200, 0xc, Category::Weights);
  b.memory(t, 70, -100, 0xa);
  b.memory(t, 80, -50, 0xd);
  b.memory(t, 500, 10, 0xe);
  b.memory(99, 501, 10, 0xf);  // from a track that isn't there
  const auto trace = b.build();
  ASSERT_EQ(trace.memory.size(), 7U);
  EXPECT_EQ(trace.memory[0].time, 15);
  EXPECT_EQ(trace.memory[0].event, find(trace, "aten::mm"));
  EXPECT_EQ(trace.memory[0].category, Category::Activations);
  EXPECT_EQ(trace.memory[1].event, find(trace, "forward"));
  EXPECT_EQ(trace.memory[1].category, Category::Weights);
  EXPECT_EQ(trace.memory[2].category, Category::Gradients);
  EXPECT_EQ(trace.memory[3].category, Category::Activations);  // freed in the backward pass, made in the forward
  EXPECT_EQ(trace.memory[4].category, Category::Unknown);      // was there before
  EXPECT_EQ(trace.memory[5].event, -1);
  EXPECT_EQ(trace.memory[5].category, Category::Unknown);
  EXPECT_EQ(trace.memory[6].event, -1);
}

TEST(Trace, AHundredThousandEventsInOneAnotherAreNoTrouble) {
  TraceBuilder b;
  const auto t = b.track("main");
  constexpr std::int64_t kCount = 100'000;
  for (std::int64_t i = 0; i < kCount; ++i) b.op(t, "deep", i, 2 * (kCount - i));
  b.memory(t, kCount, 1, 1);
  const auto trace = b.build();
  for (std::size_t i = 1; i < trace.events.size(); ++i) ASSERT_EQ(trace.events[i].parent, static_cast<std::int32_t>(i) - 1);
  EXPECT_EQ(trace.memory[0].event, static_cast<std::int32_t>(kCount) - 1);
}

}  // namespace atelier::trace::testing
