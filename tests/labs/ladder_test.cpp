// Ladders: what their rungs race, what is carried on, what is forgotten, and what is told of them.
#include "labs/ladder.h"

#include <cmath>

#include "core/wire/format.h"
#include "lab_fixture.h"
#include "labs/ladder_text.h"
#include "labs/outcome.h"
#include "labs/session.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

constexpr const char* kLadderToml = R"(id = "tiny"
number = "1.1"
half_day = "day1-morning"

[[step]]
id = "foot"
[step.experiment]
verb = "profile"
epoch_samples = 60000
spec = { model = "cnn", batch = 128, steps = 24, profile = "active=3", inject = "slow-loader" }
[[step.check]]
id = "sums"
kind = "breakdown_sums"
percent = 5

[[step]]
id = "workers"
[step.experiment]
verb = "race"
ladder = "foot"
knobs_b = ["workers"]
spec = { steps = 48 }
b = { workers = 8 }

[[step]]
id = "fused"
[step.experiment]
verb = "race"
ladder = "foot"
spec = { steps = 48 }
b = { fused = true }

[[step]]
id = "top"
[step.experiment]
verb = "race"
ladder = "foot"
spec = { steps = 160, evaluate = true }
[[step.check]]
id = "reaches"
kind = "ladder_reaches"
on = "foot"
at_least = 2
with_bf16 = 4
rungs = 2

[[step]]
id = "after"
[step.experiment]
verb = "profile"
ladder = "foot"
spec = { steps = 24, profile = "active=3" }
)";

constexpr const char* kLadderText = R"(# Tiny
> How fast?

## foot | The foot
Foot.

## workers | Workers
Workers.

## fused | Fused
Fused.

## top | The top
{ladder.foot}

## after | After
After.
)";

class LadderTest : public LabFixture {
 protected:
  void SetUp() override {
    LabFixture::SetUp();
    write("lab.toml", kLadderToml);
    for (const char* language : {"en", "fr"}) write(std::string(language) + ".md", kLadderText);
  }
  static Outcome measured(double bf16 = 0) {
    wire::RunSummary summary;
    summary.id = "20261130-104512-3f9a1c";
    summary.samples_per_second = wire::Interval{800, 780, 820, 6};
    summary.peak_memory_bytes.total = 200 << 20;
    auto result = wire::toJson(summary);
    if (bf16 > 0) result["peaks"] = {{"bf16_over_fp32", bf16}};
    return {"profile", result, {summary.id}};
  }
  static Outcome raced(const std::string& verdict, double ratio, bool same_quality = true, double half = 0.02) {
    wire::RaceSummary race;
    race.a.samples_per_second = wire::Interval{800, 780, 820, 8};
    race.b.samples_per_second = wire::Interval{800 * ratio, 780 * ratio, 820 * ratio, 8};
    race.ratio = wire::Interval{ratio, ratio - half, ratio + half, 8};
    race.verdict = verdict;
    race.same_quality = same_quality;
    return {"race", toJson(race), {"20261130-104512-aaaaaa", "20261130-104512-bbbbbb"}};
  }
  static std::string obstacle(const LabSession& session, const std::string& step) {
    const auto why = session.obstacle(step);
    if (!why) return {};
    for (const char* language : {"en", "fr"}) {
      const auto text = localText(*why, wire::Catalog::builtIn(language));
      EXPECT_NE(text, why->id);
      EXPECT_EQ(text.find('{'), std::string::npos) << text;
    }
    return why->id;
  }
  static CheckResult reaches(const LabSession& session) {
    auto result = session.checks("top").at(0);
    for (const char* language : {"en", "fr"}) {
      const auto catalog = wire::Catalog::builtIn(language);
      EXPECT_TRUE(catalog.has(result.sentence.id)) << result.sentence.id;
      EXPECT_EQ(sentenceText(result, catalog).find('{'), std::string::npos) << sentenceText(result, catalog);
    }
    return result;
  }
};

TEST(LadderArithmeticTest, GainsMultiplyAndTheirErrorsAddInQuadrature) {
  const wire::Interval one{2, 2 / 1.1, 2 * 1.1, 8}, other{3, 3 / 1.1, 3 * 1.1, 6};
  const auto both = product(one, other);
  EXPECT_DOUBLE_EQ(both.median, 6);
  const double half = std::exp(std::sqrt(2.0) * std::log(1.1));
  EXPECT_NEAR(both.low, 6 / half, 1e-12);
  EXPECT_NEAR(both.high, 6 * half, 1e-12);
  const auto same = product({1, 1, 1, 0}, one);
  EXPECT_NEAR(same.low, one.low, 1e-12);
  EXPECT_NEAR(same.high, one.high, 1e-12);
  EXPECT_EQ(same.count, 8);
  EXPECT_EQ(product({1, 0, 2, 8}, one).low, 0) << "an end that is no ratio leaves none";
}

