// Rules about a run on a GPU, whose time is the device's, and about traces that know nothing of the device.
#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

// Three steps of 10 ms on a GPU that computes for `busy` of them.
Case onDevice(double busy) {
  Case it;
  it.spec["device"] = "cuda:0";
  it.trace.device = "Some GPU";
  it.trace.tracks = {{"main thread", 1, 1, -1}, {"stream 7", 0, 7, 0}};
  it.steps(3, 10 * kMs, 0.3, 0.2, 0.2, 0.1);
  auto& breakdown = it.report.breakdown;
  breakdown.device_busy_ns = std::llround(busy * 30 * kMs);
  breakdown.device_idle_ns = 30 * kMs - breakdown.device_busy_ns;
  auto& row = it.row("aten::addmm", 0.02, 30);
  row.device_self_ns = row.device_total_ns = breakdown.device_busy_ns / 2;
  return it;
}

void idle(Case& it, const std::string& cause, std::int64_t ns) {
  Idle stretch;
  stretch.from = 0;
  stretch.to = ns;
  stretch.cause = cause;
  it.report.idle.push_back(stretch);
  it.report.idle_ns += ns;
}

// On the stream.
void work(Case& it, Kind kind, const std::string& name, std::int64_t start, std::int64_t duration) {
  it.event(kind, name, start, duration, Stage::None).track = 1;
}

Transfer waitFor(std::int32_t event, std::int32_t module) {
  Transfer transfer;
  transfer.kind = "item";
  transfer.event = event;
  transfer.module = module;
  transfer.stage = Stage::Forward;
  transfer.duration = 500 * kUs;
  return transfer;
}

}  // namespace

TEST(RuleInputBound, CountsOnADeviceItsIdlenessOnly) {
  auto hidden = onDevice(0.97);  // the host waits for data during 0.3 of a step, the device computes meanwhile
  idle(hidden, "data", kMs);
  EXPECT_FALSE(hidden.found("input_bound"));
  auto dry = onDevice(0.5);
  idle(dry, "data", 12 * kMs);
  idle(dry, "launch", 3 * kMs);
  const auto finding = dry.found("input_bound");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 0.4, 1e-9);
}

TEST(RuleInputBound, TakesTheStretchesLeftOutToBeLikeThoseListed) {
  auto it = onDevice(0.5);
  idle(it, "data", 4 * kMs);
  idle(it, "host", 4 * kMs);
  it.report.idle_ns = 15 * kMs;
  ASSERT_TRUE(it.found("input_bound"));
  EXPECT_NEAR(it.found("input_bound")->share, 0.25, 1e-9);
}

TEST(RuleTransferBound, SeesExposedCopiesAndPins) {
  auto it = onDevice(0.8);
  it.report.breakdown.copy_ns = 6 * kMs;
  work(it, Kind::Kernel, "gemm", 0, 18 * kMs);
  work(it, Kind::Copy, "Memcpy HtoD", 18 * kMs, 6 * kMs);
  const auto finding = it.found("transfer_bound");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 0.2, 1e-9);
  EXPECT_EQ(finding->fix.set, (std::map<std::string, nlohmann::json>{{"pinned", true}}));
  EXPECT_EQ(finding->events, std::vector<std::int32_t>{1});
  it.spec["pinned"] = true;
  EXPECT_TRUE(it.found("transfer_bound")->fix.set.empty());
}

TEST(RuleTransferBound, LetsCopiesBesideKernelsPass) {
  auto it = onDevice(0.99);
  it.report.breakdown.copy_ns = 6 * kMs;
  work(it, Kind::Kernel, "gemm", 0, 29 * kMs);
  EXPECT_FALSE(it.found("transfer_bound"));
}

TEST(RuleLaunchBound, SeesADeviceThatRunsDry) {
  auto it = onDevice(0.3);
  idle(it, "launch", 20 * kMs);
  const auto finding = it.found("launch_bound");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 2.0 / 3, 1e-6);
  EXPECT_EQ(finding->fix.set.at("batch"), 512);
  auto busy = onDevice(0.9);
  idle(busy, "launch", 3 * kMs);
  EXPECT_FALSE(busy.found("launch_bound"));
}

