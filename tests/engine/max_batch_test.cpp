// How the largest batch is searched, with made-up tries; and that the answer is one, with real ones.
#include "core/engine/session/max_batch.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/engine/session/session.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kFixed = 1000, kSample = 10;

// A step of 1,000 bytes and ten a sample.
StepMemory stepOf(std::int64_t batch, std::int64_t budget) {
  StepMemory step;
  step.counted.weights = kFixed;
  auto& forward = step.stages[static_cast<std::size_t>(StepStage::Forward)];
  forward.weights = kFixed;
  forward.activations = kSample * batch;
  forward.total = forward.weights + forward.activations;
  step.peak = forward;
  step.fits = forward.total <= budget;
  if (!step.fits) step.stages = {};
  return step;
}

struct Lane {
  std::vector<std::int64_t> batches{};
  ProbeBatch probe(std::int64_t budget) {
    return [this, budget](std::int64_t batch) -> wire::Result<StepMemory> {
      batches.push_back(batch);
      return stepOf(batch, budget);
    };
  }
};

wire::Result<BatchSearch> searched(Lane& lane, const BatchBounds& bounds, std::int64_t budget, bool told = true) {
  Control control;
  return searchBatch(bounds, told ? MemoryLimit{budget, "budget"} : MemoryLimit{0, "device"}, lane.probe(budget), control, {});
}

wire::RunSpec spec(const nlohmann::json& keys) {
  auto all = nlohmann::json{
      {"model", "cnn"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"threads", 1}, {"steps", 6}, {"warmup", 0},
      {"blocks", 1},    {"evaluate", false}};
  all.update(keys);
  auto parsed = wire::RunSpec::parse(*engineSchema(), all);
  EXPECT_TRUE(parsed.ok()) << all;
  return *parsed;
}

wire::Result<BatchSearch> found(const nlohmann::json& keys, std::int64_t multiple = 1, const BatchTried& tried = {}) {
  Control control;
  return findMaxBatch(spec(keys), multiple, installedMemory(), control, tried);
}

// Whether a run of that spec comes to its end.
bool trains(nlohmann::json keys, std::int64_t batch) {
  keys["batch"] = batch;
  Control control;
  Session session({{"id", "", spec(keys)}}, installedMemory(), control, [](const std::string&, const wire::EventBody&) {});
  bool ended = true;
  try {
    ended = session.run().ok();
  } catch (const c10::OutOfMemoryError&) {
    ended = false;
  }
  installedMemory().use(installedMemory().newAccount(0));
  return ended;
}

}  // namespace

TEST(MaxBatch, FindsTheAnswerWhateverItIs) {
  for (const bool told : {true, false})  // of the limit: a device's is not known
    for (std::int64_t answer = 1; answer <= 130; ++answer)
      for (const std::int64_t multiple : {1, 8}) {
        if (answer < multiple) continue;
        Lane lane;
        const auto search = searched(lane, {multiple, 1000}, kFixed + kSample * answer + 5, told);
        ASSERT_TRUE(search.ok());
        EXPECT_EQ(search->batch, answer / multiple * multiple);
        EXPECT_EQ(search->out_of_memory_at, answer / multiple * multiple + multiple);
        EXPECT_FALSE(search->interrupted);
        EXPECT_EQ(search->best().batch, search->batch);
        EXPECT_TRUE(search->best().fits);
        const std::set<std::int64_t> distinct(lane.batches.begin(), lane.batches.end());
        EXPECT_EQ(distinct.size(), lane.batches.size()) << "nothing is tried twice";
        for (const auto batch : lane.batches) EXPECT_EQ(batch % multiple, 0);
      }
}

TEST(MaxBatch, ThePredictionLeavesTwoTriesAfterTheDoubling) {
  Lane guided, blind;
  ASSERT_TRUE(searched(guided, {1, 1 << 20}, kFixed + kSample * 70000).ok());
  ASSERT_TRUE(searched(blind, {1, 1 << 20}, kFixed + kSample * 70000, false).ok());
  EXPECT_EQ(guided.batches.size(), 18U + 2U) << "1 … 131,072, then 70,000 and 70,001";
  EXPECT_EQ(blind.batches.size(), 18U + 16U);
}

TEST(MaxBatch, APredictionThatErrsCostsTriesButNotTheAnswer) {
  // From 64 samples on each takes three times as much, as when a kernel takes another way.
  const auto probe = [](std::int64_t batch) -> wire::Result<StepMemory> {
    return stepOf(batch <= 64 ? batch : 64 + 3 * (batch - 64), kFixed + kSample * 100);
  };
  Control control;
  const auto search = searchBatch({1, 4096}, {kFixed + kSample * 100, "budget"}, probe, control, {});
  ASSERT_TRUE(search.ok());
  EXPECT_EQ(search->batch, 64 + 12);
  EXPECT_EQ(search->out_of_memory_at, 64 + 13);
}

