// Steps that apply a plan: what they race, what is carried on, and what happens where the plan has nothing for them.
#include "core/wire/number.h"
#include "lab_fixture.h"
#include "labs/outcome.h"
#include "labs/session.h"
#include "profile_json.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

constexpr const char* kPlanToml = R"(id = "tiny"
number = "1.1"
half_day = "day1-morning"

[[step]]
id = "profile"
[step.prediction]
quantity = "operators"
unit = "name"
choices = ["convolution", "addmm", "copy_"]
[step.experiment]
verb = "profile"
knobs = ["batch"]
spec = { model = "cnn", steps = 30, profile = "active=3", inject = "slow-loader" }
[[step.check]]
id = "top"
kind = "names_operator"

[[step]]
id = "one"
[step.experiment]
verb = "race"
plan = "profile"
b_from_plan = 1
knobs = ["threads"]
spec = { steps = 16, blocks = 8 }

[[step]]
id = "two"
[step.experiment]
verb = "race"
plan = "profile"
b_from_plan = 2
spec = { steps = 16, blocks = 8 }

[[step]]
id = "three"
[step.experiment]
verb = "race"
plan = "profile"
b_from_plan = 3
spec = { steps = 16, blocks = 8 }

[[step]]
id = "all"
[step.experiment]
verb = "race"
plan = "profile"
spec = { steps = 16, blocks = 8 }
[[step.check]]
id = "plan"
kind = "plan_steps"
on = "profile"
at_least = 3
)";

constexpr const char* kPlanText = R"(# Tiny
> What would be faster?

## profile | The profile
Chosen {prediction.profile}, measured {measured.profile}.

## one | One
{plan.profile}

Again {plan.profile}

## two | Two
Two.

## three | Three
Three.

## all | All
All.
)";

