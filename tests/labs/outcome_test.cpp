#include "labs/outcome.h"

#include "core/wire/number.h"
#include "lab_fixture.h"
#include "labs/figures.h"
#include "labs/reference.h"
#include "profile_json.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

constexpr const char* kRun = "20261130-104512-3f9a1c";

class OutcomeTest : public LabFixture {
 protected:
  static wire::RunSummary summary() {
    wire::RunSummary summary;
    summary.id = kRun;
    summary.samples_per_second = wire::Interval{2107, 2060, 2160, 10};
    return summary;
  }
  void putProfile(const std::string& content) const {
    const auto folder = m_root / "runs" / kRun;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "profile.json") << content;
  }
};

TEST_F(OutcomeTest, AProfilesTablesStandBesideTheRunsFigures) {
  putProfile(profileJson().dump());
  const auto outcome = outcomeOf("profile", summary(), std::nullopt, m_root);
  EXPECT_EQ(outcome.verb, "profile");
  EXPECT_EQ(outcome.run_ids, std::vector<std::string>{kRun});
  const auto& result = outcome.result;
  EXPECT_DOUBLE_EQ(figureAt(result, "samples_per_second")->median, 2107);
  EXPECT_EQ(namesAt(result, "operators"), (std::vector<std::string>{"aten::convolution_backward", "aten::mkldnn_convolution",
                                                                    "aten::addmm", "aten::copy_"}))
      << "by their own time";
  EXPECT_EQ(namesAt(result, "modules"), (std::vector<std::string>{"model", "1.0"}));
  EXPECT_EQ(namesAt(result, "diagnosis"),
            (std::vector<std::string>{"input_bound", "unfused_optimizer", "dominant_operator"}));
  EXPECT_DOUBLE_EQ(figureAt(result, "shares.data")->median, 0.1);
  EXPECT_DOUBLE_EQ(figureAt(result, "shares.between")->median, 0.01);
  EXPECT_DOUBLE_EQ(figureAt(result, "shares.top")->median, 0.7);
  EXPECT_DOUBLE_EQ(figureAt(result, "shares.copies")->median, 0.05);
  EXPECT_DOUBLE_EQ(figureAt(result, "memory.growth_per_step")->median, 4199424);
  EXPECT_DOUBLE_EQ(figureAt(result, "relu_zeros")->median, 1);
  EXPECT_EQ(namesAt(result, "dead_relus"), std::vector<std::string>{"0.2"}) << "a pooling's zeros are none of a ReLU";
  EXPECT_EQ(planOf(result).size(), 2U);
  EXPECT_FALSE(result["memory"].contains("timeline")) << "what nobody reads is not kept in the learner's progress";
  EXPECT_FALSE(result["diagnosis"][0].contains("events"));
}

TEST_F(OutcomeTest, OnADeviceTheOperatorsAreRankedByItsTime) {
  auto profile = profileJson();
  profile["operators"][3]["device_ns"] = 700;
  const auto kept = keptOfProfile(profile);
  EXPECT_EQ(namesAt(kept, "operators").front(), "aten::copy_");
  EXPECT_DOUBLE_EQ(figureAt(kept, "shares.copies")->median, 0.7);
}

TEST_F(OutcomeTest, ARunThatWasNotProfiledReadsNoProfile) {
  putProfile(profileJson().dump());
  EXPECT_FALSE(outcomeOf("run", summary(), std::nullopt, m_root).result.contains("breakdown"));
}

TEST_F(OutcomeTest, AMissingOrForeignProfileLeavesTheSummary) {
  EXPECT_EQ(outcomeOf("profile", summary(), std::nullopt, m_root).result, wire::toJson(summary()));
  for (const char* content : {"", "{ not json", "[]", "3", "null", "{}", R"({"breakdown": 3})"}) {
    putProfile(content);
    EXPECT_EQ(outcomeOf("profile", summary(), std::nullopt, m_root).result, wire::toJson(summary())) << content;
  }
  auto elsewhere = summary();
  elsewhere.id = std::string("../runs/") + kRun;
  putProfile(profileJson().dump());
  EXPECT_FALSE(outcomeOf("profile", elsewhere, std::nullopt, m_root).result.contains("breakdown")) << "an id is no path";
}

