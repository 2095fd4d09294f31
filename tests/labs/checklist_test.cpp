// The check-list from records made up here: what counts as tried, what a gain is read from, what is offered next, and records
// that hold rubbish.
#include "labs/checklist.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/wire/catalog.h"

namespace atelier::lab {
namespace {

using nlohmann::json;
using Kind = ChecklistEvidence::Kind;

const json kDefaults{{"model", "cnn"}, {"batch", 128},        {"accumulation", 1},      {"workers", 0},    {"prefetch", 2},
                     {"seed", 0},      {"precision", "fp32"}, {"checkpointing", "off"}, {"mode", "train"}, {"profile", "off"}};

registry::RunRecord runOf(const std::string& id, const json& keys, double rate, std::int64_t peak = 1000) {
  registry::RunRecord run;
  run.id = id;
  run.spec = keys;
  run.summary.id = id;
  run.summary.samples_per_second = wire::Interval{rate, rate * 0.9, rate * 1.1, 10};
  run.summary.peak_memory_bytes.total = peak;
  run.summary.peak_memory_bytes.activations = peak / 2;
  run.summary.accuracy = 0.88;
  return run;
}

wire::RaceSummary raceOf(const registry::RunRecord& a, const registry::RunRecord& b, double ratio, const std::string& verdict) {
  wire::RaceSummary race{a.summary, b.summary, wire::Interval{ratio, ratio - 0.05, ratio + 0.05, 9}, verdict, true, 9, 1};
  return race;
}

// Newest first, as they are given.
struct Records {
  ChecklistSources sources;

