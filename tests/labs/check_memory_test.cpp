// The kinds of checks of the second morning's labs on data and memory.
#include <gtest/gtest.h>

#include "labs/check.h"
#include "labs/outcome.h"

namespace atelier::lab {
namespace {

using nlohmann::json;
using enum CheckState;

CheckResult check(const std::string& kind, json parameters, const Outcome& outcome, const Outcome* other = nullptr) {
  const CheckSpec spec{"the-check", kind, "step", std::move(parameters)};
  const auto* found = findCheckKind(kind);
  EXPECT_NE(found, nullptr) << kind;
  CheckInput input{spec, &outcome, {}};
  input.other = other;
  auto judged = found->run(input);
  EXPECT_FALSE(judged.wanted.empty());
  for (const char* language : {"en", "fr"}) {
    const auto catalog = wire::Catalog::builtIn(language);
    EXPECT_TRUE(catalog.has(judged.sentence.id)) << judged.sentence.id;
    EXPECT_EQ(sentenceText(judged, catalog).find('{'), std::string::npos) << sentenceText(judged, catalog);
  }
  return judged;
}

wire::RunSummary waitingRun(std::int64_t data, std::int64_t wall) {
  wire::RunSummary run;
  run.stages.data = data;
  run.stages.wall = wall;
  return run;
}

Outcome raceOf(const wire::RunSummary& a, const wire::RunSummary& b) {
  wire::RaceSummary race;
  race.a = a;
  race.b = b;
  return {"race", toJson(race), {}};
}

Outcome search(std::int64_t batch, std::int64_t beyond) {
  json answer{{"batch", batch},
              {"tries", json::array({json{{"batch", batch}, {"fits", true}, {"peak_bytes", 500 << 20}, {"predicted_bytes", 1}},
                                     json{{"batch", batch + 1}, {"fits", beyond == 0}}})}};
  if (beyond > 0) answer["out_of_memory_at"] = beyond;
  return batchOutcome(answer);
}

TEST(CheckMemoryTest, WaitingIsAShareOfTheSteps) {
  const Outcome run{"run", toJson(waitingRun(60, 100)), {}};
  EXPECT_EQ(check("waiting_share", {{"at_least", 50}}, run).state, Passed);
  EXPECT_DOUBLE_EQ(*check("waiting_share", {{"at_least", 50}}, run).measured, 60);
  EXPECT_EQ(check("waiting_share", {{"at_most", 5}}, run).sentence.id, "check.waiting_share.failed.high");
  EXPECT_EQ(check("waiting_share", {{"at_least", 70}}, run).sentence.id, "check.waiting_share.failed.low");
  EXPECT_EQ(check("waiting_share", {{"at_least", 50}, {"at_most", 70}}, run).state, Passed);
  const Outcome timeless{"run", toJson(waitingRun(0, 0)), {}};
  EXPECT_EQ(check("waiting_share", {{"at_most", 5}}, timeless).state, NotRun);
}

TEST(CheckMemoryTest, OfARaceBWaitsUnlessAIsAskedFor) {
  const auto race = raceOf(waitingRun(60, 100), waitingRun(2, 100));
  EXPECT_EQ(check("waiting_share", {{"at_most", 5}}, race).state, Passed);
  EXPECT_EQ(check("waiting_share", {{"at_most", 5}, {"side", "a"}}, race).state, Failed);
}

TEST(CheckMemoryTest, OfAProfileTheProfiledStepsCount) {
  auto result = toJson(waitingRun(60, 100));
  result["shares"] = {{"data", 0.02}};
  EXPECT_EQ(check("waiting_share", {{"at_most", 5}}, {"profile", result, {}}).state, Passed);
}

TEST(CheckMemoryTest, ALargerBatchIsComparedWithTheOtherSearch) {
  const auto before = search(64, 65), now = search(160, 161);
  const json wanted{{"times", 2}, {"than", "other"}};
  EXPECT_EQ(check("larger_batch", wanted, now, &before).state, Passed);
  EXPECT_DOUBLE_EQ(*check("larger_batch", wanted, now, &before).measured, 2.5);
  EXPECT_EQ(check("larger_batch", wanted, before, &now).state, Failed);
  EXPECT_EQ(check("larger_batch", wanted, now).sentence.id, "check.larger_batch.not-run.other");
}

TEST(CheckMemoryTest, ASearchThatRanOutOfDataDecidesNothingAgainstItself) {
  const json wanted{{"times", 2}, {"than", "other"}};
  const auto unlimited = search(160, 0), before = search(64, 65), large = search(100, 0);
  EXPECT_EQ(check("larger_batch", wanted, unlimited, &before).state, Passed) << "as large at least";
  EXPECT_EQ(check("larger_batch", wanted, large, &before).state, Noise) << "it could have gone on";
  EXPECT_EQ(check("larger_batch", wanted, search(400, 401), &unlimited).state, Noise);
}

TEST(CheckMemoryTest, AnAnswerIsCutDownToWhatLabsRead) {
  const auto outcome = search(64, 65);
  EXPECT_EQ(outcome.verb, "max-batch");
  EXPECT_EQ(outcome.result["peak_bytes"], 500 << 20) << "of the try that fits";
  EXPECT_EQ(outcome.result["tries"].size(), 2U);
  EXPECT_EQ(figureAt(outcome.result, "batch")->median, 64);
  EXPECT_FALSE(search(64, 0).result.contains("out_of_memory_at"));
  for (const auto& nothing : {json(), json(3), json::object(), json{{"batch", 0}}, json{{"batch", "many"}}})
    EXPECT_TRUE(batchOutcome(nothing).result.empty()) << nothing;
  for (const char* language : {"en", "fr"})
    for (const auto& message : batchFindings(outcome.result)) {
      const auto text = localText(message, wire::Catalog::builtIn(language));
      EXPECT_NE(text, message.id);
      EXPECT_EQ(text.find('{'), std::string::npos) << text;
    }
  EXPECT_EQ(batchFindings(outcome.result).size(), 3U);
  EXPECT_TRUE(batchFindings(json::object()).empty());
}

TEST(CheckMemoryTest, TheEffectiveBatchIsCounted) {
  wire::RunSummary run;
  run.samples = 16384;
  run.optimizer_steps = 15;
  run.skipped_steps = 1;  // an update that was left out had its samples, too
  const Outcome alone{"run", toJson(run), {}};
  EXPECT_EQ(check("effective_batch", {{"at_least", 1024}}, alone).state, Passed);
  EXPECT_EQ(check("effective_batch", {{"at_least", 1025}}, alone).state, Failed);
  wire::RunSummary small = run;
  small.optimizer_steps = 256;
  EXPECT_EQ(check("effective_batch", {{"at_least", 1024}}, raceOf(run, small)).state, Failed);
  EXPECT_EQ(check("effective_batch", {{"at_least", 1024}, {"side", "a"}}, raceOf(run, small)).state, Passed);
  EXPECT_EQ(check("effective_batch", {{"at_least", 1024}}, {"run", toJson(wire::RunSummary{}), {}}).state, NotRun);
}

TEST(CheckMemoryTest, MemoryIsSavedInPartsOrInAll) {
  wire::RunSummary a, b;
  a.peak_memory_bytes.total = 400 << 20;
  a.peak_memory_bytes.activations = 300 << 20;
  b.peak_memory_bytes.total = 240 << 20;
  b.peak_memory_bytes.activations = 120 << 20;
  const auto race = raceOf(a, b);
  EXPECT_EQ(check("memory_saved", {{"percent", 50}, {"of", "activations"}}, race).state, Passed);
  EXPECT_DOUBLE_EQ(*check("memory_saved", {{"percent", 50}, {"of", "activations"}}, race).measured, 60);
  EXPECT_EQ(check("memory_saved", {{"percent", 50}}, race).state, Failed) << "of all tensors it is 40 %";
  EXPECT_EQ(check("memory_saved", {{"percent", 10}}, raceOf(b, a)).state, Failed) << "it needs more";
  EXPECT_EQ(check("memory_saved", {{"percent", 10}}, raceOf({}, b)).state, NotRun);
}

}  // namespace
}  // namespace atelier::lab
