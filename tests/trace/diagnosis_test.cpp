#include "core/trace/diagnosis.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "rules_fixture.h"
#include "trace_builder.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

// Three steps of 100 ms: 60 ms in the stage of the data with nothing to see, then a forward whose head asks for a value.
Trace slowAndSynchronising() {
  TraceBuilder b;
  const auto main = b.track("main thread");
  for (int i = 0; i < 3; ++i) {
    const auto begin = i * 100 * kMs;
    b.step(main, begin, 100 * kMs);
    b.stage(main, Stage::Data, begin, 60 * kMs);
    b.stage(main, Stage::Forward, begin + 60 * kMs, 30 * kMs);
    b.module(main, "head", "Linear", begin + 70 * kMs, 15 * kMs);
    b.op(main, "aten::addmm", begin + 70 * kMs, 8 * kMs);
    b.op(main, "aten::item", begin + 80 * kMs, kMs);
    b.stage(main, Stage::Backward, begin + 90 * kMs, 10 * kMs);
    b.op(main, "aten::mm", begin + 91 * kMs, 8 * kMs);
  }
  return b.build();
}

Finding whole() {
  Finding finding;
  finding.rule = "input_bound";
  finding.severity = Severity::Warning;
  finding.evidence = {{"evidence.data_wait", {{"milliseconds", "36"}, {"percent", "60"}}}, {"evidence.loss_not_finite", {}}};
  finding.args = {{"percent", "60"}};
  finding.share = 0.6;
  finding.expected_gain = 2.5;
  finding.gain_low = 1.43;
  finding.gain_high = 2.5;
  finding.once_a_step = true;
  finding.fix.set = {{"workers", 2}, {"pinned", true}, {"precision", "bf16"}};
  finding.fix.args = {{"workers", "2"}};
  finding.events = {4, 0, 17};
  finding.modules = {"features.0", "model"};
  finding.operators = {"aten::\"odd\"\n"};
  return finding;
}

}  // namespace

TEST(Amdahl, FollowsTheLaw) {
  EXPECT_DOUBLE_EQ(amdahl(0, 100), 1);
  EXPECT_DOUBLE_EQ(amdahl(1, 4), 4);
  EXPECT_DOUBLE_EQ(amdahl(0.5, 2), 4.0 / 3);
  EXPECT_DOUBLE_EQ(amdahl(0.6, std::numeric_limits<double>::infinity()), 2.5);
  EXPECT_DOUBLE_EQ(amdahl(0.9, 1), 1);
  EXPECT_DOUBLE_EQ(amdahl(1.7, 2), 2);  // a share is at most the whole
  EXPECT_DOUBLE_EQ(amdahl(-1, 2), 1);
}

TEST(Diagnosis, FindsNothingWrongWithAHealthyRun) {
  const auto findings = healthyCnn().found();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().rule, "dominant_operator");
  EXPECT_EQ(findings.front().severity, Severity::Healthy);
}

TEST(Diagnosis, GivesAHealthyRunOnlyHintsThatPay) {
  auto it = healthyCnn();
  it.bf16_over_fp32 = 3.7;
  it.channels_last_pays = true;
  EXPECT_EQ(it.rules(), (Names{"missing_amp", "channels_last_missing", "dominant_operator"}));
  for (const auto& finding : it.found()) EXPECT_GE(finding.severity, Severity::Hint) << finding.rule;
}

TEST(Diagnosis, PutsTheWorstFirst) {
  auto it = healthyCnn();
  it.steps(3, 60 * kMs, 0.5, 0.2, 0.2, 0.05);
  it.health.gradient_norm = 400;
  it.health.activations.push_back({"bad", "ReLU", 0, 0, 0, 0, 0, 100, 100, 0, 0});
  it.health.activations.push_back({"worse", "Linear", 0, 0, 0, 0, 0, 100, 0, 5, 0});
  it.bf16_over_fp32 = 2;
  const auto findings = it.found();
  ASSERT_GE(findings.size(), 4U);
  EXPECT_EQ(findings.front().rule, "not_finite");
  EXPECT_EQ(findings[1].rule, "input_bound");  // of the warnings, the one that gains most
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_LE(findings[i - 1].severity, findings[i].severity);
    if (findings[i - 1].severity == findings[i].severity) {
      EXPECT_GE(findings[i - 1].expected_gain, findings[i].expected_gain);
    }
  }
}

