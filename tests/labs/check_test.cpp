#include "labs/check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atelier::lab {
namespace {

using nlohmann::json;
using enum CheckState;

wire::RunSummary run() {
  wire::RunSummary summary;
  summary.id = "20261130-104512-3f9a1c";
  summary.samples_per_second = wire::Interval{2107, 2060, 2160, 10};
  summary.stages = {10'000'000, 1'900'000'000, 3'600'000'000, 500'000'000, 90'000'000, 6'100'000'000};
  summary.accuracy = 0.812;
  summary.loss = 0.52;
  summary.naive = {{"no_warmup", 1791.0, 0.85, {}},
                   {"first_epoch", 2090.0, 0.992, {}},
                   {"reused_model", 2402.0, 1.14, {}},
                   {"no_synchronisation", {}, {}, "naive.needs_gpu"}};
  return summary;
}

wire::RaceSummary race(double median, double low, double high, const std::string& verdict) {
  wire::RaceSummary summary;
  summary.a = summary.b = run();
  summary.ratio = wire::Interval{median, low, high, 10};
  summary.verdict = verdict;
  summary.same_quality = true;
  return summary;
}

CheckResult check(const std::string& kind, json parameters, const std::optional<json>& result,
                  std::optional<double> predicted = {}) {
  const CheckSpec spec{"the-check", kind, "step", std::move(parameters)};
  const auto* found = findCheckKind(kind);
  EXPECT_NE(found, nullptr) << kind;
  const Outcome outcome{"run", result.value_or(json()), {}};
  auto judged = found->run({spec, result ? &outcome : nullptr, predicted});
  EXPECT_EQ(judged.check, "the-check");
  EXPECT_FALSE(judged.wanted.empty());
  for (const char* language : {"en", "fr"}) {
    const auto text = sentenceText(judged, wire::Catalog::builtIn(language));
    EXPECT_TRUE(!judged.sentence.id.starts_with("check.") || text != judged.sentence.id) << text;
    EXPECT_EQ(text.find('{'), std::string::npos) << text;
  }
  return judged;
}

CheckState state(const std::string& kind, json parameters, const std::optional<json>& result,
                 std::optional<double> predicted = {}) {
  return check(kind, std::move(parameters), result, predicted).state;
}

TEST(CheckTest, EveryKindIsListedNamedAndNeverPassesWithoutAMeasurement) {
  const json parameters{{"at_least", 1}, {"verdict", "faster"},  {"quantity", "ratio"},    {"percent", 100},
                        {"value", 0},    {"naive", "no_warmup"}, {"rule", {"input_bound"}}};
  EXPECT_EQ(allCheckKinds().size(), 26U);
  json failed = toJson(run());
  failed["status"] = "failed";
  for (const auto& kind : allCheckKinds()) {
    for (const auto& result : {std::optional<json>(), std::optional<json>(json::object()), std::optional<json>(json(3)),
                               std::optional<json>(failed)})
      EXPECT_EQ(state(kind.id, parameters, result, 1.0), NotRun) << kind.id;
    EXPECT_TRUE(wire::Catalog::builtIn("fr").has("check." + kind.id + ".name"));
  }
}

TEST(CheckTest, AFailedSideOfARaceLeavesNothingToJudge) {
  auto half = race(1.42, 1.37, 1.47, "faster");
  half.b.status = "failed";
  EXPECT_EQ(state("ratio_at_least", {{"at_least", 1.2}}, toJson(half)), NotRun);
}

TEST(CheckTest, RatioAtLeast) {
  const json wanted{{"at_least", 1.4}};
  const auto passed = check("ratio_at_least", wanted, toJson(race(1.42, 1.37, 1.47, "faster")));
  EXPECT_EQ(passed.state, Passed);
  EXPECT_EQ(passed.wanted, ">= 1.4");
  EXPECT_DOUBLE_EQ(*passed.measured, 1.42);
  EXPECT_DOUBLE_EQ(passed.interval->high, 1.47);
  EXPECT_EQ(state("ratio_at_least", wanted, toJson(race(1.3, 1.25, 1.35, "faster"))), Failed);
  EXPECT_EQ(state("ratio_at_least", wanted, toJson(race(1.3, 1.2, 1.45, "faster"))), Noise);
  EXPECT_EQ(state("ratio_at_least", wanted, toJson(race(1.5, 0.9, 2.1, "no-difference"))), Noise);
  EXPECT_EQ(state("ratio_at_least", wanted, toJson(race(1.5, 1.4, 1.6, "machine-busy"))), Noise);
}

TEST(CheckTest, VerdictIs) {
  const json wanted{{"verdict", "no-difference"}};
  EXPECT_EQ(state("verdict_is", wanted, toJson(race(1.002, 0.98, 1.02, "no-difference"))), Passed);
  EXPECT_EQ(state("verdict_is", wanted, toJson(race(1.05, 1.02, 1.08, "faster"))), Failed);
  EXPECT_EQ(state("verdict_is", wanted, toJson(race(0.9, 0.88, 0.92, "slower"))), Failed);
  EXPECT_EQ(state("verdict_is", wanted, toJson(race(1.05, 0.2, 3, "machine-busy"))), Noise);
  auto unfinished = race(1, 1, 1, "no-difference");
  unfinished.ratio.reset();
  EXPECT_EQ(state("verdict_is", wanted, toJson(unfinished)), NotRun);
  EXPECT_EQ(state("verdict_is", {{"verdict", "machine-busy"}}, toJson(race(1, 0.2, 3, "machine-busy"))), Passed);
}

TEST(CheckTest, IntervalWithin) {
  const json wanted{{"quantity", "samples_per_second"}, {"percent", 10}};
  auto summary = run();
  EXPECT_EQ(state("interval_within", wanted, toJson(summary)), Passed);
  summary.samples_per_second = wire::Interval{2107, 1700, 2500, 10};
  EXPECT_EQ(state("interval_within", wanted, toJson(summary)), Failed);
  summary.samples_per_second = wire::Interval{2107, 2107, 2107, 1};
  EXPECT_EQ(state("interval_within", wanted, toJson(summary)), Noise);
}

TEST(CheckTest, ValueAtLeastAndAtMost) {
  const auto at = [&](const char* kind, double value) {
    return state(kind, {{"quantity", "samples_per_second"}, {"value", value}}, toJson(run()));
  };
  EXPECT_EQ(at("value_at_least", 2000), Passed);
  EXPECT_EQ(at("value_at_least", 2100), Noise);
  EXPECT_EQ(at("value_at_least", 2200), Failed);
  EXPECT_EQ(at("value_at_most", 2200), Passed);
  EXPECT_EQ(at("value_at_most", 2100), Noise);
  EXPECT_EQ(at("value_at_most", 2000), Failed);
  EXPECT_EQ(state("value_at_least", {{"quantity", "accuracy"}, {"value", 0.8}}, toJson(run())), Passed);
  auto diverged = run();
  diverged.loss = std::nan("");
  EXPECT_EQ(state("value_at_most", {{"quantity", "loss"}, {"value", 0.1}}, toJson(diverged)), Failed);
}

TEST(CheckTest, SameQuality) {
  auto summary = race(1.4, 1.3, 1.5, "faster");
  EXPECT_EQ(state("same_quality", json::object(), toJson(summary)), Passed);
  summary.same_quality = false;
  summary.a.accuracy = 0.9;
  summary.b.accuracy = 0.8;
  EXPECT_EQ(state("same_quality", json::object(), toJson(summary)), Failed);
  summary.b.accuracy = 0.95;
  EXPECT_EQ(check("same_quality", json::object(), toJson(summary)).sentence.id, "check.same_quality.passed.better");
  summary.a.accuracy.reset();
  summary.a.loss = 0.4;
  summary.b.loss = 0.3;
  EXPECT_EQ(check("same_quality", json::object(), toJson(summary)).sentence.id, "check.same_quality.passed.better.by_loss");
  summary.b.loss = 0.5;
  EXPECT_EQ(check("same_quality", json::object(), toJson(summary)).sentence.id, "check.same_quality.failed.by_loss");
  summary.a.loss.reset();
  EXPECT_EQ(state("same_quality", json::object(), toJson(summary)), NotRun);
}

TEST(CheckTest, StagesSum) {
  const json wanted{{"percent", 5}};
  auto summary = run();
  const auto passed = check("stages_sum", wanted, toJson(summary));
  EXPECT_EQ(passed.state, Passed);
  EXPECT_NEAR(*passed.measured, 1.475, 0.001) << "percent of the wall that belongs to no stage";
  EXPECT_EQ(passed.wanted, "other <= 5 %");
  EXPECT_EQ(state("stages_sum", {{"percent", 1}}, toJson(summary)), Failed);
  auto both = race(1, 0.9, 1.1, "no-difference");
  EXPECT_EQ(state("stages_sum", wanted, toJson(both)), Passed);
  // Time that moves from a stage into the rest: the sum still holds, the check does not.
  summary.stages.forward -= 600'000'000;
  summary.stages.other += 600'000'000;
  EXPECT_EQ(check("stages_sum", wanted, toJson(summary)).sentence.id, "check.stages_sum.failed");
  both.b.stages = summary.stages;
  EXPECT_EQ(state("stages_sum", wanted, toJson(both)), Failed);
  summary.stages.other = 0;
  EXPECT_EQ(check("stages_sum", wanted, toJson(summary)).sentence.id, "check.stages_sum.failed.sum");
  summary.stages = {};
  EXPECT_EQ(state("stages_sum", wanted, toJson(summary)), NotRun);
}

TEST(CheckTest, PredictionWithin) {
  const json wanted{{"quantity", "samples_per_second"}, {"percent", 20}};
  EXPECT_EQ(state("prediction_within", wanted, toJson(run()), 2000.0), Passed);
  EXPECT_EQ(state("prediction_within", wanted, toJson(run()), 3000.0), Failed);
  EXPECT_EQ(state("prediction_within", wanted, toJson(run()), 2550.0), Noise);
  const auto silent = check("prediction_within", wanted, toJson(run()));
  EXPECT_EQ(silent.state, NotPredicted);
  EXPECT_EQ(silent.measured, 2107) << "what was measured is told all the same";
  EXPECT_EQ(silent.kind, "prediction_within");
  EXPECT_EQ(state("prediction_within", wanted, std::nullopt, 2000.0), NotRun);
}

TEST(CheckTest, Decided) {
  const json wanted{{"percent", 5}};
  EXPECT_EQ(state("decided", wanted, toJson(race(1.4, 1.3, 1.5, "faster"))), Passed);
  EXPECT_EQ(state("decided", wanted, toJson(race(0.8, 0.78, 0.83, "slower"))), Passed);
  EXPECT_EQ(state("decided", wanted, toJson(race(1.0, 0.98, 1.02, "no-difference"))), Passed);
  EXPECT_EQ(state("decided", wanted, toJson(race(1.0, 0.8, 1.2, "no-difference"))), Noise);
  EXPECT_EQ(state("decided", wanted, toJson(race(1.4, 1.3, 1.5, "machine-busy"))), Noise);
}

TEST(CheckTest, NaiveError) {
  const auto lie = check("naive_error", {{"naive", "no_warmup"}}, toJson(run()));
  EXPECT_EQ(lie.state, Passed);
  EXPECT_DOUBLE_EQ(*lie.measured, 0.85);
  EXPECT_EQ(lie.sentence.id, "check.naive_error.passed.no_warmup.low");
  EXPECT_EQ(state("naive_error", {{"naive", "reused_model"}}, toJson(run())), Passed);
  EXPECT_EQ(state("naive_error", {{"naive", "first_epoch"}}, toJson(run())), Noise);
  EXPECT_EQ(state("naive_error", {{"naive", "no_warmup"}, {"at_least_percent", 30}}, toJson(run())), Failed);
  const auto none = check("naive_error", {{"naive", "no_synchronisation"}}, toJson(run()));
  EXPECT_EQ(none.state, NotRun);
  EXPECT_EQ(none.sentence.id, "naive.needs_gpu");
}

TEST(CheckTest, FiguresAreFoundByPath) {
  const auto result = toJson(race(1.42, 1.37, 1.47, "faster"));
  EXPECT_DOUBLE_EQ(figureAt(result, "ratio")->low, 1.37);
  EXPECT_DOUBLE_EQ(figureAt(result, "b.naive.no_warmup.ratio")->median, 0.85);
  EXPECT_DOUBLE_EQ(figureAt(result, "a.stages.wall_ns")->median, 6.1e9);
  for (const char* path : {"", ".", "a", "a.", "verdict", "a.naive.none.ratio", "ratio.median.x"})
    EXPECT_FALSE(figureAt(result, path)) << path;
}

TEST(CheckTest, SentencesWriteFiguresAsTheReaderDoes) {
  const auto judged = check("ratio_at_least", {{"at_least", 1.4}}, toJson(race(1.42, 1.37, 1.47, "faster")));
  EXPECT_NE(sentenceText(judged, wire::Catalog::builtIn("en")).find("1.42"), std::string::npos);
  EXPECT_NE(sentenceText(judged, wire::Catalog::builtIn("fr")).find("1,42"), std::string::npos);
}

}  // namespace
}  // namespace atelier::lab