  Records() { sources.defaults = kDefaults; }
  const registry::RunRecord& run(const std::string& id, const json& keys, double rate = 1000, std::int64_t peak = 1000) {
    sources.runs.push_back(runOf(id, keys, rate, peak));
    return sources.runs.back();
  }
  void race(const std::string& id, const std::string& a, const std::string& b, double ratio, const std::string& verdict) {
    sources.races[id] = raceOf(find(a), find(b), ratio, verdict);
  }
  const registry::RunRecord& find(const std::string& id) const {
    return *std::find_if(sources.runs.begin(), sources.runs.end(), [&](const auto& run) { return run.id == id; });
  }
  ChecklistEntry entry(const std::string& item) const {
    for (auto& entry : fillChecklist(sources).entries)
      if (entry.item->id == item) return entry;
    ADD_FAILURE() << item;
    return {};
  }
};

TEST(ChecklistTest, ItemsHaveTextsInBothLanguagesAndKeysThatTheirOfferChanges) {
  std::set<std::string> ids;
  for (const auto& item : checklistItems()) {
    EXPECT_TRUE(ids.insert(item.id).second) << item.id;
    for (const char* language : {"en", "fr"})
      for (const auto& text : {item.title, item.brings, item.next})
        EXPECT_TRUE(wire::Catalog::builtIn(language).has(text)) << text;
    EXPECT_FALSE(item.on(kDefaults)) << item.id;
    auto with = kDefaults;
    const auto offer = item.offer(kDefaults);
    with.update(offer);
    EXPECT_TRUE(item.on(with)) << item.id;
    for (const auto& [key, value] : offer.items())
      EXPECT_NE(std::find(item.keys.begin(), item.keys.end(), key), item.keys.end()) << item.id << " " << key;
  }
  EXPECT_EQ(checklistItems().front().id, "profiler");
}

TEST(ChecklistTest, WithoutRecordsNothingWasTriedAndTheOffersBeginAtTheDefaults) {
  const auto list = fillChecklist({});
  EXPECT_EQ(list.entries.size(), checklistItems().size());
  EXPECT_EQ(list.tried(), 0);
  EXPECT_FALSE(list.product());
  for (const auto& entry : list.entries) {
    EXPECT_FALSE(entry.best);
    EXPECT_TRUE(entry.base.empty());
    EXPECT_FALSE(entry.offer.empty());
  }
}

TEST(ChecklistTest, AProfiledRunIsAllThatTheProfilerAsksFor) {
  Records records;
  records.run("r2", {{"profile", "on"}});
  records.run("r1", {{"profile", "wait=1"}});
  records.run("r0", {});
  const auto entry = records.entry("profiler");
  ASSERT_TRUE(entry.best);
  EXPECT_EQ(entry.best->kind, Kind::Used);
  EXPECT_EQ(entry.best->with, "r2");
  EXPECT_FALSE(entry.best->ratio);
  EXPECT_EQ(entry.runs, 2);
  // What is slowed down by the profiler is no base for a race.
  EXPECT_EQ(records.entry("precision").base, "r0");
}

TEST(ChecklistTest, ARaceInWhichNothingElseChangedIsAMeasuredGain) {
  Records records;
  records.run("b", {{"precision", "bf16"}, {"seed", 3}}, 2000, 600);
  records.run("a", {}, 1000, 1000);
  records.race("race", "a", "b", 2.0, "faster");
  const auto entry = records.entry("precision");
  ASSERT_TRUE(entry.best);
  EXPECT_EQ(entry.best->kind, Kind::Raced);
  EXPECT_EQ(entry.best->race, "race");
  EXPECT_DOUBLE_EQ(entry.best->ratio->median, 2.0);
  EXPECT_DOUBLE_EQ(entry.best->ratio->low, 1.95);
  EXPECT_EQ(entry.best->verdict, "faster");
  EXPECT_DOUBLE_EQ(*entry.best->memory, 0.6);
  EXPECT_DOUBLE_EQ(*entry.best->activations, 0.6);
  EXPECT_EQ(entry.best->same_quality, std::optional(true));
  EXPECT_EQ(entry.best->change.value("precision", ""), "bf16");
  EXPECT_EQ(entry.races, 1);
  const auto list = fillChecklist(records.sources);
  EXPECT_EQ(list.tried(), 1);
  EXPECT_DOUBLE_EQ(*list.product(), 2.0);
}

TEST(ChecklistTest, AVariantAThatHasItIsTurnedRound) {
  Records records;
  records.run("b", {}, 1000, 1000);
  records.run("a", {{"workers", 2}}, 1250, 1000);
  records.race("race", "a", "b", 0.8, "slower");
  const auto best = records.entry("loader").best;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->with, "a");
  EXPECT_EQ(best->without, "b");
  EXPECT_DOUBLE_EQ(best->ratio->median, 1.25);
  EXPECT_DOUBLE_EQ(best->ratio->low, 1 / 0.85);
  EXPECT_DOUBLE_EQ(best->ratio->high, 1 / 0.75);
  EXPECT_EQ(best->verdict, "faster");
}

TEST(ChecklistTest, WhatOtherThingsChangedWithIsNoGainOfTheItem) {
  Records records;
  records.run("b", {{"precision", "bf16"}, {"batch", 256}}, 2000);
  records.run("a", {}, 1000);
  records.race("race", "a", "b", 2.0, "faster");
  EXPECT_EQ(records.entry("precision").best->kind, Kind::Together);
  EXPECT_FALSE(fillChecklist(records.sources).product());
  // Two workers against four tell nothing of workers against none.
  Records tuned;
  tuned.run("b", {{"workers", 4}}, 2000);
  tuned.run("a", {{"workers", 2}}, 1000);
  tuned.race("race", "a", "b", 2.0, "faster");
  EXPECT_EQ(tuned.entry("loader").best->kind, Kind::Used);
  EXPECT_EQ(tuned.entry("loader").races, 0);
}

TEST(ChecklistTest, ADecidedRaceStandsBeforeANewerOneThatWasDisturbed) {
  Records records;
  records.run("d", {{"precision", "bf16"}}, 900);
  records.run("c", {}, 1000);
  records.run("b", {{"precision", "bf16"}}, 2000);
  records.run("a", {}, 1000);
  records.race("20261130-1", "a", "b", 2.0, "faster");
  records.race("20261130-2", "c", "d", 0.9, "machine-busy");
  EXPECT_EQ(records.entry("precision").best->race, "20261130-1");
  EXPECT_EQ(records.entry("precision").races, 2);
  records.race("20261130-2", "c", "d", 0.9, "slower");
  EXPECT_EQ(records.entry("precision").best->race, "20261130-2");
  EXPECT_FALSE(fillChecklist(records.sources).product());
}

TEST(ChecklistTest, TwoRunsOfDifferentSittingsGiveTheWidestIntervalAndNoVerdict) {
  Records records;
  records.run("b", {{"precision", "bf16"}, {"steps", 500}}, 2000, 500);
  records.run("a", {{"steps", 20}}, 1000, 1000);
  const auto best = records.entry("precision").best;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->kind, Kind::Apart);
  EXPECT_DOUBLE_EQ(best->ratio->median, 2.0);
  EXPECT_DOUBLE_EQ(best->ratio->low, 1800.0 / 1100);
  EXPECT_DOUBLE_EQ(best->ratio->high, 2200.0 / 900);
  EXPECT_TRUE(best->verdict.empty());
  EXPECT_FALSE(best->same_quality);
  EXPECT_DOUBLE_EQ(*best->memory, 0.5);
  // Another machine, or another batch, is another thing.
  records.sources.machines = {{"a", "one"}, {"b", "another"}};
  EXPECT_EQ(records.entry("precision").best->kind, Kind::Used);
  records.sources.machines = {{"a", "one"}, {"b", "one"}};
  EXPECT_EQ(records.entry("precision").best->kind, Kind::Apart);
  records.sources.runs[1].spec["batch"] = 64;
  EXPECT_EQ(records.entry("precision").best->kind, Kind::Used);
}