TEST(Diagnosis, ReadsAWholeTrace) {
  const auto trace = slowAndSynchronising();
  const auto report = analyse(trace, {});
  const auto findings = diagnose(Facts{trace, report});
  std::set<std::string> rules;
  for (const auto& finding : findings) {
    expectSaid(finding);
    EXPECT_TRUE(finding.fix.set.empty()) << finding.rule << ": a trace has no spec to change";
    rules.insert(finding.rule);
    if (finding.rule == "input_bound") {
      EXPECT_NEAR(finding.share, 0.6, 0.01);
    }
    if (finding.rule == "sync_in_loop") {
      EXPECT_EQ(finding.modules, Names{"head"});
      EXPECT_EQ(finding.args.front().second, "1");
    }
  }
  EXPECT_EQ(rules, (std::set<std::string>{"input_bound", "sync_in_loop"}));
}

TEST(Diagnosis, SaysNothingOfAnEmptyTrace) {
  TraceBuilder b;
  b.track("main thread");
  const auto trace = b.build();
  EXPECT_TRUE(diagnose(Facts{trace, analyse(trace, {})}).empty());
  EXPECT_TRUE(diagnose(Facts{Trace(), Report()}).empty());
}

TEST(Diagnosis, EveryRuleHasItsTextsInBothLanguages) {
  EXPECT_GE(allRules().size(), 20U);
  for (const char* language : {"en", "fr"}) {
    const auto texts = wire::Catalog::builtIn(language);
    for (const auto& rule : allRules())
      for (const char* part : {"title", "why", "fix"})
        EXPECT_TRUE(texts.has("rule." + rule.id + "." + part)) << rule.id << "." << part << " in " << language;
    EXPECT_TRUE(texts.has("rule.dominant_operator.healthy"));
  }
}

TEST(Finding, IsTheSameAfterJson) {
  const auto before = whole();
  const auto after = findingFromJson(nlohmann::json::parse(toJson(before).dump()));
  EXPECT_EQ(after.rule, before.rule);
  EXPECT_EQ(after.severity, before.severity);
  EXPECT_EQ(after.evidence, before.evidence);
  EXPECT_EQ(after.args, before.args);
  EXPECT_EQ(after.share, before.share);
  EXPECT_EQ(after.expected_gain, before.expected_gain);
  EXPECT_EQ(after.gain_low, before.gain_low);
  EXPECT_EQ(after.gain_high, before.gain_high);
  EXPECT_TRUE(after.once_a_step);
  EXPECT_EQ(after.fix.set, before.fix.set);
  EXPECT_EQ(after.fix.args, before.fix.args);
  EXPECT_EQ(after.events, before.events);
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.operators, before.operators);
  for (const auto severity : {Severity::Critical, Severity::Warning, Severity::Hint, Severity::Healthy}) {
    auto finding = before;
    finding.severity = severity;
    EXPECT_EQ(findingFromJson(toJson(finding)).severity, severity);
  }
}

TEST(Finding, HasTheKeysThatScriptsRead) {
  const auto json = toJson(whole());
  EXPECT_EQ(json["rule"], "input_bound");
  EXPECT_EQ(json["severity"], "warning");
  EXPECT_EQ(json["expected_gain"], 2.5);
  EXPECT_EQ(json["fix"]["set"]["workers"], 2);
  EXPECT_EQ(json["evidence"][0]["args"]["percent"], "60");
  auto endless = whole();
  endless.expected_gain = HUGE_VAL;
  EXPECT_TRUE(toJson(endless)["expected_gain"].is_null());
  EXPECT_TRUE(std::isinf(findingFromJson(toJson(endless)).expected_gain));
}

TEST(Finding, ReadsWhatIsDamagedAsFarAsItGoes) {
  for (const char* text : {"null", "[]", "3", "\"x\"", "{}", R"({"rule":7,"evidence":{"id":1},"fix":[],"events":"x"})",
                           R"({"severity":"odd","fix":{"set":[1],"args":3},"modules":[1,null],"args":["a"]})"}) {
    const auto finding = findingFromJson(nlohmann::json::parse(text));
    EXPECT_TRUE(finding.rule.empty()) << text;
    EXPECT_EQ(finding.severity, Severity::Hint) << text;
    EXPECT_TRUE(finding.fix.set.empty() && finding.modules.empty() && finding.args.empty()) << text;
  }
  const auto numbers = findingFromJson(nlohmann::json::parse(R"({"events":[1,-1,1e99,99999999999,2.5,"3",7]})"));
  EXPECT_EQ(numbers.events, (std::vector<std::int32_t>{1, 7}));
}

}  // namespace atelier::trace
