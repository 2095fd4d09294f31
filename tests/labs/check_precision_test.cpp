// The kinds of checks that judge claims, remedies, and what formats make of numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "labs/check.h"

namespace atelier::lab {
namespace {

using nlohmann::json;
using enum CheckState;

json race(double ratio, double accuracyA, double accuracyB, const std::string& verdict = "faster") {
  wire::RaceSummary summary;
  summary.a.accuracy = accuracyA;
  summary.b.accuracy = accuracyB;
  summary.a.evaluated = summary.b.evaluated = 10000;
  summary.a.peak_memory_bytes.total = 1000;
  summary.b.peak_memory_bytes.total = 600;
  summary.a.loss = summary.b.loss = 0.5;
  summary.ratio = wire::Interval{ratio, ratio * 0.97, ratio * 1.03, 10};
  summary.verdict = verdict;
  return wire::toJson(summary);
}

json onMachine(json race, int gpus, int units) {
  race["a"]["machine"] = {{"gpus", gpus}, {"low_precision", units}};
  return race;
}

CheckResult check(const std::string& kind, json parameters, const json& result, std::optional<double> predicted = {}) {
  const CheckSpec spec{"the-check", kind, "step", std::move(parameters)};
  const auto* found = findCheckKind(kind);
  EXPECT_NE(found, nullptr) << kind;
  const Outcome outcome{"race", result, {}};
  auto judged = found->run({spec, &outcome, predicted});
  EXPECT_FALSE(judged.wanted.empty());
  for (const char* language : {"en", "fr"}) {
    const auto catalog = wire::Catalog::builtIn(language);
    EXPECT_TRUE(catalog.has(judged.sentence.id)) << judged.sentence.id;
    EXPECT_EQ(sentenceText(judged, catalog).find('{'), std::string::npos) << sentenceText(judged, catalog);
  }
  return judged;
}

TEST(CheckPrecisionTest, AFormatsNumberMustBeTheVeryOne) {
  const json wanted{{"quantity", "float32(16777217)"}};
  const auto run = json{{"status", "done"}};
  EXPECT_EQ(check("format_value", wanted, run, 16777216).state, Passed);
  EXPECT_EQ(check("format_value", wanted, run, 16777217).state, Failed) << "near is not enough";
  EXPECT_EQ(check("format_value", wanted, run).state, NotPredicted);
  EXPECT_EQ(check("format_value", wanted, json{{"status", "failed"}}, 16777216).state, NotRun);
  EXPECT_EQ(check("format_value", {{"quantity", "bfloat16(1 + 2^-9)"}}, run, 1.001953125).state, Failed);
  const auto missed = check("format_value", {{"quantity", "bfloat16(1 + 2^-9)"}}, run, 1.001953125);
  for (const char* told : {"bfloat16(1 + 2^-9)", "1,0019531"})
    EXPECT_NE(sentenceText(missed, wire::Catalog::builtIn("fr")).find(told), std::string::npos)
        << told << ": with fewer digits both would be 1.00";
}

TEST(CheckPrecisionTest, ARemedyMustShowBeyondChance) {
  const json wanted{{"points", 5}};
  EXPECT_EQ(check("learns_better", wanted, race(1, 0.1, 0.8)).state, Passed);
  EXPECT_EQ(check("learns_better", wanted, race(1, 0.8, 0.8)).state, Failed);
  EXPECT_EQ(check("learns_better", wanted, race(1, 0.8, 0.1)).state, Failed);
  EXPECT_EQ(check("learns_better", wanted, race(1, 0.8, 0.845)).state, Noise) << "4.5 ± 1.1 points";
  EXPECT_EQ(check("learns_better", {{"points", 0}}, race(1, 0.8, 0.805)).state, Noise) << "chance could have made it";
  auto unevaluated = race(1, 0.1, 0.8);
  unevaluated["b"].erase("accuracy");
  EXPECT_EQ(check("learns_better", wanted, unevaluated).state, NotRun);
}

TEST(CheckPrecisionTest, ATrainingIsSoundOrDiverged) {
  const auto state = [](const char* wanted, double loss, std::optional<double> first) {
    json run{{"status", "done"}};
    wire::RunSummary summary;
    summary.loss = loss;
    run = wire::toJson(summary);
    if (first) run["curve"] = {{"first", *first}};
    return check("training_is", {{"state", wanted}}, run).state;
  };
  EXPECT_EQ(state("sound", 0.5, 2.3), Passed);
  EXPECT_EQ(state("sound", 2.5, 2.3), Failed);
  EXPECT_EQ(state("sound", std::nan(""), {}), Failed);
  EXPECT_EQ(state("sound", 0.5, {}), Passed) << "an old record has no curve";
  EXPECT_EQ(state("diverged", HUGE_VAL, 2.3), Passed);
  EXPECT_EQ(state("diverged", 0.5, 2.3), Failed);
  auto both = race(1, 0.1, 0.8);
  both["a"]["curve"] = {{"first", 0.1}};
  both["b"]["curve"] = {{"first", 2}};
  EXPECT_EQ(check("training_is", {{"state", "diverged"}, {"side", "a"}}, both).state, Passed);
  EXPECT_EQ(check("training_is", {{"state", "sound"}, {"side", "b"}}, both).state, Passed);
  EXPECT_EQ(check("training_is", {{"state", "sound"}}, both).state, NotRun) << "a race has no loss of its own";
}

TEST(CheckPrecisionTest, AClaimAboutSpeed) {
  const json claimed{{"of", "speed"}, {"at_least", 2}};
  EXPECT_EQ(check("claim_holds", claimed, race(2.4, 0.8, 0.8)).state, Passed);
  EXPECT_EQ(check("claim_holds", claimed, race(1.4, 0.8, 0.8)).state, Failed);
  EXPECT_EQ(check("claim_holds", claimed, race(1.98, 0.8, 0.8)).state, Noise);
  EXPECT_EQ(check("claim_holds", claimed, race(2.4, 0.8, 0.8, "machine-busy")).state, Noise);
  const json none{{"of", "speed"}, {"at_most", 1}};
  EXPECT_EQ(check("claim_holds", none, race(0.6, 0.8, 0.8, "slower")).state, Passed);
  EXPECT_EQ(check("claim_holds", none, race(1.6, 0.8, 0.8)).state, Failed);
  EXPECT_EQ(check("claim_holds", none, race(1.01, 0.8, 0.8, "no-difference")).state, Noise);
}

TEST(CheckPrecisionTest, AClaimIsNotMeasurableWhereTheMachineLacksWhatItIsAbout) {
  const auto sentence = [](const char* needs, int gpus, int units) {
    const auto raced = onMachine(race(2.4, 0.8, 0.8), gpus, units);
    return check("claim_holds", {{"of", "speed"}, {"at_least", 2}, {"needs", needs}}, raced).sentence.id;
  };
  EXPECT_EQ(sentence("gpu", 0, 2), "check.claim_holds.not-run.gpu");
  EXPECT_EQ(sentence("gpu", 1, 0), "check.claim_holds.passed.speed");
  EXPECT_EQ(sentence("fast_16_bit", 0, 0), "check.claim_holds.not-run.fast_16_bit");
  EXPECT_EQ(sentence("fast_16_bit", 0, 1), "check.claim_holds.passed.speed");
  EXPECT_EQ(sentence("fast_16_bit", 1, 0), "check.claim_holds.passed.speed");
  EXPECT_EQ(sentence("slow_16_bit", 0, 1), "check.claim_holds.not-run.slow_16_bit");
  EXPECT_EQ(sentence("slow_16_bit", 0, 0), "check.claim_holds.passed.speed");
  EXPECT_EQ(check("claim_holds", {{"of", "speed"}, {"at_least", 2}, {"needs", "gpu"}}, race(2.4, 0.8, 0.8)).state, Passed)
      << "nobody knows the machine: what was measured counts";
}

TEST(CheckPrecisionTest, ClaimsAboutMemoryAndAccuracy) {
  const auto saved = check("claim_holds", {{"of", "memory"}, {"at_least", 35}}, race(1, 0.8, 0.8));
  EXPECT_EQ(saved.state, Passed);
  EXPECT_DOUBLE_EQ(*saved.measured, 40);
  EXPECT_EQ(check("claim_holds", {{"of", "memory"}, {"at_least", 50}}, race(1, 0.8, 0.8)).state, Failed);
  const json same{{"of", "accuracy"}, {"at_most", 1}};
  EXPECT_EQ(check("claim_holds", same, race(1, 0.8, 0.806)).state, Passed);
  EXPECT_EQ(check("claim_holds", same, race(1, 0.806, 0.8)).state, Passed);
  EXPECT_EQ(check("claim_holds", same, race(1, 0.8, 0.815)).state, Noise) << "1.5 ± 1.1 points";
  EXPECT_EQ(check("claim_holds", same, race(1, 0.8, 0.7)).state, Failed);
}

}  // namespace
}  // namespace atelier::lab
