// What is counted, what is foretold, and how near that comes to what is measured.
#include "core/engine/session/memory_model.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/engine/session/memory_probe.h"
#include "core/engine/session/trainer.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

using wire::MemoryBytes;

MemoryBytes bytes(std::int64_t weights, std::int64_t optimizer, std::int64_t activations) {
  return {weights + optimizer + activations, weights, 0, optimizer, activations, 0};
}

// A step whose optimizer needs 500 whatever the batch, and whose forward pass needs 140 + 20 a sample.
StagePeaks peaksAt(std::int64_t batch) {
  StagePeaks peaks{};
  peaks[static_cast<std::size_t>(StepStage::Forward)] = bytes(100, 0, 40 + 20 * batch);
  peaks[static_cast<std::size_t>(StepStage::Optimizer)] = bytes(100, 400, 0);
  return peaks;
}

wire::RunSpec spec(const nlohmann::json& keys) {
  auto all = nlohmann::json{{"model", "mlp"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"threads", 1}};
  all.update(keys);
  auto parsed = wire::RunSpec::parse(*engineSchema(), all);
  EXPECT_TRUE(parsed.ok()) << all;
  return *parsed;
}

StepMemory probed(const nlohmann::json& keys) {
  DataCache cache;
  Control control;
  auto result = probeStep(spec(keys), cache, installedMemory(), control);
  EXPECT_TRUE(result.ok()) << keys;
  return *result;
}

const std::vector<nlohmann::json>& nets() {
  static const std::vector<nlohmann::json> all{
      {{"model", "mlp"}}, {{"model", "cnn"}}, {{"model", "transformer"}, {"data", "synthetic-tokens"}, {"length", 16}}};
  return all;
}

nlohmann::json with(nlohmann::json keys, const nlohmann::json& more) {
  keys.update(more);
  return keys;
}

}  // namespace

TEST(MemoryModel, TwoBatchesMakeALineAndTheStageThatNeedsMostCounts) {
  MemoryModel model;
  EXPECT_FALSE(model.predict(100).has_value());
  model.add(2, peaksAt(2));
  EXPECT_FALSE(model.predict(100).has_value()) << "one point is no line";
  EXPECT_FALSE(model.largest(1 << 20).has_value());
  model.add(4, peaksAt(4));
  const auto small = model.predict(10), large = model.predict(100);
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->stage, StepStage::Optimizer);
  EXPECT_EQ(small->bytes.total, 500);
  EXPECT_EQ(large->stage, StepStage::Forward);
  EXPECT_EQ(large->bytes.total, 140 + 20 * 100);
  EXPECT_EQ(large->bytes.weights, 100);
  EXPECT_EQ(large->bytes.activations, 40 + 20 * 100);
  EXPECT_DOUBLE_EQ(large->line.total().constant, 140);
  EXPECT_DOUBLE_EQ(large->line.total().per_sample, 20);
  EXPECT_EQ(large->from[0], 2);
  EXPECT_EQ(large->from[1], 4);
  EXPECT_EQ(*model.largest(140 + 20 * 37), 37);
  EXPECT_EQ(*model.largest(140 + 20 * 37 - 1), 36);
  EXPECT_EQ(*model.largest(10), 0) << "nothing fits";
}

TEST(MemoryModel, NothingIsForetoldFromItselfOrFromLargerBatches) {
  MemoryModel model;
  model.add(8, peaksAt(8));
  model.add(16, peaksAt(16));
  EXPECT_FALSE(model.predict(16).has_value());
  EXPECT_FALSE(model.predict(3).has_value());
  EXPECT_EQ(model.predict(17)->from[1], 16);
  model.add(4, peaksAt(4));
  EXPECT_EQ(model.predict(16)->from[0], 4);
  EXPECT_EQ(model.predict(16)->from[1], 8);
}