TEST(RuleSyncInLoop, NamesModuleOperatorAndCount) {
  auto it = onDevice(0.7);
  const auto head = it.module("head", "Linear");
  for (int step = 0; step < 3; ++step) {
    it.event(Kind::Operator, "aten::item", step * 10 * kMs, 500 * kUs, Stage::Forward);
    it.report.transfers.push_back(waitFor(step, head));
  }
  idle(it, "synchronise", 6 * kMs);
  const auto finding = it.found("sync_in_loop");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Warning);
  EXPECT_EQ(finding->modules, Names{"head"});
  EXPECT_EQ(finding->operators, Names{"aten::item"});
  EXPECT_EQ(finding->args.front().second, "1");
  EXPECT_NEAR(finding->share, 0.2, 1e-9);
  EXPECT_EQ(finding->evidence.front().id, "evidence.sync_in_module");
}

TEST(RuleSyncInLoop, LetsALossReadNowAndThenPass) {
  auto it = onDevice(0.9);
  it.event(Kind::Operator, "aten::item", 0, 500 * kUs, Stage::Other);
  it.report.transfers.push_back(waitFor(0, -1));
  EXPECT_FALSE(it.found("sync_in_loop"));
  // Two of them between the steps, after the last one's end: nobody's step waits.
  for (int i = 1; i < 3; ++i) {
    it.event(Kind::Operator, "aten::item", 0, 500 * kUs, Stage::None).step = -1;
    it.report.transfers.push_back(waitFor(i, -1));
  }
  EXPECT_FALSE(it.found("sync_in_loop"));
}

TEST(RuleSyncInLoop, IsAHabitToLoseOnACpu) {
  auto it = healthyCnn();
  for (int step = 0; step < 3; ++step) {
    it.event(Kind::Operator, "aten::item", step * 60 * kMs, 3 * kUs, Stage::Forward);
    it.report.transfers.push_back(waitFor(step, 0));
  }
  const auto finding = it.found("sync_in_loop");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Hint);
  EXPECT_EQ(finding->modules, Names{"1.0"});
  EXPECT_EQ(finding->evidence.back().id, "evidence.sync_on_cpu");
}

TEST(RuleChannelsLast, SeesReordersInATraceFromElsewhere) {
  auto it = onDevice(0.8);
  it.spec = nlohmann::json::object();
  auto& row = it.row("aten::cudnn_convolution", 0.01, 30);
  row.device_self_ns = 12 * kMs;
  EXPECT_FALSE(it.found("channels_last_missing"));
  KernelRow kernel;
  kernel.name = it.name("void cudnn::ops::nchwToNhwcKernel<float>");
  kernel.total_ns = 3 * kMs;
  it.report.kernels.push_back(kernel);
  const auto finding = it.found("channels_last_missing");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 0.4, 1e-9);
  EXPECT_TRUE(finding->fix.set.empty());
}

TEST(RuleUnfusedOptimizer, CountsOnADeviceItsKernels) {
  auto it = onDevice(0.9);
  for (int i = 0; i < 36; ++i) {
    it.event(Kind::Operator, "aten::_foreach_add_", i * 700 * kUs, 20 * kUs, Stage::Optimizer);
    it.report.times.device_self[static_cast<std::size_t>(i)] = 100 * kUs;
  }
  const auto finding = it.found("unfused_optimizer");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 3.6 / 30, 1e-9);
  for (auto& ns : it.report.times.device_self) ns = 20 * kUs;
  EXPECT_FALSE(it.found("unfused_optimizer"));  // a tenth of the host's time, which the device does not wait for
}

// Host times are those of launches: a network of large kernels would look like one of tiny operators.
TEST(Rules, SayNothingOfWorkThatWasNotTimed) {
  auto it = onDevice(0);
  it.report.operators.clear();
  it.row("aten::addmm", 0.3, 3000);
  it.row("aten::copy_", 0.3, 3000);
  it.report.breakdown.overhead_ns = 15 * kMs;
  it.bf16_over_fp32 = 4;
  it.channels_last_pays = true;
  for (int i = 0; i < 36; ++i) it.event(Kind::Operator, "aten::add_", i * 700 * kUs, 20 * kUs, Stage::Optimizer);
  EXPECT_EQ(it.rules(), Names{});
  // The same without a GPU's name: its launches give it away.
  it.trace.device.clear();
  it.trace.tracks.resize(1);
  it.spec = nlohmann::json::object();
  it.event(Kind::Runtime, "cudaLaunchKernel", 0, 5 * kUs, Stage::Forward);
  EXPECT_EQ(it.rules(), Names{});
}

}  // namespace atelier::trace