class SessionPlanTest : public LabFixture {
 protected:
  void SetUp() override {
    LabFixture::SetUp();
    write("lab.toml", kPlanToml);
    for (const char* language : {"en", "fr"}) write(std::string(language) + ".md", kPlanText);
  }
  static Outcome profiled(const json& profile = profileJson()) {
    wire::RunSummary summary;
    summary.id = "20261130-104512-3f9a1c";
    auto result = wire::toJson(summary);
    result.update(keptOfProfile(profile));
    return {"profile", result, {summary.id}};
  }
  static Outcome raced(const std::string& verdict, double ratio, bool same_quality = true) {
    wire::RaceSummary race;
    race.ratio = wire::Interval{ratio, ratio - 0.02, ratio + 0.02, 8};
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
  static CheckResult planCheck(const LabSession& session) { return session.checks("all").at(0); }
};

TEST_F(SessionPlanTest, BeforeTheProfileNothingCanBeRaced) {
  const LabSession session(tiny());
  for (const char* step : {"one", "two", "three", "all"}) {
    EXPECT_EQ(obstacle(session, step), "lab.plan_not_profiled") << step;
    EXPECT_TRUE(session.applicable(step)) << "it may still be";
    EXPECT_FALSE(session.done(step));
    EXPECT_TRUE(session.request(step).b.empty());
  }
  EXPECT_EQ(obstacle(session, "profile"), "");
  EXPECT_EQ(planCheck(session).state, CheckState::NotRun);
}

TEST_F(SessionPlanTest, TheFirstFixRacesAgainstWhatWasProfiled) {
  LabSession session(tiny());
  session.setKnob("profile", "batch", 32, false);
  session.setKnob("one", "threads", 2, false);
  session.record("profile", profiled());
  const auto request = session.request("one");
  EXPECT_EQ(request.verb, "race");
  EXPECT_EQ(request.spec, json({{"model", "cnn"},
                                {"steps", 16},
                                {"blocks", 8},
                                {"batch", 32},
                                {"threads", 2},
                                {"inject", "slow-loader"}}))
      << "with the fault that the plan is about, without the profiler";
  EXPECT_EQ(request.b, json({{"workers", 2}}));
  EXPECT_EQ(obstacle(session, "one"), "");
}

TEST_F(SessionPlanTest, WhatWinsIsCarriedOn) {
  LabSession session(tiny());
  session.record("profile", profiled());
  session.record("one", raced("faster", 2.4));
  EXPECT_EQ(session.request("two").spec["workers"], 2);
  EXPECT_EQ(session.request("two").b, json({{"fused", true}}));
  EXPECT_FALSE(session.request("one").spec.contains("workers")) << "the first race stays what it was";
  for (const auto& lost :
       {raced("slower", 0.8), raced("no-difference", 1), raced("machine-busy", 2), raced("faster", 2, false)}) {
    session.record("one", lost);
    EXPECT_FALSE(session.request("two").spec.contains("workers")) << lost.result["verdict"];
  }
}

TEST_F(SessionPlanTest, AllThatWonRacesAgainstTheStart) {
  LabSession session(tiny());
  session.record("profile", profiled());
  EXPECT_EQ(obstacle(session, "all"), "lab.plan_not_raced");
  EXPECT_FALSE(session.done("all"));
  session.record("one", raced("faster", 2.4));
  EXPECT_EQ(obstacle(session, "all"), "");
  session.record("two", raced("faster", 1.1));
  const auto request = session.request("all");
  EXPECT_FALSE(request.spec.contains("workers"));
  EXPECT_FALSE(request.spec.contains("fused"));
  EXPECT_EQ(request.b, json({{"workers", 2}, {"fused", true}}));
  const auto together = session.fixes("profile").at(3);
  EXPECT_EQ(together.number, 0);
  EXPECT_DOUBLE_EQ(together.fix->predicted, 2.6 * 1.2);
}

TEST_F(SessionPlanTest, APlanThatIsTooShortLeavesTheStepDone) {
  LabSession session(tiny());
  session.record("profile", profiled());
  EXPECT_EQ(obstacle(session, "three"), "lab.plan_too_short");
  EXPECT_FALSE(session.applicable("three"));
  EXPECT_TRUE(session.done("three"));
  EXPECT_TRUE(session.applicable("two"));
  EXPECT_FALSE(session.done("two"));
  const auto third = session.fixes("profile").at(2);
  EXPECT_FALSE(third.applicable);
  EXPECT_EQ(third.why_not->id, "lab.plan_too_short");
}

TEST_F(SessionPlanTest, WhereNothingWonThereIsNothingToPutTogether) {
  LabSession session(tiny());
  session.record("profile", profiled());
  session.record("one", raced("slower", 0.8));
  EXPECT_EQ(obstacle(session, "all"), "lab.plan_not_raced") << "the second may still win";
  session.record("two", raced("no-difference", 1));
  EXPECT_EQ(obstacle(session, "all"), "lab.plan_nothing_won");
  EXPECT_FALSE(session.applicable("all"));
  EXPECT_TRUE(session.done("all"));
  EXPECT_EQ(planCheck(session).state, CheckState::Passed) << "two races decided, and the plan has no third";
}

TEST_F(SessionPlanTest, AnEmptyPlanIsAResult) {
  LabSession session(tiny());
  auto profile = profileJson();
  profile["plan"] = json::array();
  session.record("profile", profiled(profile));
  for (const char* step : {"one", "two", "three", "all"}) {
    EXPECT_EQ(obstacle(session, step), "lab.plan_empty");
    EXPECT_TRUE(session.done(step));
  }
  EXPECT_EQ(planCheck(session).state, CheckState::NotRun);
}

TEST_F(SessionPlanTest, AFailedProfileHasNoPlan) {
  LabSession session(tiny());
  auto failed = profiled();
  failed.result["status"] = "failed";
  session.record("profile", failed);
  EXPECT_EQ(obstacle(session, "one"), "lab.plan_not_profiled");
  auto bare = profiled();
  bare.result.erase(std::string("plan"));
  session.record("profile", bare);
  EXPECT_EQ(obstacle(session, "one"), "lab.plan_not_profiled") << "its profile was not there to read";
}

TEST_F(SessionPlanTest, ANewProfileForgetsTheRacesOfTheOldPlan) {
  LabSession session(tiny());
  session.record("profile", profiled());
  session.record("one", raced("faster", 2.4));
  session.record("two", raced("faster", 1.1));
  session.record("profile", profiled());
  for (const char* step : {"one", "two"}) EXPECT_FALSE(session.progress(step).outcome) << step;
}

TEST_F(SessionPlanTest, AnotherResultForgetsTheRacesThatWereBuiltOnIt) {
  LabSession session(tiny());
  session.record("profile", profiled());
  session.record("one", raced("faster", 2.4));
  session.record("two", raced("faster", 1.1));
  session.record("one", raced("faster", 2.3));
  EXPECT_TRUE(session.progress("two").outcome) << "the same change is carried on";
  session.record("one", raced("no-difference", 1));
  EXPECT_TRUE(session.progress("one").outcome);
  EXPECT_FALSE(session.progress("two").outcome) << "its baseline is another now";
  session.record("two", raced("faster", 1.1));
  session.record("two", raced("slower", 0.9));
  EXPECT_TRUE(session.progress("one").outcome) << "what came before stays";
}

TEST_F(SessionPlanTest, MeasuredStandsBesidePredicted) {
  LabSession session(tiny());
  session.record("profile", profiled());
  session.record("one", raced("faster", 2.4));
  const auto fixes = session.fixes("profile");
  ASSERT_EQ(fixes.size(), 4U);
  EXPECT_EQ(fixes[0].step, "one");
  EXPECT_EQ(fixes[0].fix->rule, "input_bound");
  EXPECT_DOUBLE_EQ(fixes[0].fix->predicted, 2.6);
  EXPECT_DOUBLE_EQ(fixes[0].measured->median, 2.4);
  EXPECT_TRUE(fixes[0].won());
  EXPECT_FALSE(fixes[1].raced());
  EXPECT_EQ(session.fixes("one").size(), 0U);
  const auto body = session.body(*session.lab().find("one"), "en");
  EXPECT_NE(body.find("| `workers = 2` | 2.60× | 2.40× [2.38, 2.42] |"), std::string::npos) << body;
  EXPECT_NE(body.find("Again {plan.profile}"), std::string::npos) << "once is enough";
}

TEST_F(SessionPlanTest, WhatWasRacedSurvivesARoundTrip) {
  LabSession session(tiny());
  session.predict("profile", 1);
  session.record("profile", profiled());
  session.record("one", raced("faster", 2.4));
  ASSERT_TRUE(session.save(m_root).ok());
  LabSession again(tiny());
  ASSERT_TRUE(again.load(m_root).ok());
  EXPECT_EQ(again.request("two").spec, session.request("two").spec);
  EXPECT_DOUBLE_EQ(again.fixes("profile").at(0).fix->predicted, 2.6);
  EXPECT_EQ(again.chosen("profile"), "addmm");
  EXPECT_EQ(toJson(again.allChecks()), toJson(session.allChecks()));
}

TEST_F(SessionPlanTest, AChoiceIsMadeBeforeTheExperiment) {
  LabSession session(tiny());
  for (const double foreign : {-1.0, 3.0, 0.5, 1e300}) session.predict("profile", foreign);
  EXPECT_EQ(session.chosen("profile"), "");
  EXPECT_TRUE(session.body(session.step(), "en").starts_with("Chosen —, measured —."));
  session.predict("profile", 0);
  EXPECT_EQ(session.chosen("profile"), "convolution");
  session.record("profile", profiled());
  EXPECT_FALSE(session.mayPredict("profile"));
  session.predict("profile", 2);
  EXPECT_EQ(session.chosen("profile"), "convolution");
  EXPECT_TRUE(session.body(session.step(), "fr").starts_with("Chosen convolution, measured aten::convolution_backward."));
  EXPECT_EQ(session.checks("profile").at(0).state, CheckState::Passed);
  const auto comparison = session.predictions().at(0);
  EXPECT_EQ(comparison.chosen, "convolution");
  EXPECT_EQ(comparison.found, "aten::convolution_backward");
  EXPECT_FALSE(comparison.measured);
}

TEST_F(SessionPlanTest, AChoiceCanBeGivenWithoutADisplay) {
  LabSession session(tiny());
  ASSERT_TRUE(session.takeAnswers({{"profile", "copy_"}}).ok());
  EXPECT_EQ(session.chosen("profile"), "copy_");
  const auto first = [&](const json& answers) {
    const auto status = session.takeAnswers(answers);
    return status.ok() ? std::string("taken") : status.error().messages.front().id;
  };
  EXPECT_EQ(first({{"profile", "matmul"}}), "lab.answer_not_offered");
  EXPECT_EQ(first({{"profile", 1}}), "lab.answer_not_offered") << "an index says nothing to who reads the file";
  EXPECT_EQ(first({{"one", "copy_"}}), "lab.answer_no_prediction");
}

TEST_F(SessionPlanTest, ForeignProgressIsNoChoiceAndNoFix) {
  std::filesystem::create_directories(m_root / "course");
  std::ofstream(m_root / "course" / "tiny.json")
      << R"({"v":1,"lab":"tiny","index":0,"steps":{"profile":{"prediction":1e300,"outcome":{"verb":"profile","result":
      {"status":"done","plan":[{"set":7},{"set":{"batch":[1]}},{"set":{"fused":true},"predicted":"much"}]}}},
      "one":{"outcome":{"verb":"race","result":{"verdict":"faster","ratio":{"median":2}},"applied":{"set":[]}}}}})";
  LabSession session(tiny());
  ASSERT_TRUE(session.load(m_root).ok());
  EXPECT_EQ(session.chosen("profile"), "");
  EXPECT_EQ(session.request("one").b, json({{"fused", true}}));
  EXPECT_FALSE(session.fixes("profile").at(0).raced()) << "nobody knows what was raced there";
  EXPECT_FALSE(session.request("two").spec.contains("fused"));
}