TEST_F(OutcomeTest, TablesOfAnyShapeAreTakenAsFarAsTheyGo) {
  auto profile = profileJson();
  profile["operators"] = json::array({3, json::object(), {{"name", ""}}, {{"name", "aten::mm"}, {"self_ns", "many"}}});
  profile["modules"] = "none";
  profile["diagnosis"] = json::object();
  profile["plan"] = json::array({{{"set", json::object()}}, {{"set", {{"batch", json::array()}}}}, 7});
  profile["memory"] = nullptr;
  profile["health"] = {{"activations", json::array({{{"type", "ReLU"}, {"count", 0}, {"zeros", 0}}})}};
  profile["breakdown"] = {{"wall_ns", 0}};
  const auto kept = keptOfProfile(profile);
  EXPECT_EQ(namesAt(kept, "operators"), std::vector<std::string>{"aten::mm"});
  EXPECT_TRUE(kept["shares"].empty()) << "nothing is a share of no time";
  EXPECT_TRUE(planOf(kept).empty());
  EXPECT_FALSE(kept.contains("relu_zeros"));
  EXPECT_TRUE(findingTitles(kept).empty());
}

TEST_F(OutcomeTest, ListsAreBounded) {
  auto profile = profileJson();
  for (int i = 0; i < 1000; ++i) {
    profile["operators"].push_back({{"name", "aten::op" + std::to_string(i)}, {"calls", 1}, {"self_ns", 1}, {"device_ns", 0}});
    profile["plan"].push_back({{"rule", "small_batch"}, {"set", {{"batch", i}}}, {"predicted", 1.1}});
  }
  const auto kept = keptOfProfile(profile);
  EXPECT_EQ(kept["operators"].size(), 20U);
  EXPECT_EQ(planOf(kept).size(), static_cast<std::size_t>(kMostFixes));
}

TEST_F(OutcomeTest, TheOriginIsTheFirstOfAllThatWereSeen) {
  std::optional<wire::Health> origin;
  wire::Health sound, late, early;
  sound.step = 1;
  late.first_bad_stage = early.first_bad_stage = "forward";
  late.first_bad_step = 9;
  late.first_bad_module = "0.0";
  early.first_bad_step = 3;
  early.first_bad_module = "1.0";
  early.first_bad_operator = "aten::div";
  noteOrigin(origin, sound);
  EXPECT_FALSE(origin);
  for (const auto& looked : {late, early, late, sound}) noteOrigin(origin, looked);
  const auto result = outcomeOf("run", summary(), origin, m_root).result;
  EXPECT_EQ(result["origin"], json({{"module", "1.0"}, {"operator", "aten::div"}, {"stage", "forward"}, {"step", 3}}));
  EXPECT_EQ(namesAt(result, "origin.module"), std::vector<std::string>{"1.0"});
  EXPECT_FALSE(outcomeOf("run", summary(), sound, m_root).result.contains("origin"));
  early.first_bad_module.clear();
  EXPECT_EQ(outcomeOf("run", summary(), early, m_root).result["origin"]["module"], "model");
}

TEST_F(OutcomeTest, FindingsHaveTitlesWithTheirFigures) {
  const auto titles = findingTitles(keptOfProfile(profileJson()));
  ASSERT_EQ(titles.size(), 3U);
  EXPECT_EQ(titles[0], (wire::Message{"rule.input_bound.title", {{"percent", "62"}}}));
  for (const char* language : {"en", "fr"}) {
    const auto text = localText(titles[0], wire::Catalog::builtIn(language));
    EXPECT_NE(text.find("62"), std::string::npos) << text;
    EXPECT_EQ(text.find('{'), std::string::npos) << text;
  }
}

TEST_F(OutcomeTest, NamesAreLeftAloneWhereFiguresAreTranslated) {
  const auto french = wire::Catalog::builtIn("fr");
  const auto text = localText(
      {"evidence.born_in_forward", {{"module", "1.0"}, {"step", "3"}}}, french);
  EXPECT_NE(text.find("1.0"), std::string::npos) << text;
  EXPECT_NE(localText({"evidence.data_wait", {{"milliseconds", "12.5"}, {"percent", "62"}}}, french).find("12,5"),
            std::string::npos);
}

TEST(FiguresTest, WhatTheReferenceNamesExists) {
  for (const auto& figure : exampleFigures("profile")) EXPECT_TRUE(isKnownQuantity("profile", figure)) << figure;
  for (const auto& figure : exampleFigures("run")) EXPECT_TRUE(isKnownQuantity("profile", figure)) << figure;
  for (const auto& list : exampleLists()) EXPECT_TRUE(isKnownList("profile", list)) << list;
}

TEST(FiguresTest, OtherVerbsHaveNoTables) {
  EXPECT_FALSE(isKnownQuantity("run", "shares.data"));
  EXPECT_FALSE(isKnownQuantity("race", "memory.growth_per_step"));
  EXPECT_TRUE(isKnownList("run", "origin.module"));
  EXPECT_FALSE(isKnownList("run", "operators"));
  EXPECT_FALSE(isKnownList("race", "origin.module"));
  EXPECT_FALSE(isKnownList("profile", "status")) << "a text that is no name";
  EXPECT_FALSE(isKnownList("profile", ""));
}

}  // namespace
}  // namespace atelier::lab