TEST_F(LadderTest, NothingStandsOnAFootThatWasNotMeasured) {
  const LabSession session(tiny());
  for (const char* step : {"workers", "fused", "top", "after"}) EXPECT_EQ(obstacle(session, step), "ladder.no_foot") << step;
  EXPECT_EQ(obstacle(session, "foot"), "");
  EXPECT_EQ(reaches(session).state, CheckState::NotRun);
  EXPECT_FALSE(session.ladder("foot").anyRaced());
  EXPECT_EQ(session.ladder("foot").rungs.size(), 2U);
  EXPECT_TRUE(session.ladder("workers").empty()) << "no foot itself";
}

TEST_F(LadderTest, ARungRacesTheBestSoFar) {
  LabSession session(tiny());
  session.record("foot", measured());
  const auto first = session.request("workers");
  EXPECT_EQ(first.spec, (json{{"model", "cnn"}, {"batch", 128}, {"steps", 48}, {"inject", "slow-loader"}}))
      << "the foot's keys without its profiler";
  EXPECT_EQ(first.b, (json{{"workers", 8}}));
  EXPECT_FALSE(session.request("fused").spec.contains("workers")) << "nobody knows yet whether they pay";
  session.record("workers", raced("faster", 3));
  EXPECT_EQ(session.request("fused").spec["workers"], 8);
  EXPECT_EQ(session.request("fused").b, (json{{"fused", true}}));
  session.record("fused", raced("no-difference", 1.01));
  const auto top = session.request("top");
  EXPECT_EQ(top.b, (json{{"workers", 8}})) << "what did not win is not kept";
  EXPECT_FALSE(top.spec.contains("workers")) << "A is the foot";
  EXPECT_EQ(top.spec["steps"], 160);
  const auto after = session.request("after");
  EXPECT_EQ(after.spec["workers"], 8);
  EXPECT_EQ(after.spec["profile"], "active=3");
}

TEST_F(LadderTest, WhatCostsQualityIsNotKept) {
  LabSession session(tiny());
  session.record("foot", measured());
  session.record("workers", raced("faster", 3, false));
  EXPECT_FALSE(session.request("fused").spec.contains("workers"));
  session.record("fused", raced("slower", 0.9));
  EXPECT_EQ(obstacle(session, "top"), "ladder.nothing_kept");
  EXPECT_FALSE(session.applicable("top"));
  EXPECT_TRUE(session.done("top")) << "there is nothing to do";
  EXPECT_EQ(reaches(session).sentence.id, "check.ladder_reaches.failed.nothing");
}

TEST_F(LadderTest, TheWholeWaitsForAKeptRung) {
  LabSession session(tiny());
  session.record("foot", measured());
  EXPECT_EQ(obstacle(session, "top"), "ladder.not_climbed");
  EXPECT_TRUE(session.applicable("top"));
  session.record("workers", raced("faster", 3));
  EXPECT_EQ(obstacle(session, "top"), "");
  EXPECT_EQ(reaches(session).sentence.id, "check.ladder_reaches.not-run.rungs");
}

TEST_F(LadderTest, AnotherOutcomeBelowForgetsWhatStandsAbove) {
  LabSession session(tiny());
  session.record("foot", measured());
  session.record("workers", raced("faster", 3));
  session.record("fused", raced("faster", 1.1));
  session.record("top", raced("faster", 3.2));
  session.record("workers", raced("faster", 2.9));
  EXPECT_TRUE(session.progress("fused").outcome) << "the same is carried on";
  session.record("workers", raced("no-difference", 1));
  EXPECT_FALSE(session.progress("fused").outcome);
  EXPECT_FALSE(session.progress("top").outcome);
  session.record("workers", raced("faster", 3));
  session.record("foot", measured());
  EXPECT_FALSE(session.progress("workers").outcome) << "another foot, another ladder";
}

TEST_F(LadderTest, WhatWasRacedIsRememberedWhateverTheKnobSaysNow) {
  LabSession session(tiny());
  session.record("foot", measured());
  session.setKnob("workers", "workers", 4, true);
  session.record("workers", raced("faster", 2));
  session.setKnob("workers", "workers", 2, true);
  EXPECT_EQ(session.request("fused").spec["workers"], 4);
  ASSERT_TRUE(session.save(m_root).ok());
  LabSession again(tiny());
  ASSERT_TRUE(again.load(m_root).ok());
  EXPECT_EQ(again.request("fused").spec["workers"], 4);
}

