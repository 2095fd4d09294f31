#include "core/wire/run_event.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace atelier::wire {
namespace {

RunSummary sampleSummary() {
  RunSummary s;
  s.id = "r";
  s.samples_per_second = Interval{2000, 1900, 2100, 10};
  s.step_p50 = 64.0;
  s.loss = std::nan("");
  s.accuracy = 0.88;
  s.peak_memory_bytes = {15, 1, 2, 3, 4, 5};
  s.stages = {1, 2, 3, 4, 5, 15};
  s.naive = {{"no_warmup", 900.0, 0.45, ""}, {"no_synchronisation", {}, {}, "naive.needs_gpu"}};
  s.notices = {{"data.pinned_without_gpu", {}}};
  return s;
}

SweepSummary sampleSweep() {
  SweepSummary sweep{"20261130-104512-3f9a1c", "sizes", "interrupted", {{"batch", {32, 64}}, {"precision", {"bf16"}}}};
  sweep.points = {{"1", {{"batch", 32}, {"precision", "bf16"}}, sampleSummary(), true},
                  {"2", {{"batch", 64}, {"precision", "bf16"}}}};
  sweep.points[1].summary.status = "failed";
  sweep.points[1].summary.failure = {{"run.out_of_memory", {{"detail", "x"}}}};
  sweep.best = 0;
  sweep.drift = 0.97;
  sweep.drift_run = "20261130-104912-3f9a1c";
  return sweep;
}

RaceSummary sampleRace() {
  RaceSummary race{sampleSummary(), sampleSummary(), Interval{1.1, 1.0, 1.2, 9}, "faster", true, 9, 1};
  race.add({"c", sampleSummary(), std::nullopt, "machine-busy", false, 0, 10});
  race.planned_pairs = 12;
  race.stopped_early = true;
  return race;
}

Health sampleHealth() {
  Health health;
  health.step = 7;
  health.activations = {{"0.conv", "Conv2d", 0.5, 1.25, -2, 3, 9, 100, 12, 1, 2}};
  health.gradient_norm = 4.5;
  health.first_bad_module = "0.conv";
  health.first_bad_operator = "aten::div";
  health.first_bad_stage = "forward";
  health.first_bad_step = 5;
  return health;
}

// One of every kind.
std::vector<EventBody> allBodies() {
  return {RunStarted{"id", {{"model", "cnn"}}, {{"cpu", "x"}}, 100, 10, 10, {{"n", {{"a", "b"}}}}},
          PhaseChanged{"warmup"},
          Progress{3, 10, true, 1234.5, 0.25, 1e-3, 2, 0.125},
          MemorySampled{{15, 1, 2, 3, 4, 5}, {30, 2, 4, 6, 8, 10}, 512},
          SystemSampled{98.5, 1.5, 0.25, 1 << 20},
          BlockDone{2, 10, 1280, 0.5, 2560, {1, 2, 3, 4, 5, 15}, 0.5, true, "busy.steal"},
          EpochDone{1, 469, 10000, 0.5, 0.4, 0.87},
          RaceUpdated{{1.4, 1.3, 1.5, 6}, "faster", 6, 1, 10, "c", true},
          Noticed{{"loss.not_finite", {{"step", "3"}}}, "warning"},
          HealthSampled{sampleHealth()},
          GradientsSampled{{41, 2.5, {{"0.weight", 2.5, 9, 1e-3}, {"0.bias", 0, 0, 0}}, 640.5, "consecutive"}},
          Profiled{3, 1'234'567, 4200, 17},
          ScaleChanged{41, 65536, 32768, "overflow"},
          CheckpointWritten{120, "checkpoint.pt", 1 << 20, 12.5},
          RolledBack{37, 30, "rollback.loss"},
          Answered{"max-batch", {{"batch", 96}, {"out_of_memory_at", 97}}},
          RunFinished{sampleSummary()},
          RaceFinished{sampleRace()},
          SweepStarted{"20261130-104512-3f9a1c", {{"batch", {32, 64}}, {"precision", {"bf16"}}}, 2},
          SweepFinished{sampleSweep()},
          RunFailed{ExitCode::OutOfMemory, {{"run.out_of_memory", {{"detail", "quote \" backslash \\ newline \n"}}}}}};
}

}  // namespace