TEST(ChecklistTest, APartedBatchIsHeldAgainstTheWholeOne) {
  Records records;
  records.run("b", {{"batch", 32}, {"accumulation", 4}}, 900, 400);
  records.run("c", {{"batch", 32}}, 800);
  records.run("a", {{"batch", 128}}, 1000);
  const auto entry = records.entry("accumulation");
  ASSERT_TRUE(entry.best);
  EXPECT_EQ(entry.best->without, "a");
  EXPECT_EQ(entry.best->effective_batch, 128);
  EXPECT_DOUBLE_EQ(*entry.best->memory, 0.4);
  EXPECT_EQ(entry.base, "c");
  EXPECT_EQ(entry.offer.value("batch", 0), 8);
  EXPECT_EQ(entry.offer.value("accumulation", 0), 4);
  EXPECT_FALSE(checklistItems()[3].offer({{"batch", 7}}).contains("batch"));
}

TEST(ChecklistTest, RunsThatDidNotEndSayNothing) {
  Records records;
  records.run("b", {{"precision", "bf16"}}, 2000);
  records.run("a", {}, 1000);
  records.race("race", "a", "b", 2.0, "faster");
  for (auto& run : records.sources.runs) run.summary.status = "failed";
  records.sources.races.clear();
  EXPECT_FALSE(records.entry("precision").best);
  EXPECT_TRUE(records.entry("precision").base.empty());
  Records inference;
  inference.run("a", {{"mode", "infer"}}, 1000);
  EXPECT_TRUE(inference.entry("precision").base.empty());
}

TEST(ChecklistTest, RubbishInRecordsIsOff) {
  Records records;
  records.run("g",
              {{"workers", "many"}, {"precision", 16}, {"accumulation", 2.5}, {"checkpointing", true}, {"profile", json()}});
  records.sources.runs.push_back(runOf("f", json::array({1, 2}), 1000));
  records.run("e", {{"workers", -3}, {"accumulation", -1}, {"batch", "x"}});
  records.run("b", {{"precision", "bf16"}}, 0);
  records.run("a", {}, std::numeric_limits<double>::quiet_NaN());
  for (const double ratio : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    records.race("race", "a", "b", ratio, "faster");
    const auto entry = records.entry("precision");
    ASSERT_TRUE(entry.best);
    EXPECT_EQ(entry.best->kind, Kind::Used) << ratio;
  }
  for (const char* item : {"profiler", "loader", "accumulation", "checkpointing"})
    EXPECT_FALSE(records.entry(item).best) << item;
  // A race of runs that were deleted since.
  records.sources.runs.clear();
  EXPECT_EQ(fillChecklist(records.sources).tried(), 0);
}

TEST(ChecklistTest, TheTableIsWrittenWithoutTheLocale) {
  Records records;
  records.run("b", {{"precision", "bf16"}}, 1500, 500);
  records.run("a", {}, 1000, 1000);
  records.race("race", "a", "b", 1.5, "faster");
  const auto csv = toCsv(fillChecklist(records.sources));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), checklistItems().size() + 1);
  EXPECT_NE(csv.find("precision,raced,1.5,1.45,1.55,faster,0.5,0.5,128,true,race,b,a\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("loader,not_tried,,,,,,,,,,,\r\n"), std::string::npos) << csv;
}

}  // namespace
}  // namespace atelier::lab