// The mistakes that an author can make about all this.
class PlanTomlTest : public SessionPlanTest {
 protected:
  void refuses(const std::string& from, const std::string& to, const std::string& id) const {
    write("lab.toml", with(kPlanToml, from, to));
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok()) << "expected " << id;
    EXPECT_EQ(lab.error().messages.front().id, id);
    for (const char* language : {"en", "fr"}) {
      const auto text = wire::Catalog::builtIn(language).text(lab.error().messages.front());
      EXPECT_EQ(text.find('{'), std::string::npos) << text;
    }
  }
};

TEST_F(PlanTomlTest, ChoicesAreHeldAgainstWhatTheyAreAbout) {
  refuses("quantity = \"operators\"", "quantity = \"operatrs\"", "lab.unknown_list");
  refuses("quantity = \"operators\"", "quantity = \"samples_per_second\"", "lab.unknown_list");
  refuses("choices = [\"convolution\", \"addmm\", \"copy_\"]", "choices = [\"convolution\"]", "lab.too_few");
  refuses("choices = [\"convolution\", \"addmm\", \"copy_\"]", "choices = [\"copy_\", \"copy_\"]", "lab.twice");
  refuses("choices = [\"convolution\", \"addmm\", \"copy_\"]\n", "", "lab.missing_key");
  refuses("unit = \"name\"", "unit = \"name\"\nmin = 1", "lab.not_of_a_choice");
  refuses("quantity = \"operators\"\nunit = \"name\"\n",
          "quantity = \"samples_per_second\"\nunit = \"ratio\"\nmin = 1\nmax = 2\n", "lab.only_of_a_choice");
  refuses("kind = \"names_operator\"", "kind = \"prediction_within\"\npercent = 5", "lab.no_number");
}