TEST(RunEvent, EveryKindSurvivesTheWire) {
  EXPECT_EQ(allBodies().size() + 1, std::variant_size_v<EventBody>) << "every kind but the unknown";
  for (const auto& body : allBodies()) {
    const auto line = encodeEvent({1, 42, "b", body});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto read = decodeEvent(line);
    ASSERT_TRUE(read.ok()) << line;
    EXPECT_EQ(read->body.index(), body.index());
    EXPECT_EQ(read->rank, 1);
    EXPECT_EQ(read->t, 42);
    EXPECT_EQ(read->variant, "b");
    EXPECT_EQ(encodeEvent(*read), line);
  }
}

TEST(RunEvent, NonFiniteNumbersAreNullAndNamed) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const auto line = encodeEvent({0, 0, "", Progress{1, 2, true, 10, value, 0}});
    EXPECT_NE(line.find("\"loss\":null"), std::string::npos) << line;
    const auto read = decodeEvent(line);
    ASSERT_TRUE(read.ok());
    const auto loss = std::get<Progress>(read->body).loss;
    ASSERT_TRUE(loss.has_value());
    EXPECT_TRUE(std::isnan(value) ? std::isnan(*loss) : *loss == value);
  }
  const auto absent = decodeEvent(encodeEvent({0, 0, "", Progress{1, 2, true, 10, std::nullopt, 0}}));
  EXPECT_FALSE(std::get<Progress>(absent->body).loss.has_value());
}

TEST(RunEvent, AnUnknownKindIsKeptWhole) {
  const std::string line = R"({"extra":[1,2,{"x":null}],"kind":"from_the_future","rank":3,"t":5,"v":1})";
  const auto read = decodeEvent(line);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<UnknownEvent>(read->body).kind, "from_the_future");
  EXPECT_EQ(encodeEvent(*read), line);
}

TEST(RunEvent, ARaceOfOldSaysNothingOfItsVariants) {
  const auto read = decodeEvent(R"({"kind":"race","ratio":{"median":1.4,"low":1.3,"high":1.5,"count":6},"verdict":"faster"})");
  ASSERT_TRUE(read.ok());
  const auto& update = std::get<RaceUpdated>(read->body);
  EXPECT_EQ(update.variant, "b");
  EXPECT_FALSE(update.decided);
  EXPECT_EQ(read->variant, "");
}

TEST(RunEvent, NewKindsBearMembersOfWrongTypesAndUnknownOnes) {
  const auto sweep = decodeEvent(
      R"({"kind":"sweep_finished","sweep":{"id":7,"axes":{"x":1},"points":[3,{"values":[],"run":1,"summary":2}],"best":99,"new":1}})");
  ASSERT_TRUE(sweep.ok());
  const auto& summary = std::get<SweepFinished>(sweep->body).sweep;
  EXPECT_EQ(summary.id, "");
  EXPECT_TRUE(summary.axes.empty());
  ASSERT_EQ(summary.points.size(), 1U);
  EXPECT_TRUE(summary.points[0].values.is_object());
  EXPECT_FALSE(summary.best.has_value()) << "an index that points nowhere";
  const auto race = decodeEvent(R"({"kind":"race_finished","race":{"a":{},"others":{"c":{}},"planned_pairs":"x"}})");
  EXPECT_TRUE(std::get<RaceFinished>(race->body).race.others.empty());
}

TEST(RunEvent, RefusesOtherVersionsAndWhatIsNoEvent) {
  EXPECT_EQ(decodeEvent(R"({"kind":"phase","v":99})").error().messages.front().id, "event.version");
  for (const char* bad : {"", "x", "[]", "{}", R"({"kind":7})", R"({"kind":"a","kind":"b"})"})
    EXPECT_FALSE(decodeEvent(bad).ok()) << bad;
}

TEST(RunEvent, TextThatIsNotUtf8DoesNotThrow) {
  const auto line = encodeEvent({0, 0, "", Noticed{{"run.exception", {{"detail", "\xff\xfe broken"}}}, "info"}});
  EXPECT_TRUE(decodeEvent(line).ok());
}

