#include "core/engine/profile/profiler.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/engine/monitor/gpu.h"
#include "core/trace/tables.h"
#include "core/trace/tree.h"
#include "profiled.h"

namespace atelier::engine {

using namespace profiled;
using trace::Category;
using trace::Event;
using trace::Kind;
using trace::Stage;

TEST(Profiler, KeepsTheActiveStepsWithTheirNumbersAndStages) {
  auto trainer = trainerOf();
  const auto [trace, notices, taken] = profile(trainer);
  EXPECT_EQ(taken, 5) << "wait 1, warm-up 1, active 3";
  std::vector<std::string> steps;
  for (const auto* step : eventsOf(trace, Kind::Step)) steps.push_back(trace.nameOf(*step));
  EXPECT_EQ(steps, (std::vector<std::string>{"step 2", "step 3", "step 4"}));
  for (const auto stage : {Stage::Data, Stage::Forward, Stage::Backward, Stage::Optimizer}) {
    const auto ranges = eventsOf(trace, trace::stageName(stage));
    EXPECT_EQ(ranges.size(), 3U) << trace::stageName(stage);
    for (const auto* range : ranges) EXPECT_EQ(range->stage, stage);
  }
  const auto first = std::min_element(trace.events.begin(), trace.events.end(),
                                      [](const auto& a, const auto& b) { return a.start < b.start; });
  ASSERT_NE(first, trace.events.end());
  EXPECT_EQ(first->start, 0);
  EXPECT_EQ(trace.tracks[static_cast<std::size_t>(first->track)].name, "main thread");
  EXPECT_FALSE(trace.hasDevice());
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(trace.events_cut, 0);
  EXPECT_EQ(trace.origin, "atelier");
  EXPECT_EQ(trace.title, "cnn, synthetic-images");
}

TEST(Profiler, StagesSumToTheWall) {
  auto trainer = trainerOf();
  const auto trace = profile(trainer).trace;
  const auto breakdown = trace::breakdownOf(trace, trace::timesOf(trace), trace::stepsSpan(trace));
  EXPECT_EQ(breakdown.steps, 3);
  EXPECT_GT(breakdown.wall_ns, 0);
  EXPECT_EQ(std::accumulate(std::begin(breakdown.stage_ns), std::end(breakdown.stage_ns), std::int64_t{0}), breakdown.wall_ns);
  EXPECT_GT(breakdown.stage_ns[static_cast<std::size_t>(Stage::Forward)], 0);
  EXPECT_GT(breakdown.stage_ns[static_cast<std::size_t>(Stage::Backward)], 0);
  EXPECT_GT(breakdown.operators_ns, 0);
  EXPECT_LE(breakdown.operators_ns, breakdown.wall_ns);
}

TEST(Profiler, OperatorsAndTheirBackwardNodesKnowTheirModule) {
  auto trainer = trainerOf();
  const auto trace = profile(trainer).trace;
  const std::set<std::string> convolutions{"0.0", "1.0"};
  EXPECT_EQ(modulesOf(trace, eventsOf(trace, "aten::conv2d")), convolutions);
  const auto nodes = eventsOf(trace, "autograd::engine::evaluate_function: ConvolutionBackward0");
  ASSERT_EQ(nodes.size(), 6U);
  EXPECT_EQ(modulesOf(trace, nodes), convolutions);
  for (const auto* node : nodes) {
    EXPECT_TRUE(node->backward);
    EXPECT_EQ(node->stage, Stage::Backward);
    EXPECT_GE(node->sequence, 0);
  }
  EXPECT_EQ(modulesOf(trace, eventsOf(trace, "aten::convolution_backward")), convolutions);
  for (const auto* forward : eventsOf(trace, "aten::conv2d")) EXPECT_FALSE(forward->backward);
  const auto modules = eventsOf(trace, Kind::Module);
  EXPECT_EQ(std::count_if(modules.begin(), modules.end(), [&](const Event* event) { return trace.nameOf(*event) == "1.0"; }),
            3);
  const auto root = modulesOf(trace, modules);
  EXPECT_TRUE(root.contains("")) << "the root";
  const auto first =
      std::find_if(trace.modules.begin(), trace.modules.end(), [](const auto& one) { return one.path == "0.0"; });
  ASSERT_NE(first, trace.modules.end());
  EXPECT_EQ(first->type, "Conv2d");
}

TEST(Profiler, RecordsShapesAndArgumentsAsPyTorchsTracesDo) {
  auto trainer = trainerOf();
  const auto trace = profile(trainer).trace;
  const auto convolutions = eventsOf(trace, "aten::conv2d");
  ASSERT_FALSE(convolutions.empty());
  const auto* detail = trace.detailOf(*convolutions.front());
  ASSERT_NE(detail, nullptr);
  ASSERT_EQ(detail->inputs.size(), 3U);
  EXPECT_EQ(detail->inputs[0].sizes, (std::vector<std::int64_t>{kBatch, 3, 32, 32}));
  EXPECT_EQ(detail->inputs[0].dtype, "float");
  EXPECT_EQ(detail->inputs[1].sizes, (std::vector<std::int64_t>{32, 3, 3, 3}));
  EXPECT_EQ(detail->scalars, (std::vector<std::string>{"[1, 1]", "[1, 1]", "[1]", "1"}));
  const auto losses = eventsOf(trace, "aten::cross_entropy_loss");
  ASSERT_FALSE(losses.empty());
  ASSERT_NE(trace.detailOf(*losses.front()), nullptr);
  EXPECT_EQ(trace.detailOf(*losses.front())->inputs[1].dtype, "long int");
  EXPECT_LT(trace.details.size(), trace.events.size() / 2) << "steps repeat themselves: details are shared";
}

TEST(Profiler, Bfloat16IsNamedAsInPyTorchsTraces) {
  auto trainer = trainerOf({{"precision", "bf16"}});
  const auto trace = profile(trainer).trace;
  std::set<std::string> dtypes;
  for (const auto* event : eventsOf(trace, "aten::convolution"))
    if (const auto* detail = trace.detailOf(*event); detail && !detail->inputs.empty()) dtypes.insert(detail->inputs[0].dtype);
  EXPECT_TRUE(dtypes.contains("c10::BFloat16"));
}

TEST(Profiler, AllocationsAreThoseOfTheAccountWithWhatTheyAreFor) {
  auto trainer = trainerOf();
  const auto trace = profile(trainer).trace;
  ASSERT_FALSE(trace.memory.empty());
  EXPECT_GT(trace.memory_at_start.bytes[static_cast<std::size_t>(Category::Weights)], 0);
  EXPECT_GT(trace.memory_at_start.bytes[static_cast<std::size_t>(Category::Optimizer)], 0) << "AdamW's moments";
  expectMemoryIsTheAccounts(trace, trainer);
  std::set<std::pair<Stage, Category>> made;
  for (const auto& one : trace.memory)
    if (one.bytes > 0 && one.event >= 0) made.insert({trace.events[static_cast<std::size_t>(one.event)].stage, one.category});
  EXPECT_TRUE(made.contains({Stage::Data, Category::Other}));
  EXPECT_TRUE(made.contains({Stage::Forward, Category::Activations}));
  EXPECT_TRUE(made.contains({Stage::Backward, Category::Gradients}));
  for (const auto& one : trace.memory) EXPECT_NE(one.category, Category::Unknown);
}

TEST(Profiler, WhatIsNotAskedForIsNotRecorded) {
  auto trainer = trainerOf();
  ProfileOptions options;
  options.shapes = options.memory = options.modules = false;
  const auto trace = profile(trainer, options).trace;
  EXPECT_EQ(eventsOf(trace, Kind::Step).size(), 3U);
  EXPECT_TRUE(trace.details.empty());
  EXPECT_TRUE(trace.memory.empty());
  EXPECT_TRUE(trace.modules.empty());
  EXPECT_TRUE(eventsOf(trace, Kind::Module).empty());
}

TEST(Profiler, BatchesOfLoaderWorkersHaveTheirOwnTrack) {
  auto trainer = trainerOf({{"workers", 1}, {"prefetch", 2}});
  ProfileOptions options;
  options.schedule.active = 8;
  const auto trace = profile(trainer, options).trace;
  const auto batches = eventsOf(trace, Kind::Loader);
  ASSERT_GE(batches.size(), 2U);
  const auto end = trace::stepsSpan(trace).to;
  std::int64_t last = 0;
  for (const auto* batch : batches) {
    EXPECT_EQ(trace.tracks[static_cast<std::size_t>(batch->track)].name, "loader worker 1");
    EXPECT_EQ(batch->stage, Stage::Data);
    EXPECT_GE(batch->start, last) << "one worker makes one batch at a time";
    EXPECT_GT(batch->duration, 0);
    last = batch->end();
  }
  EXPECT_LE(batches.back()->start, end);
  for (const auto& one : trace.memory) EXPECT_NE(one.category, Category::Unknown);
}

// pytorch/kineto 996: what runs on a device is seen whole, and joined to what started it.
TEST(Profiler, AGpusKernelsAreSeenAndJoinedToTheirLaunches) {
  if (gpuStatus().gpus.empty()) GTEST_SKIP() << "no GPU here: " << gpuStatus().reason.id;
  if (const auto loaded = loadCuda(); !loaded.ok()) GTEST_SKIP() << loaded.error().messages.front().id;
  auto trainer = trainerOf({{"device", "cuda:0"}});
  const auto [trace, notices, taken] = profile(trainer);
  ASSERT_TRUE(trace.hasDevice()) << (notices.empty() ? "" : notices.front().id);
  std::set<std::int64_t> launched;
  for (const auto* call : eventsOf(trace, Kind::Runtime)) launched.insert(call->correlation);
  const auto kernels = eventsOf(trace, Kind::Kernel);
  ASSERT_FALSE(kernels.empty());
  const auto joined = std::count_if(kernels.begin(), kernels.end(),
                                    [&](const Event* kernel) { return launched.contains(kernel->correlation); });
  EXPECT_EQ(static_cast<std::size_t>(joined), kernels.size());
  EXPECT_FALSE(trace.device.empty());
}

}  // namespace atelier::engine