TEST_F(PlanTomlTest, APlanComesFromAProfileThatStandsBefore) {
  refuses("plan = \"profile\"\nb_from_plan = 1", "plan = \"profil\"\nb_from_plan = 1", "lab.unknown_step");
  refuses("plan = \"profile\"\nb_from_plan = 2", "plan = \"one\"\nb_from_plan = 2", "lab.plan_of_no_profile");
  refuses("plan = \"profile\"\nb_from_plan = 1", "b_from_plan = 1", "lab.missing_key");
  refuses("plan = \"profile\"\nb_from_plan = 1", "plan = \"profile\"\nb_from_plan = 10", "lab.out_of_range");
  refuses("plan = \"profile\"\nb_from_plan = 1", "plan = \"profile\"\nb = { fused = true }", "lab.plan_and_b");
  refuses("knobs = [\"batch\"]", "knobs = [\"batch\"]\nplan = \"profile\"", "lab.only_in_a_race");
  auto later = std::string(kPlanToml);
  const auto from = later.find("[[step]]\nid = \"profile\""), to = later.find("[[step]]\nid = \"one\"");
  const auto profile = later.substr(from, to - from);
  later.erase(from, to - from);
  write("lab.toml", later + "\n" + profile);
  const auto lab = loadLab(m_folder, "en");
  ASSERT_FALSE(lab.ok());
  EXPECT_EQ(lab.error().messages.front().id, "lab.plan_later");
}

TEST_F(PlanTomlTest, OnlyAProfileHasAPlanToShow) {
  write("en.md", with(kPlanText, "Two.", "Two {plan.one}."));
  const auto lab = loadLab(m_folder, "en");
  ASSERT_FALSE(lab.ok());
  EXPECT_EQ(lab.error().messages.front().id, "lab.unknown_placeholder");
}

}  // namespace
}  // namespace atelier::lab
