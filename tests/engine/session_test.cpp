#include "core/engine/session/session.h"

#include <cmath>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "core/engine/session/plan.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

wire::RunSpec spec(const nlohmann::json& keys) {
  auto all = nlohmann::json{
      {"model", "mlp"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"batch", 32}, {"steps", 20}, {"warmup", 2},
      {"blocks", 5},    {"evaluate", false}};
  all.update(keys);
  auto parsed = wire::RunSpec::parse(*engineSchema(), all);
  EXPECT_TRUE(parsed.ok());
  return *parsed;
}

struct Ran {
  std::vector<wire::EventBody> events;
  std::vector<wire::RunSummary> summaries;
  std::optional<wire::RaceSummary> race;
  bool interrupted = false;
};

Ran run(const std::vector<wire::RunSpec>& specs, Control& control) {
  Ran ran;
  std::mutex mutex;
  std::vector<Variant> variants;
  for (const auto& one : specs) variants.push_back({"id", specs.size() == 1 ? "" : variants.empty() ? "a" : "b", one});
  Session session(variants, installedMemory(), control, [&](const std::string&, wire::EventBody body) {
    const std::lock_guard lock(mutex);
    ran.events.push_back(std::move(body));
  });
  EXPECT_TRUE(session.run().ok());
  ran.summaries = session.summaries("done");
  if (specs.size() > 1) ran.race = session.race(ran.summaries);
  ran.interrupted = session.interrupted();
  return ran;
}

Ran run(const nlohmann::json& keys) {
  Control control;
  return run({spec(keys)}, control);
}

double lastLoss(const Ran& ran) {
  return ran.summaries.front().loss.value();
}

}  // namespace

TEST(EngineSchema, DeclaresEachKeyOnceWithSoundDefaults) {
  const auto schema = engineSchema();
  ASSERT_TRUE(schema.ok());
  EXPECT_TRUE(wire::RunSpec::parse(*schema, wire::RunSpec::parse(*schema, nlohmann::json::object())->toJson()).ok());
}

TEST(Session, CountsMeasuredStepsAndSumsStagesToTheWall) {
  const auto ran = run({{"steps", 23}, {"warmup", 3}, {"blocks", 5}});
  const auto& summary = ran.summaries.front();
  EXPECT_EQ(summary.steps, 23);
  EXPECT_EQ(summary.samples, 23 * 32);
  EXPECT_EQ(summary.optimizer_steps, 23) << "warm-up trains too, but is not counted";
  EXPECT_EQ(summary.blocks, 5);
  const auto& s = summary.stages;
  EXPECT_GT(s.wall, 0);
  EXPECT_EQ(s.data + s.forward + s.backward + s.optimizer + s.other, s.wall);
  EXPECT_GE(s.other, 0);
  ASSERT_TRUE(summary.samples_per_second.has_value());
  EXPECT_LE(summary.samples_per_second->low, summary.samples_per_second->median);
  EXPECT_LE(*summary.step_p50, *summary.step_p99);
}

TEST(Session, MemoryByPhaseIsExact) {
  const auto memory = run({{"optimizer", "adam"}, {"fused", true}}).summaries.front().peak_memory_bytes;
  const std::int64_t weights = (3072 * 256 + 256 + 256 * 10 + 10) * 4;
  EXPECT_EQ(memory.weights, weights);
  EXPECT_EQ(memory.optimizer, 2 * weights + 4 * 4) << "two moments and a step counter a parameter";
  EXPECT_GE(memory.gradients, weights);
  EXPECT_EQ(memory.weights + memory.gradients + memory.optimizer + memory.activations + memory.other, memory.total);
}

TEST(Session, TheBudgetEndsTheRunAsOutOfMemory) {
  Control control;
  Session session({{"id", "", spec({{"memory_budget", "1MiB"}})}}, installedMemory(), control,
                  [](const std::string&, wire::EventBody) {});
  EXPECT_THROW((void)session.run(), c10::OutOfMemoryError);
  EXPECT_EQ(session.summaries("failed").front().status, "failed");
}

TEST(Session, TheSameSeedGivesTheSameLossWhateverTheWorkers) {
  const auto first = run({{"deterministic", true}, {"threads", 1}});
  const auto again = run({{"deterministic", true}, {"threads", 1}, {"workers", 3}});
  const auto other = run({{"deterministic", true}, {"threads", 1}, {"seed", 1}});
  EXPECT_EQ(lastLoss(first), lastLoss(again));
  EXPECT_NE(lastLoss(first), lastLoss(other));
}

