// Races of two to four variants, as a session runs them.
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "core/engine/session/plan.h"
#include "core/engine/session/session.h"
#include "installed_memory.h"

namespace atelier::engine {
namespace {

struct Raced {
  std::string order;  // the variants, as their blocks came
  std::vector<wire::RaceUpdated> updates;
  std::vector<wire::RunSummary> summaries;
  wire::RaceSummary race;
};

Variant variant(const std::string& name, const nlohmann::json& keys) {
  auto all = nlohmann::json{
      {"model", "mlp"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"batch", 16}, {"steps", 12}, {"warmup", 1},
      {"blocks", 4},    {"evaluate", false}};
  if (keys.is_object()) all.update(keys);  // {} is null here
  auto parsed = wire::RunSpec::parse(*engineSchema(), all);
  EXPECT_TRUE(parsed.ok());
  return {"id-" + name, name, *parsed};
}

Raced run(std::vector<Variant> variants, int stopAfter = 1000) {
  Raced raced;
  Control control;
  std::mutex mutex;
  Session session(std::move(variants), installedMemory(), control, [&](const std::string& name, const wire::EventBody& body) {
    const std::lock_guard lock(mutex);
    if (std::holds_alternative<wire::BlockDone>(body)) raced.order += name;
    if (const auto* update = std::get_if<wire::RaceUpdated>(&body)) {
      EXPECT_EQ(name, "") << "the race's state belongs to no variant";
      raced.updates.push_back(*update);
    }
    if (static_cast<int>(raced.order.size()) >= stopAfter) control.stop();
  });
  EXPECT_TRUE(session.run().ok());
  raced.summaries = session.summaries("interrupted");
  raced.race = session.race(raced.summaries);
  return raced;
}

}  // namespace

TEST(Race, FourVariantsRunInMirroredOrder) {
  const auto raced = run({variant("a", {}), variant("b", {}), variant("c", {{"batch", 32}}), variant("d", {{"threads", 1}})});
  ASSERT_GE(raced.order.size(), 16U);
  for (std::size_t i = 0; i + 8 <= raced.order.size(); i += 8) EXPECT_EQ(raced.order.substr(i, 8), "abcddcba");
  ASSERT_EQ(raced.race.others.size(), 2U);
  EXPECT_EQ(raced.race.others[0].variant, "c");
  EXPECT_EQ(raced.race.others[1].summary.id, "id-d");
  EXPECT_EQ(raced.race.a.id, "id-a");
  EXPECT_EQ(raced.race.b.id, "id-b");
  EXPECT_EQ(raced.race.planned_pairs, 4);
  EXPECT_FALSE(raced.race.stopped_early);
  for (const auto& comparison : raced.race.comparisons()) {
    EXPECT_EQ(comparison.pairs + comparison.discarded_pairs, comparison.summary.blocks) << comparison.variant;
    ASSERT_TRUE(comparison.ratio.has_value());
    EXPECT_GT(comparison.ratio->median, 0);
    EXPECT_FALSE(comparison.verdict.empty());
  }
}

TEST(Race, EachComparisonIsToldAfterEachRound) {
  const auto raced = run({variant("a", {}), variant("b", {}), variant("c", {})});
  const auto rounds = raced.order.size() / 3;
  ASSERT_EQ(raced.updates.size(), 2 * rounds);
  for (std::size_t i = 0; i < raced.updates.size(); ++i) {
    EXPECT_EQ(raced.updates[i].variant, i % 2 == 0 ? "b" : "c");
    EXPECT_EQ(raced.updates[i].pairs + raced.updates[i].discarded_pairs, static_cast<int>(i / 2 + 1));
    EXPECT_EQ(raced.updates[i].planned_pairs, 4);
  }
}

TEST(Race, TheShortestVariantSaysHowManyPairs) {
  const auto raced = run({variant("a", {{"blocks", 6}}), variant("b", {{"blocks", 2}}), variant("c", {})});
  EXPECT_EQ(raced.race.planned_pairs, 2);
}

// Whether the machine lets a race decide is its own affair; that it stops exactly then is ours.
TEST(Race, StopsWhenEveryComparisonIsDecidedAndNotBefore) {
  const nlohmann::json keys{{"steps", 40}, {"blocks", 40}, {"stop_when_decided", true}};
  auto faster = keys;
  faster["batch"] = 256;
  const auto raced = run({variant("a", keys), variant("b", faster)});
  ASSERT_FALSE(raced.updates.empty());
  for (std::size_t i = 0; i + 1 < raced.updates.size(); ++i) EXPECT_FALSE(raced.updates[i].decided) << i;
  const auto& last = raced.updates.back();
  EXPECT_EQ(raced.race.stopped_early, last.decided && last.pairs < last.planned_pairs);
  EXPECT_EQ(raced.race.pairs, last.pairs);
  if (raced.race.stopped_early) {
    EXPECT_GE(raced.race.pairs, 8);
    EXPECT_NE(raced.race.verdict, "machine-busy");
    EXPECT_EQ(raced.summaries[0].status, "done");
  }
}

TEST(Race, WithoutTheKeyItGoesItsWholeWay) {
  auto faster = nlohmann::json{{"steps", 12}, {"blocks", 12}};
  const auto a = variant("a", faster);
  faster["batch"] = 256;
  const auto raced = run({a, variant("b", faster)});
  EXPECT_FALSE(raced.race.stopped_early);
  EXPECT_TRUE(raced.race.pairs == 12 || raced.race.pairs + raced.race.discarded_pairs == 18);
}

TEST(Race, StoppedFromOutsideItKeepsItsWholeRounds) {
  const auto raced = run({variant("a", {}), variant("b", {}), variant("c", {})}, 4);
  EXPECT_EQ(raced.order, "abcc") << "one whole round, and the block at whose end it was stopped";
  EXPECT_EQ(raced.race.pairs + raced.race.discarded_pairs, 1);
  EXPECT_FALSE(raced.race.stopped_early);
  for (const auto& summary : raced.summaries) EXPECT_EQ(summary.status, "interrupted");
}

TEST(Race, AVariantThatCanNotBeHadIsAnErrorWithItsReason) {
  Control control;
  int started = 0;
  Session session({variant("a", {}), variant("b", {{"device", "gpu0"}})}, installedMemory(), control,
                  [&](const std::string&, const wire::EventBody& body) {
                    started += std::holds_alternative<wire::RunStarted>(body) ? 1 : 0;
                  });
  const auto status = session.run();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().messages.front().id, "device.unknown");
  EXPECT_EQ(started, 2) << "the run that failed exists, too";
  EXPECT_EQ(session.race(session.summaries("failed")).verdict, "machine-busy");
}

}  // namespace atelier::engine
