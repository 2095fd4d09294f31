// A probe's memory is a run's, and nothing of it stays.
#include "core/engine/session/memory_probe.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/engine/session/trainer.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

wire::RunSpec spec(const nlohmann::json& keys) {
  auto all = nlohmann::json{{"model", "cnn"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"threads", 1}, {"batch", 16}};
  all.update(keys);
  auto parsed = wire::RunSpec::parse(*engineSchema(), all);
  EXPECT_TRUE(parsed.ok()) << all;
  return *parsed;
}

// Data sets that tests read, once each.
DataCache& sharedData() {
  static DataCache cache;
  return cache;
}

StepMemory probed(const nlohmann::json& keys) {
  Control control;
  auto result = probeStep(spec(keys), sharedData(), installedMemory(), control);
  EXPECT_TRUE(result.ok()) << keys;
  return *result;
}

// Of some steps of a run.
wire::MemoryBytes trained(const nlohmann::json& keys, int steps) {
  installedMemory().use(installedMemory().newAccount(0));
  Trainer trainer(*makePlan(spec(keys), sharedData()), installedMemory());
  trainer.activate();
  for (int i = 0; i < steps; ++i) trainer.step();
  const auto peak = trainer.memory().peak();
  installedMemory().use(installedMemory().newAccount(0));
  return peak;
}

}  // namespace

TEST(MemoryProbe, ItsPeakIsARunsAndTheSameEveryTime) {
  for (const auto& keys : std::vector<nlohmann::json>{
           {{"optimizer", "adamw"}}, {{"accumulation", 3}}, {{"precision", "bf16"}, {"ema", 0.9}}, {{"mode", "infer"}}}) {
    const auto once = probed(keys), again = probed(keys);
    EXPECT_TRUE(once.fits);
    EXPECT_EQ(once.peak.total, again.peak.total) << keys;
    EXPECT_EQ(once.peak.total, trained(keys, 12).total) << keys << ": later steps need no more";
    EXPECT_EQ(once.left_bytes, 0) << keys;
  }
}

TEST(MemoryProbe, TheStagesHoldThePeak) {
  const auto found = probed(nlohmann::json::object());
  std::int64_t highest = 0;
  for (const auto& stage : found.stages) {
    EXPECT_GT(stage.total, 0);
    highest = std::max(highest, stage.total);
  }
  EXPECT_EQ(highest, found.peak.total);
  const auto& forward = found.stages[static_cast<std::size_t>(StepStage::Forward)];
  const auto& optimizer = found.stages[static_cast<std::size_t>(StepStage::Optimizer)];
  EXPECT_GT(forward.activations, 16 * 4 * 32 * 32 * 32) << "at least the first convolution's output";
  EXPECT_LT(optimizer.activations, forward.activations);
}

TEST(MemoryProbe, OutOfMemoryIsAnAnswerAfterWhichAllIsAsBefore) {
  const auto whole = probed(nlohmann::json::object()).peak.total;
  // In the optimizer, backward or forward; in the first step; and before there is a model at all.
  for (const auto budget : {whole - 1, whole * 3 / 4, whole / 2, std::int64_t{2} << 20, std::int64_t{1000}}) {
    const auto found = probed({{"memory_budget", budget}});
    EXPECT_FALSE(found.fits) << budget;
    EXPECT_NE(found.detail.find("memory budget"), std::string::npos) << found.detail;
    EXPECT_LE(found.peak.total, budget);
    EXPECT_EQ(found.left_bytes, 0) << budget;
    for (const auto& stage : found.stages) EXPECT_EQ(stage.total, 0) << "half a step says nothing of a whole one";
  }
  const auto large = at::empty({8 << 20}, at::kByte);
  EXPECT_EQ(large.nbytes(), 8U << 20) << "this thread is on no budget any more";
  const auto exact = probed({{"memory_budget", whole}});
  EXPECT_TRUE(exact.fits);
  EXPECT_EQ(exact.peak.total, whole);
}

TEST(MemoryProbe, BatchesThatWorkersHoldReadyAreThere) {
  const auto alone = probed(nlohmann::json::object()), loaded = probed({{"workers", 2}, {"prefetch", 3}});
  const std::int64_t batch = 16 * (3 * 32 * 32 * 4 + 8);
  EXPECT_EQ(loaded.peak.total, alone.peak.total + 6 * batch);
}

TEST(MemoryProbe, StatesToGoBackToAreThere) {
  const auto without = probed(nlohmann::json::object()), with = probed({{"rollback", 5}});
  const auto state = without.counted.weights + without.counted.optimizer;
  EXPECT_GE(with.kept.total, without.kept.total + 2 * state) << "a sound one, and one that waits";
}

TEST(MemoryProbe, AFloat16RunThatLeavesStepsOutIsProbedWithItsOptimizersState) {
  const auto found = probed({{"model", "mlp"}, {"precision", "fp16"}, {"scaler_initial_scale", 1e9}});
  EXPECT_TRUE(found.fits);
  EXPECT_EQ(found.kept.optimizer, found.counted.optimizer);
}

TEST(MemoryProbe, SentencesAreTheLongestWhateverTheirOrder) {
  const nlohmann::json keys{{"model", "transformer"}, {"data", "sentiment"}, {"length", 48}, {"batch", 4}};
  auto sorted = keys, other = keys;
  sorted["bucket"] = true;
  other["seed"] = 5;
  const auto found = probed(keys);
  EXPECT_EQ(found.peak.total, probed(sorted).peak.total);
  EXPECT_EQ(found.peak.total, probed(other).peak.total);
  EXPECT_LE(trained(keys, 6).total, found.peak.total);
  EXPECT_EQ(std::count(found.notices.begin(), found.notices.end(), wire::Message{"max_batch.longest"}), 1);
  const auto equal = probed({{"model", "transformer"}, {"data", "synthetic-tokens"}, {"length", 16}, {"batch", 4}});
  EXPECT_EQ(std::count(equal.notices.begin(), equal.notices.end(), wire::Message{"max_batch.longest"}), 0);
}

TEST(MemoryProbe, StopsBetweenSteps) {
  Control control;
  control.stop();
  const auto found = probeStep(spec(nlohmann::json::object()), sharedData(), installedMemory(), control);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->stopped);
  EXPECT_EQ(found->left_bytes, 0);
}

TEST(MemoryProbe, WhatNoSmallerBatchMendsIsAnError) {
  Control control;
  const auto found = probeStep(spec({{"batch", 5000}}), sharedData(), installedMemory(), control);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().messages.front().id, "spec.batch_too_large");
}

}  // namespace atelier::engine
