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

}  // namespace

TEST(RunEvent, EveryKindSurvivesTheWire) {
  const std::vector<EventBody> bodies{
      RunStarted{"id", {{"model", "cnn"}}, {{"cpu", "x"}}, 100, 10, 10, {{"n", {{"a", "b"}}}}},
      PhaseChanged{"warmup"},
      Progress{3, 10, true, 1234.5, 0.25, 1e-3},
      MemorySampled{{15, 1, 2, 3, 4, 5}, {30, 2, 4, 6, 8, 10}, 512},
      SystemSampled{98.5, 1.5, 0.25, 1 << 20},
      BlockDone{2, 10, 1280, 0.5, 2560, {1, 2, 3, 4, 5, 15}, 0.5, true, "busy.steal"},
      EpochDone{1, 469, 10000, 0.5, 0.4, 0.87},
      RaceUpdated{{1.4, 1.3, 1.5, 6}, "faster", 6, 1, 10},
      Noticed{{"loss.not_finite", {{"step", "3"}}}, "warning"},
      RunFinished{sampleSummary()},
      RaceFinished{{sampleSummary(), sampleSummary(), Interval{1.1, 1.0, 1.2, 9}, "faster", true, 9, 1}},
      RunFailed{ExitCode::OutOfMemory, {{"run.out_of_memory", {{"detail", "quote \" backslash \\ newline \n"}}}}}};
  for (const auto& body : bodies) {
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
  const std::string line = encodeEvent({0, 1, "a", RunFinished{sampleSummary()}});
  for (int i = 0; i < 20000; ++i) {
    auto mutated = line;
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

TEST(Summary, StatesNonFiniteLossAndLeavesOutWhatWasNotMeasured) {
  const auto json = toJson(sampleSummary());
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_EQ(json["non_finite"]["loss"], "NaN");
  EXPECT_FALSE(json.contains("first_step_milliseconds"));
  EXPECT_FALSE(json["naive"][1].contains("samples_per_second"));
  EXPECT_EQ(json["milliseconds_per_step"]["p50"], 64.0);
}

TEST(Summary, ReadsRecordsWithWrongTypes) {
  const auto summary = runSummaryFromJson(
      nlohmann::json::parse(R"({"id":7,"steps":"x","samples_per_second":[],"naive":3,"notices":{"a":1},"loss":"x"})"));
  EXPECT_EQ(summary.id, "");
  EXPECT_FALSE(summary.samples_per_second.has_value());
  EXPECT_FALSE(summary.loss.has_value());
}

}  // namespace atelier::wire