// A light fuzz that always runs; tests/fuzz has the coverage-guided one.
TEST(RunEvent, MutatedLinesNeverCrash) {
  std::mt19937 generator(7);
  std::vector<std::string> lines;
  for (const auto& body : allBodies()) lines.push_back(encodeEvent({0, 1, "a", body}));
  for (std::size_t i = 0; i < 28000; ++i) {
    auto mutated = lines[i % lines.size()];
    for (int k = 0; k < 1 + static_cast<int>(generator() % 4); ++k) {
      const auto at = generator() % mutated.size();
      switch (generator() % 3) {
        case 0:
          mutated[at] = static_cast<char>(generator());
          break;
        case 1:
          mutated.erase(at, 1 + generator() % 5);
          break;
        default:
          mutated.insert(at, 1, "{}[]\",:0x\\"[generator() % 10]);
      }
      if (mutated.empty()) mutated = "{";
    }
    const auto read = decodeEvent(mutated);
    EXPECT_TRUE(!read.ok() || !encodeEvent(*read).empty());
  }
}

TEST(Summary, TheLargestSeedComesBackWhole) {
  RunSummary summary;
  summary.seed = INT64_MAX;
  EXPECT_EQ(runSummaryFromJson(toJson(summary)).seed, INT64_MAX);
  auto json = toJson(summary);
  json["seed"] = UINT64_MAX;
  EXPECT_EQ(runSummaryFromJson(json).seed, 0);
}

TEST(Summary, StatesNonFiniteLossAndLeavesOutWhatWasNotMeasured) {
  const auto json = toJson(sampleSummary());
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_EQ(json["non_finite"]["loss"], "NaN");
  EXPECT_FALSE(json.contains("first_step_milliseconds"));
  EXPECT_FALSE(json["naive"][1].contains("samples_per_second"));
  EXPECT_EQ(json["milliseconds_per_step"]["p50"], 64.0);
}

TEST(Summary, ARaceOfTwoReadsAsItAlwaysDid) {
  const RaceSummary race{sampleSummary(), sampleSummary(), Interval{1.1, 1.0, 1.2, 9}, "faster", true, 9, 1};
  const auto json = toJson(race);
  for (const char* key : {"a", "b", "ratio", "verdict", "same_quality", "pairs", "discarded_pairs"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_FALSE(json.contains("others"));
  EXPECT_EQ(json["stopped_early"], false);
  EXPECT_EQ(race.runs().size(), 2U);
  ASSERT_EQ(race.comparisons().size(), 1U);
  EXPECT_EQ(race.comparisons()[0].variant, "b");
  EXPECT_EQ(race.comparisons()[0].pairs, 9);
}

TEST(Summary, ARaceOfMoreKeepsWhatComparesEachWithA) {
  const auto race = sampleRace();
  const auto json = toJson(race);
  ASSERT_EQ(json["others"].size(), 1U);
  EXPECT_EQ(json["others"][0]["variant"], "c");
  EXPECT_EQ(json["others"][0]["discarded_pairs"], 10);
  EXPECT_FALSE(json["others"][0].contains("ratio"));
  EXPECT_EQ(json["planned_pairs"], 12);
  const auto read = raceSummaryFromJson(json);
  EXPECT_EQ(toJson(read), json);
  EXPECT_EQ(read.runs().size(), 3U);
  EXPECT_TRUE(read.stopped_early);
  ASSERT_EQ(read.comparisons().size(), 2U);
  EXPECT_EQ(read.comparisons()[1].verdict, "machine-busy");
  RaceSummary made;
  for (const auto& comparison : read.comparisons()) made.add(comparison);
  EXPECT_EQ(made.verdict, "faster");
  EXPECT_EQ(made.others.size(), 1U);
}

TEST(Summary, ReadsRecordsWithWrongTypes) {
  const auto summary = runSummaryFromJson(
      nlohmann::json::parse(R"({"id":7,"steps":"x","samples_per_second":[],"naive":3,"notices":{"a":1},"loss":"x"})"));
  EXPECT_EQ(summary.id, "");
  EXPECT_FALSE(summary.samples_per_second.has_value());
  EXPECT_FALSE(summary.loss.has_value());
}

}  // namespace atelier::wire
