#include "labs/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "labs/plan_text.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

AppliedFix applied(const std::string& verdict, bool kept_quality = true) {
  AppliedFix fix{"fix-1", 1, Fix{"unfused_optimizer", {{"fused", true}, {"batch", 64}}, 1.31}};
  if (verdict.empty()) return fix;
  fix.verdict = verdict;
  fix.kept_quality = kept_quality;
  fix.measured = wire::Interval{1.22, 1.18, 1.26, 8};
  return fix;
}

TEST(PlanTest, FixesSurviveARoundTrip) {
  const Fix fix{"missing_amp", {{"precision", "bf16"}}, 1.4};
  const auto read = fixFromJson(toJson(fix));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rule, fix.rule);
  EXPECT_EQ(read->set, fix.set);
  EXPECT_DOUBLE_EQ(read->predicted, 1.4);
}

TEST(PlanTest, WhatChangesNothingIsNoFix) {
  for (const auto& foreign : {json(), json(3), json::array(), json::object(), json{{"set", json::object()}},
                              json{{"set", {{"batch", nullptr}}}}, json{{"set", {{"batch", json::array({1})}}}}})
    EXPECT_FALSE(fixFromJson(foreign)) << foreign;
  const auto odd = fixFromJson({{"rule", 7}, {"set", {{"batch", 64}, {"other", json::object()}}}, {"predicted", -3}});
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->rule, "");
  EXPECT_EQ(odd->set, (json{{"batch", 64}}));
  EXPECT_DOUBLE_EQ(odd->predicted, 1) << "nothing runs −3 times as fast";
}

TEST(PlanTest, AChangeIsWrittenAsOneTypesIt) {
  EXPECT_EQ(changeText({{"fused", true}, {"batch", 64}, {"precision", "bf16"}}), "batch = 64, fused = true, precision = bf16");
  EXPECT_EQ(changeText(json()), "");
}

TEST(PlanTest, TheProfilerIsNoPartOfWhatIsRaced) {
  const json spec{{"model", "cnn"}, {"inject", "slow-loader"}, {"profile", "on"}, {"profile_memory", true},
                  {"watch", 5},     {"anomaly", true}};
  EXPECT_EQ(withoutProfiling(spec), (json{{"model", "cnn"}, {"inject", "slow-loader"}}));
}

TEST(PlanTest, QualityIsKeptByWhatLearnsAsWellOrBetter) {
  wire::RaceSummary race;
  race.a.loss = 0.40;
  race.b.loss = 0.50;
  EXPECT_FALSE(keptQuality(race));
  race.same_quality = true;
  EXPECT_TRUE(keptQuality(race));
  race.same_quality = false;
  race.b.loss = 0.30;
  EXPECT_TRUE(keptQuality(race)) << "a lower loss costs nothing";
  race.a.accuracy = 0.9;
  race.b.accuracy = 0.8;
  EXPECT_FALSE(keptQuality(race)) << "what was evaluated counts, not the training loss";
  race.b.accuracy = 0.95;
  EXPECT_TRUE(keptQuality(race));
  race.b.accuracy.reset();
  race.b.loss = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(keptQuality(race)) << "a loss that is no number keeps nothing";
}

TEST(PlanTest, AWinnerIsFasterAndLearnsAsWell) {
  EXPECT_FALSE(applied("").raced());
  EXPECT_TRUE(applied("faster").won());
  EXPECT_FALSE(applied("faster", false).won());
  for (const char* verdict : {"slower", "no-difference", "machine-busy"}) EXPECT_FALSE(applied(verdict).won()) << verdict;
}

TEST(PlanTextTest, SaysWhatWasPredictedMeasuredAndDecided) {
  const auto english = wire::Catalog::builtIn("en"), french = wire::Catalog::builtIn("fr");
  const auto text = fixText(applied("faster"), english);
  EXPECT_EQ(text.change, "batch = 64, fused = true");
  EXPECT_EQ(text.predicted, "1.31×");
  EXPECT_EQ(text.measured, "1.22×");
  EXPECT_EQ(text.interval, "[1.18, 1.26]");
  EXPECT_EQ(fixText(applied("faster"), french).measured, "1,22\u202f×");
  const auto open = fixText(applied(""), english);
  EXPECT_EQ(open.measured, "—");
  EXPECT_EQ(open.interval, "");
  std::set<std::string> verdicts;
  for (const char* verdict : {"", "faster", "slower", "no-difference", "machine-busy"})
    verdicts.insert(fixText(applied(verdict), french).verdict);
  verdicts.insert(fixText(applied("faster", false), french).verdict);
  EXPECT_EQ(verdicts.size(), 6U) << "each verdict has words of its own";
}

TEST(PlanTextTest, SaysWhyAFixCanNotBeRaced) {
  AppliedFix missing{"fix-3", 3};
  missing.why_not = wire::Message{"lab.plan_too_short", {{"count", "2"}, {"at", "3"}}};
  missing.applicable = false;
  const auto text = fixText(missing, wire::Catalog::builtIn("en"));
  EXPECT_EQ(text.change, "—");
  EXPECT_NE(text.verdict.find("Not applicable here"), std::string::npos) << text.verdict;
}

TEST(PlanTextTest, ATableHasARowAFix) {
  auto odd = applied("faster");
  odd.fix->set = {{"device", "a|b"}};
  const auto table = planMarkdown({applied("faster"), odd}, wire::Catalog::builtIn("en"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
  EXPECT_NE(table.find("| `batch = 64, fused = true` | 1.31× | 1.22× [1.18, 1.26] |"), std::string::npos) << table;
  EXPECT_NE(table.find("a\\|b"), std::string::npos) << "a bar would end the cell";
}

}  // namespace
}  // namespace atelier::lab