TEST(MaxBatch, PredictionsComeBeforeTheTryAndFromSmallerBatches) {
  Lane lane;
  const auto search = searched(lane, {1, 4096}, kFixed + kSample * 77);
  ASSERT_TRUE(search.ok());
  EXPECT_FALSE(search->tries[0].predicted.has_value());
  EXPECT_FALSE(search->tries[1].predicted.has_value());
  for (std::size_t i = 2; i < search->tries.size(); ++i)
    EXPECT_EQ(search->tries[i].predicted->total, kFixed + kSample * search->tries[i].batch);
  ASSERT_TRUE(search->forecast.has_value());
  EXPECT_EQ(search->forecast->bytes.total, search->best().peak.total);
  EXPECT_LT(search->forecast->from[1], search->batch);
}

TEST(MaxBatch, TheDataIsALimitToo) {
  Lane lane;
  const auto search = searched(lane, {8, 100}, 1 << 30);
  ASSERT_TRUE(search.ok());
  EXPECT_EQ(search->batch, 96);
  EXPECT_FALSE(search->out_of_memory_at.has_value());
  EXPECT_EQ(lane.batches, (std::vector<std::int64_t>{8, 16, 32, 64, 96}));
  Lane one;
  EXPECT_EQ(searched(one, {1, 1}, 1 << 30)->batch, 1);
}

TEST(MaxBatch, WhatHelpsIsSaidWhereNothingFits) {
  Lane lane;
  const auto samples = searched(lane, {500, 1000}, 2000);
  ASSERT_FALSE(samples.ok());
  EXPECT_EQ(samples.error().code, wire::ExitCode::OutOfMemory);
  ASSERT_EQ(samples.error().messages.size(), 2U);
  EXPECT_EQ(samples.error().messages[0].id, "max_batch.nothing_fits");
  EXPECT_EQ(samples.error().messages[1].id, "max_batch.samples_too_large");
  EXPECT_EQ(lane.batches, std::vector<std::int64_t>{500});
  const auto model = searched(lane, {1, 1000}, 1005);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().messages[1].id, "max_batch.model_too_large");
}

TEST(MaxBatch, StoppedItKnowsTheLargestThatFitSoFar) {
  Control control;
  Lane lane;
  const auto stop = [&](const BatchTry& one) {
    if (one.batch == 32) control.stop();
  };
  const auto search = searchBatch({1, 4096}, {1 << 20, "budget"}, lane.probe(1 << 20), control, stop);
  ASSERT_TRUE(search.ok());
  EXPECT_TRUE(search->interrupted);
  EXPECT_EQ(search->batch, 32);
  EXPECT_FALSE(search->out_of_memory_at.has_value());
  EXPECT_EQ(lane.batches.back(), 32);
  const auto never = searchBatch({1, 4096}, {1 << 20, "budget"}, lane.probe(1 << 20), control, {});
  ASSERT_TRUE(never.ok());
  EXPECT_EQ(never->batch, 0);
  EXPECT_TRUE(never->tries.empty());
}

TEST(MaxBatch, AnErrorOfATryEndsTheSearch) {
  Control control;
  const auto search = searchBatch({1, 64}, {1 << 20, "budget"},
                                  [](std::int64_t batch) -> wire::Result<StepMemory> {
                                    if (batch == 4)
                                      return wire::Error{wire::ExitCode::Failed, {"run.exception", {{"detail", "x"}}}};
                                    return stepOf(batch, 1 << 20);
                                  },
                                  control, {});
  ASSERT_FALSE(search.ok());
  EXPECT_EQ(search.error().messages.front().id, "run.exception");
}

TEST(MaxBatch, TheAnswerTrainsAndTheNextDoesNot) {
  for (const auto& keys : std::vector<nlohmann::json>{{{"memory_budget", "24MiB"}, {"optimizer", "adamw"}},
                                                      {{"memory_budget", "24MiB"}, {"accumulation", 2}},
                                                      {{"memory_budget", "16MiB"}, {"model", "mlp"}, {"optimizer", "sgd"}}}) {
    const auto search = found(keys);
    ASSERT_TRUE(search.ok()) << keys;
    EXPECT_GT(search->batch, 2) << keys;
    ASSERT_TRUE(search->out_of_memory_at.has_value()) << keys;
    EXPECT_EQ(*search->out_of_memory_at, search->batch + 1);
    EXPECT_TRUE(trains(keys, search->batch)) << keys << search->batch;
    EXPECT_FALSE(trains(keys, search->batch + 1)) << keys << search->batch + 1;
    EXPECT_LE(search->best().peak.total, search->limit.bytes);
    ASSERT_TRUE(search->forecast.has_value());
    const auto measured = static_cast<double>(search->best().peak.total);
    EXPECT_NEAR(static_cast<double>(search->forecast->bytes.total), measured, 0.15 * measured) << keys;
  }
}

