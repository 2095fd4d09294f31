// The kinds of checks that read profiles, choices and plans.
#include <gtest/gtest.h>

#include "labs/check.h"
#include "labs/outcome.h"
#include "profile_json.h"

namespace atelier::lab {
namespace {

using nlohmann::json;
using enum CheckState;

json profiled(json profile = profileJson()) {
  wire::RunSummary summary;
  summary.id = "20261130-104512-3f9a1c";
  auto result = wire::toJson(summary);
  result.update(keptOfProfile(profile));
  return result;
}

struct Given {
  std::string chosen{};
  std::vector<std::string> found{};
  std::vector<AppliedFix> fixes{};
};

CheckResult check(const std::string& kind, json parameters, const json& result, Given given = {}) {
  const CheckSpec spec{"the-check", kind, "step", std::move(parameters)};
  const auto* found = findCheckKind(kind);
  EXPECT_NE(found, nullptr) << kind;
  const Outcome outcome{"profile", result, {}};
  const CheckInput input{spec, &outcome, {}, std::move(given.chosen), std::move(given.found), std::move(given.fixes)};
  auto judged = found->run(input);
  EXPECT_FALSE(judged.wanted.empty());
  for (const char* language : {"en", "fr"}) {
    const auto catalog = wire::Catalog::builtIn(language);
    EXPECT_TRUE(catalog.has(judged.sentence.id)) << judged.sentence.id;
    EXPECT_EQ(sentenceText(judged, catalog).find('{'), std::string::npos) << sentenceText(judged, catalog);
  }
  return judged;
}

CheckState state(const std::string& kind, json parameters, const json& result, Given given = {}) {
  return check(kind, std::move(parameters), result, std::move(given)).state;
}

TEST(CheckProfileTest, TheBreakdownMustBeWhole) {
  const json wanted{{"percent", 5}};
  const auto passed = check("breakdown_sums", wanted, profiled());
  EXPECT_EQ(passed.state, Passed);
  EXPECT_DOUBLE_EQ(*passed.measured, 1);
  EXPECT_EQ(state("breakdown_sums", {{"percent", 0.5}}, profiled()), Failed);
  auto missing = profileJson();
  missing["breakdown"]["forward_ns"] = 200;
  EXPECT_EQ(check("breakdown_sums", wanted, profiled(missing)).sentence.id, "check.breakdown_sums.failed.sum");
  auto twice = profileJson();
  twice["breakdown"]["forward_ns"] = 320;
  twice["breakdown"]["between_ns"] = -10;
  EXPECT_EQ(check("breakdown_sums", wanted, profiled(twice)).sentence.id, "check.breakdown_sums.failed.sum")
      << "the sum is right only because less than nothing lies between";
  auto further = profileJson();
  further["breakdown"]["communication_ns"] = 50;
  EXPECT_EQ(state("breakdown_sums", wanted, profiled(further)), Failed) << "every key in _ns is a part";
  auto timeless = profileJson();
  timeless["breakdown"]["wall_ns"] = 0;
  EXPECT_EQ(state("breakdown_sums", wanted, profiled(timeless)), NotRun);
  timeless["breakdown"] = {{"wall_ns", 1000}, {"between_ns", 0}, {"data_ns", "all"}};
  EXPECT_EQ(state("breakdown_sums", wanted, profiled(timeless)), NotRun);
}

TEST(CheckProfileTest, AChoiceStandsForAllOperatorsThatContainIt) {
  const auto judged = [](const std::string& chosen, int top) {
    return state("names_operator", {{"top", top}}, profiled(), {chosen});
  };
  EXPECT_EQ(judged("convolution", 1), Passed);
  EXPECT_EQ(judged("mkldnn", 1), Failed);
  EXPECT_EQ(judged("mkldnn", 2), Passed);
  EXPECT_EQ(judged("copy_", 3), Failed);
  EXPECT_EQ(judged("copy_", 400), Passed) << "more than there are";
  EXPECT_EQ(judged("", 3), NotPredicted);
  EXPECT_EQ(state("names_operator", json::object(), profiled(), {"addmm"}), Passed) << "the first three, when nothing is said";
  EXPECT_EQ(state("names_operator", {{"top", -5}}, profiled(), {"convolution"}), Passed) << "at least the first";
  EXPECT_EQ(state("names_operator", {{"top", 1e300}}, profiled(), {"copy_"}), Passed);
}

TEST(CheckProfileTest, WhatWasMeasuredIsToldWithoutAChoiceToo) {
  const auto judged = check("names_operator", {{"top", 1}}, profiled());
  EXPECT_EQ(judged.sentence.id, "check.not_chosen");
  EXPECT_NE(sentenceText(judged, wire::Catalog::builtIn("en")).find("aten::convolution_backward"), std::string::npos);
}

TEST(CheckProfileTest, AChoiceIsHeldAgainstTheFirstName) {
  EXPECT_EQ(state("chosen_right", json::object(), profiled(), {"1.0", {"1.0"}}), Passed);
  EXPECT_EQ(state("chosen_right", json::object(), profiled(), {"1.1", {"1.0", "1.1"}}), Failed);
  EXPECT_EQ(state("chosen_right", {{"top", 2}}, profiled(), {"1.1", {"1.0", "1.1"}}), Passed);
  EXPECT_EQ(state("chosen_right", json::object(), profiled(), {"1.0", {}}), NotRun) << "nothing was found";
  const auto french = sentenceText(check("chosen_right", json::object(), profiled(), {"1.0", {"1.0"}}),
                                   wire::Catalog::builtIn("fr"));
  EXPECT_NE(french.find("1.0"), std::string::npos) << "a module's name is no number: " << french;
}

TEST(CheckProfileTest, TheDiagnosisNamesWhatTheLessonIsAbout) {
  const auto first = check("diagnosis_names", {{"rule", {"input_bound"}}, {"first", true}}, profiled());
  EXPECT_EQ(first.state, Passed);
  ASSERT_EQ(first.quoted.size(), 2U) << "title and evidence";
  EXPECT_EQ(first.quoted[0].id, "rule.input_bound.title");
  EXPECT_EQ(first.quoted[1].id, "evidence.data_wait");
  const auto text = sentenceText(first, wire::Catalog::builtIn("fr"));
  EXPECT_NE(text.find("12,5"), std::string::npos) << text;
  const auto later = check("diagnosis_names", {{"rule", {"unfused_optimizer"}}}, profiled());
  EXPECT_EQ(later.state, Passed);
  EXPECT_EQ(later.sentence.id, "check.diagnosis_names.passed.later");
  EXPECT_EQ(state("diagnosis_names", {{"rule", {"unfused_optimizer"}}, {"first", true}}, profiled()), Failed);
  EXPECT_EQ(state("diagnosis_names", {{"rule", {"not_finite", "unfused_optimizer"}}}, profiled()), Passed);
  const auto other = check("diagnosis_names", {{"rule", {"not_finite"}}}, profiled());
  EXPECT_EQ(other.state, Failed);
  EXPECT_EQ(other.quoted.at(0).id, "rule.input_bound.title") << "what it says instead";
}

TEST(CheckProfileTest, WhatIsHealthyIsNoFinding) {
  EXPECT_EQ(state("diagnosis_names", {{"rule", {"dominant_operator"}}}, profiled()), Failed);
  EXPECT_EQ(state("diagnosis_silent", {{"rules", {"dominant_operator"}}}, profiled()), Passed);
  auto sound = profileJson();
  sound["diagnosis"] = json::array();
  EXPECT_EQ(check("diagnosis_names", {{"rule", {"input_bound"}}}, profiled(sound)).sentence.id,
            "check.diagnosis_names.failed.nothing");
}

TEST(CheckProfileTest, TheDiagnosisIsSilentOnWhatIsNotThere) {
  EXPECT_EQ(state("diagnosis_silent", {{"rules", {"memory_leak", "not_finite"}}}, profiled()), Passed);
  const auto named = check("diagnosis_silent", {{"rules", {"memory_leak", "input_bound"}}}, profiled());
  EXPECT_EQ(named.state, Failed);
  EXPECT_EQ(named.quoted.at(0).id, "rule.input_bound.title");
}

TEST(CheckProfileTest, AnOriginHasModuleAndStep) {
  auto result = profiled();
  result["origin"] = {{"module", "1.0"}, {"operator", "aten::div"}, {"stage", "forward"}, {"step", 3}};
  const auto passed = check("finding_origin", {{"operator", true}}, result);
  EXPECT_EQ(passed.state, Passed);
  EXPECT_DOUBLE_EQ(*passed.measured, 3);
  const auto text = sentenceText(passed, wire::Catalog::builtIn("fr"));
  for (const char* part : {"1.0", "aten::div", "pas 3"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  result["origin"]["operator"] = "";
  EXPECT_EQ(state("finding_origin", {{"operator", true}}, result), Failed);
  EXPECT_EQ(check("finding_origin", json::object(), result).sentence.id, "check.finding_origin.passed.module");
  EXPECT_EQ(check("finding_origin", json::object(), profiled()).sentence.id, "check.finding_origin.failed.nowhere");
  result["origin"] = {{"module", "1.0"}, {"step", "third"}};
  EXPECT_EQ(state("finding_origin", json::object(), result), Failed);
  result["origin"] = {{"module", "1.0"}, {"step", 1e300}};
  EXPECT_EQ(state("finding_origin", json::object(), result), Passed);
}

std::vector<AppliedFix> raced(const std::vector<std::string>& verdicts) {
  std::vector<AppliedFix> fixes;
  for (const auto& verdict : verdicts) {
    AppliedFix fix{"fix", static_cast<int>(fixes.size()) + 1, Fix{"any", {{"batch", 64}}, 1.5}};
    fix.verdict = verdict;
    if (!verdict.empty()) fix.measured = wire::Interval{1.25, 1.2, 1.3, 8};
    fixes.push_back(fix);
  }
  return fixes;
}

TEST(CheckProfileTest, APlanIsTestedWhenItsRacesHaveDecided) {
  const json two{{"at_least", 2}};
  EXPECT_EQ(state("plan_steps", two, profiled(), {{}, {}, raced({"", ""})}), NotRun);
  EXPECT_EQ(state("plan_steps", two, profiled(), {{}, {}, raced({"faster", ""})}), NotRun);
  EXPECT_EQ(state("plan_steps", two, profiled(), {{}, {}, raced({"faster", "machine-busy"})}), Noise);
  const auto passed = check("plan_steps", two, profiled(), {{}, {}, raced({"faster", "slower"})});
  EXPECT_EQ(passed.state, Passed) << "a change that loses is a result";
  EXPECT_DOUBLE_EQ(*passed.measured, 1.25) << "only what won was kept";
  EXPECT_NE(sentenceText(passed, wire::Catalog::builtIn("en")).find("2.25"), std::string::npos) << "1.5 × 1.5 was predicted";
}

TEST(CheckProfileTest, AShorterPlanAsksForNoMoreThanItHas) {
  const json three{{"at_least", 3}};
  const auto passed = check("plan_steps", three, profiled(), {{}, {}, raced({"faster", "no-difference"})});
  EXPECT_EQ(passed.state, Passed);
  EXPECT_EQ(passed.sentence.id, "check.plan_steps.passed.short");
  EXPECT_EQ(state("plan_steps", three, profiled(), {{}, {}, raced({"faster"})}), NotRun);
  auto empty = profileJson();
  empty["plan"] = json::array();
  EXPECT_EQ(check("plan_steps", three, profiled(empty)).sentence.id, "check.plan_steps.not-run.empty")
      << "nothing was tested, so nothing passes";
}

TEST(CheckProfileTest, TheRaceOfAllTogetherIsNoChangeOfItsOwn) {
  auto fixes = raced({"faster", "faster"});
  fixes[1].number = 0;
  EXPECT_EQ(state("plan_steps", {{"at_least", 2}}, profiled(), {{}, {}, fixes}), NotRun);
}

TEST(CheckProfileTest, ARunThatFailedIsNotJudged) {
  auto failed = profiled();
  failed["status"] = "failed";
  const json parameters{{"percent", 5}, {"rule", {"input_bound"}}, {"rules", {"memory_leak"}}, {"at_least", 1}};
  for (const char* kind : {"breakdown_sums", "names_operator", "chosen_right", "diagnosis_names", "diagnosis_silent",
                           "finding_origin", "plan_steps"})
    EXPECT_EQ(state(kind, parameters, failed, {"convolution", {"convolution"}, raced({"faster"})}), NotRun) << kind;
}

}  // namespace
}  // namespace atelier::lab