TEST_F(LadderTest, TheFactorIsTheProductOfWhatWasKept) {
  LabSession session(tiny());
  session.record("foot", measured());
  session.record("workers", raced("faster", 3));
  session.record("fused", raced("slower", 0.8));
  const auto ladder = session.ladder("foot");
  ASSERT_EQ(ladder.rungs.size(), 2U);
  EXPECT_EQ(ladder.rungs[0].title, "Workers");
  EXPECT_DOUBLE_EQ(ladder.rungs[0].factor->median, 3);
  EXPECT_DOUBLE_EQ(ladder.rungs[1].factor->median, 3);
  EXPECT_DOUBLE_EQ(ladder.climbed()->median, 3);
  EXPECT_DOUBLE_EQ(*epochSeconds(ladder, ladder.foot), 75);
  EXPECT_DOUBLE_EQ(*epochSeconds(ladder, ladder.rungs[0].with), 25);
  EXPECT_FALSE(epochSeconds(ladder, {}));
}

TEST_F(LadderTest, TheThresholdDependsOnWhatTheMachineMeasured) {
  for (const auto& [bf16, state] : {std::pair(0.5, CheckState::Passed), std::pair(3.0, CheckState::Failed)}) {
    LabSession session(tiny());
    session.record("foot", measured(bf16));
    session.record("workers", raced("faster", 3));
    session.record("fused", raced("no-difference", 1));
    EXPECT_EQ(reaches(session).sentence.id, "check.ladder_reaches.not-run.whole");
    session.record("top", raced("faster", 3));
    EXPECT_EQ(reaches(session).state, state) << bf16;
    session.record("top", raced("faster", 3, false));
    EXPECT_EQ(reaches(session).sentence.id, "check.ladder_reaches.failed.quality");
    session.record("top", raced("machine-busy", 3));
    EXPECT_EQ(reaches(session).state, CheckState::Noise);
  }
}

TEST_F(LadderTest, TheTableTellsEveryRungInBothLanguages) {
  LabSession session(tiny());
  session.record("foot", measured());
  const auto* top = session.lab().find("top");
  EXPECT_EQ(session.body(*top, "en").find("{ladder"), std::string::npos);
  session.record("workers", raced("faster", 3));
  session.record("fused", raced("machine-busy", 1.1));
  session.record("top", raced("faster", 2.9));
  for (const char* language : {"en", "fr"}) {
    const auto catalog = wire::Catalog::builtIn(language);
    const auto lines = ladderLines(session.ladder("foot"), catalog);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[1].change, "workers = 8");
    EXPECT_TRUE(lines[1].keys);
    EXPECT_NE(lines[1].verdict, lines[2].verdict);
    EXPECT_EQ(lines[1].epoch, wire::Format(language).duration(25));
    EXPECT_EQ(lines[3].factor, wire::Format(language).ratio(2.9));
    EXPECT_EQ(ladderHead(catalog).size(), 8U);
    const auto body = session.body(*top, language);
    EXPECT_NE(body.find("| `workers = 8` |"), std::string::npos) << body;
  }
}

TEST_F(LadderTest, AStepCantStandOnWhatIsNoFoot) {
  const auto refuses = [&](const std::string& from, const std::string& to, const std::string& id) {
    write("lab.toml", with(kLadderToml, from, to));
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok()) << id;
    EXPECT_EQ(lab.error().messages.front().id, id);
  };
  const std::string rung = "ladder = \"foot\"\nknobs_b";
  refuses(rung, "ladder = \"feet\"\nknobs_b", "lab.unknown_step");
  refuses(rung, "ladder = \"fused\"\nknobs_b", "lab.ladder_without_foot");
  refuses(rung, "ladder = \"foot\"\nplan = \"foot\"\nknobs_b", "lab.ladder_and_plan");
  refuses("kind = \"breakdown_sums\"\npercent = 5", "kind = \"larger_batch\"\ntimes = 2\nthan = \"foot\"",
          "lab.check_needs_max_batch");
  write("lab.toml", kLadderToml);
  write("en.md", with(kLadderText, "{ladder.foot}", "{ladder.workers}"));
  const auto lab = loadLab(m_folder, "en");
  ASSERT_FALSE(lab.ok());
  EXPECT_EQ(lab.error().messages.front().id, "lab.unknown_placeholder");
}

}  // namespace
}  // namespace atelier::lab