TEST(MaxBatch, TheSameTriesEveryTimeAndAMultipleRoundsDown) {
  const nlohmann::json keys{{"memory_budget", "24MiB"}, {"optimizer", "sgd"}};
  const auto once = found(keys), again = found(keys), eights = found(keys, 8);
  ASSERT_TRUE(once.ok() && again.ok() && eights.ok());
  ASSERT_EQ(once->tries.size(), again->tries.size());
  for (std::size_t i = 0; i < once->tries.size(); ++i) {
    EXPECT_EQ(once->tries[i].batch, again->tries[i].batch);
    EXPECT_EQ(once->tries[i].peak.total, again->tries[i].peak.total);
  }
  EXPECT_EQ(eights->batch, once->batch / 8 * 8);
  EXPECT_EQ(eights->out_of_memory_at, eights->batch + 8);
}

TEST(MaxBatch, SmallerStepsMakeRoomForLargerBatches) {
  const auto batch = [](const nlohmann::json& more) {
    nlohmann::json keys{{"memory_budget", "24MiB"}};
    keys.update(more);
    const auto search = found(keys);
    EXPECT_TRUE(search.ok()) << keys;
    return search->batch;
  };
  const auto plain = batch(nlohmann::json::object());
  EXPECT_GT(batch({{"optimizer", "sgd"}, {"momentum", 0}}), plain);
  EXPECT_LT(batch({{"workers", 1}, {"prefetch", 4}}), plain) << "batches that wait take room";
  EXPECT_LT(batch({{"ema", 0.9}, {"evaluate", true}}), plain);
}

TEST(MaxBatch, CheckpointingMakesRoomForMoreSamples) {
  if (!engineSchema()->find("checkpointing")) GTEST_SKIP() << "this engine keeps all activations";
  nlohmann::json keys{{"model", "transformer"}, {"data", "synthetic-tokens"}, {"length", 32}, {"optimizer", "sgd"},
                      {"momentum", 0},          {"memory_budget", "112MiB"}};
  const auto whole = found(keys, 8);
  keys["checkpointing"] = "every:1";
  const auto less = found(keys, 8);
  ASSERT_TRUE(whole.ok() && less.ok());
  EXPECT_GE(static_cast<double>(less->batch), 1.5 * static_cast<double>(whole->batch));
  EXPECT_EQ(less->counted.total(), whole->counted.total()) << "only activations change";
}

TEST(MaxBatch, NothingFitsNothingIsLeftOver) {
  const auto search = found({{"memory_budget", "1MiB"}});
  ASSERT_FALSE(search.ok());
  EXPECT_EQ(search.error().code, wire::ExitCode::OutOfMemory);
  EXPECT_EQ(search.error().messages.back().id, "max_batch.model_too_large");
  const auto tensor = at::empty({4 << 20}, at::kByte);
  EXPECT_EQ(tensor.nbytes(), 4U << 20);
}

TEST(MaxBatch, WithoutABudgetTheMachineIsTheLimitAndThatIsSaid) {
  Control control;
  const auto search = findMaxBatch(spec({{"model", "mlp"}}), 64, installedMemory(), control, [&](const BatchTry& one) {
    if (one.batch >= 256) control.stop();
  });
  ASSERT_TRUE(search.ok());
  EXPECT_EQ(search->limit.source, "machine");
  EXPECT_GT(search->limit.bytes, 0);
  EXPECT_EQ(search->batch, 256);
  ASSERT_FALSE(search->notices.empty());
  EXPECT_EQ(search->notices.front().id, "max_batch.machine_limit");
}

TEST(MaxBatch, MistakesAreNamedBeforeAnythingIsTried) {
  bool tried = false;
  const auto noting = [&](const BatchTry&) { tried = true; };
  const auto multiple = found({{"memory_budget", "1GiB"}}, 5000, noting);
  ASSERT_FALSE(multiple.ok());
  EXPECT_EQ(multiple.error().messages.front().id, "max_batch.multiple");
  const auto data = found({{"data", "synthetic-tokens"}, {"memory_budget", "1GiB"}}, 1, noting);
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().messages.front().id, "spec.model_and_data");
  EXPECT_FALSE(tried);
}

}  // namespace atelier::engine