TEST(Session, EvaluatesAtEpochEndsAndAtTheEnd) {
  const auto ran = run({{"epochs", 2}, {"evaluate", true}, {"batch", 512}, {"blocks", 2}, {"warmup", 0}});
  int epochs = 0;
  for (const auto& event : ran.events)
    if (const auto* epoch = std::get_if<wire::EpochDone>(&event)) {
      ++epochs;
      EXPECT_EQ(epoch->samples, 1024);
    }
  EXPECT_EQ(epochs, 2);
  EXPECT_EQ(ran.summaries.front().steps, 16);
  EXPECT_EQ(ran.summaries.front().epochs, 2);
  EXPECT_GT(ran.summaries.front().accuracy.value(), 0.3) << "chance is 0.1";
}

TEST(Session, ANonFiniteLossIsSaidAndKept) {
  const auto ran = run({{"optimizer", "sgd"}, {"learning_rate", 1000}, {"steps", 60}});
  bool noticed = false;
  for (const auto& event : ran.events)
    if (const auto* notice = std::get_if<wire::Noticed>(&event)) noticed = noticed || notice->message.id == "loss.not_finite";
  EXPECT_TRUE(noticed);
  EXPECT_FALSE(std::isfinite(lastLoss(ran)));
}

TEST(Session, ARaceInterleavesAndSeesNoDifferenceWithItself) {
  Control control;
  const auto ran = run({spec({{"steps", 40}, {"blocks", 8}}), spec({{"steps", 40}, {"blocks", 8}})}, control);
  ASSERT_TRUE(ran.race.has_value());
  EXPECT_TRUE(ran.race->verdict == "no-difference" || ran.race->verdict == "machine-busy") << ran.race->verdict;
  EXPECT_EQ(ran.race->pairs + ran.race->discarded_pairs, ran.summaries[0].blocks);
  EXPECT_EQ(ran.summaries[0].blocks, ran.summaries[1].blocks);
  EXPECT_EQ(ran.summaries[0].peak_memory_bytes.weights, ran.summaries[1].peak_memory_bytes.weights)
      << "each has its own account";
}

TEST(Session, StopsBetweenStepsAndKeepsWhatWasMeasured) {
  Control control;
  int blocks = 0;
  Session session({{"id", "", spec({{"steps", 1000000}, {"blocks", 1000}})}}, installedMemory(), control,
                  [&](const std::string&, const wire::EventBody& body) {
                    if (std::holds_alternative<wire::BlockDone>(body) && ++blocks == 2) control.stop();
                  });
  ASSERT_TRUE(session.run().ok());
  EXPECT_TRUE(session.interrupted());
  const auto summary = session.summaries("interrupted").front();
  EXPECT_EQ(summary.status, "interrupted");
  EXPECT_GE(summary.steps, 2000);
  EXPECT_LT(summary.steps, 4000);
}

TEST(Session, APauseIsTakenOffTheClock) {
  Control control;
  control.pause();
  std::thread resumer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    control.resume();
  });
  const auto ran = run({spec({{"warmup", 0}, {"blocks", 1}, {"steps", 3}, {"batch", 8}})}, control);
  resumer.join();
  EXPECT_LT(static_cast<double>(ran.summaries.front().stages.wall) * 1e-9, 0.6);
}

TEST(Session, TheNaiveStopwatchIsReadBesideTheHonestOne) {
  const auto naive = run({{"naive", true}}).summaries.front().naive;
  ASSERT_EQ(naive.size(), 4U);
  for (const auto& reading : naive) {
    EXPECT_TRUE(reading.kind == "no_synchronisation" ? reading.reason == "naive.needs_gpu" : reading.ratio.value() > 0)
        << reading.kind;
  }
}

TEST(Plan, SaysWhatCanNotBeHad) {
  DataCache cache;
  const auto plan = makePlan(spec({{"pinned", true}, {"threads", 999}}), cache);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->notices.size(), 2U);
  EXPECT_EQ(plan->notices[0].id, "data.pinned_without_gpu");
  EXPECT_EQ(plan->notices[1].id, "threads.oversubscribed");
  EXPECT_EQ(validate(spec({{"device", "gpu0"}})).error().code, wire::ExitCode::Usage);
  EXPECT_EQ(validate(spec({{"device", "cuda:99"}})).error().code, wire::ExitCode::NoDevice);
}

}  // namespace atelier::engine