TEST(MemoryModel, ALineGoesThroughBatchesThatLieApart) {
  MemoryModel model;
  for (const std::int64_t batch : {8, 16, 31, 32}) model.add(batch, peaksAt(batch));
  const auto forecast = model.predict(64);
  EXPECT_EQ(forecast->from[0], 16);
  EXPECT_EQ(forecast->from[1], 32);
  MemoryModel near;
  near.add(31, peaksAt(31));
  near.add(32, peaksAt(32));
  EXPECT_EQ(near.predict(64)->from[0], 31) << "there are no others";
}

TEST(MemoryModel, ForecastsAreWholeBytesThatSumUpAndNeverNegative) {
  MemoryModel model;
  StagePeaks small{}, large{};
  small[1] = bytes(100, 90, 10);
  large[1] = bytes(100, 10, 201);
  model.add(3, small);
  model.add(6, large);
  const auto forecast = model.predict(1000)->bytes;
  EXPECT_EQ(forecast.optimizer, 0);
  EXPECT_EQ(forecast.activations, std::llround(10 - 191 + 191.0 / 3 * 1000));
  EXPECT_EQ(forecast.weights + forecast.gradients + forecast.optimizer + forecast.activations + forecast.other, forecast.total);
}

TEST(MemoryModel, WhatIsCountedIsWhatStaysBetweenSteps) {
  const std::vector<nlohmann::json> ways{{{"optimizer", "adamw"}},
                                         {{"optimizer", "adam"}, {"fused", true}},
                                         {{"optimizer", "sgd"}},
                                         {{"optimizer", "sgd"}, {"momentum", 0}},
                                         {{"ema", 0.9}},
                                         {{"ema", 0.9}, {"evaluate", false}},
                                         {{"precision", "bf16"}, {"master_weights", true}},
                                         {{"precision", "bf16-pure"}, {"optimizer", "sgd"}},
                                         {{"accumulation", 3}}};
  for (const auto& net : nets())
    for (const auto& way : ways) {
      const auto keys = with(with(net, way), {{"batch", 4}});
      const auto found = probed(keys);
      EXPECT_EQ(found.counted.weights, found.kept.weights) << keys;
      EXPECT_EQ(found.counted.gradients, found.kept.gradients) << keys;
      EXPECT_EQ(found.counted.optimizer, found.kept.optimizer) << keys;
      EXPECT_EQ(found.kept.activations, 0) << keys;
      EXPECT_GT(found.counted.weights, 0) << keys;
    }
}

TEST(MemoryModel, InferenceKeepsWeightsAlone) {
  const auto found = probed({{"model", "cnn"}, {"mode", "infer"}, {"batch", 4}});
  EXPECT_EQ(found.counted.total(), found.counted.weights);
  EXPECT_EQ(found.counted.trained, 0);
  EXPECT_EQ(found.peak.optimizer, 0);
  EXPECT_GT(found.stages[static_cast<std::size_t>(StepStage::Forward)].activations, 0);
}

// From batches whose activations outweigh what a step holds in any case (below, other moments of a step make the peak).
TEST(MemoryModel, ForetellsALargerBatchWithinFifteenPercent) {
  for (const auto& net : nets())
    for (const auto& way :
         std::vector<nlohmann::json>{{}, {{"precision", "bf16"}}, {{"accumulation", 2}, {"optimizer", "sgd"}}}) {
      auto keys = way.is_object() ? with(net, way) : net;
      MemoryModel model;
      for (const int batch : {128, 192}) model.add(batch, probed(with(keys, {{"batch", batch}})).stages);
      const auto measured = probed(with(keys, {{"batch", 384}})).peak;
      const auto forecast = model.predict(384);
      ASSERT_TRUE(forecast.has_value());
      const auto error = static_cast<double>(forecast->bytes.total) / static_cast<double>(measured.total) - 1;
      EXPECT_LT(std::fabs(error), 0.15) << keys << ": " << forecast->bytes.total << " foretold, " << measured.total;
      EXPECT_EQ(forecast->bytes.weights, measured.weights) << keys;
    }
}

}  // namespace atelier::engine
