#include "labs/session.h"

#include "core/wire/number.h"
#include "lab_fixture.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

class SessionTest : public LabFixture {
 protected:
  static Outcome raced(double ratio) {
    wire::RaceSummary race;
    race.ratio = wire::Interval{ratio, ratio - 0.05, ratio + 0.05, 10};
    race.verdict = "faster";
    return {"race", toJson(race), {"20261130-104512-3f9a1c", "20261130-104512-aaaaaa"}};
  }
  std::filesystem::path file() const { return m_root / "course" / "tiny.json"; }
};

TEST_F(SessionTest, AsksForWhatTheLearnerChose) {
  LabSession session(tiny());
  EXPECT_EQ(session.request("race").spec, json({{"model", "cnn"}, {"steps", 20}}));
  session.setKnob("race", "batch", 32, false);
  session.setKnob("race", "precision", "bf16", true);
  session.setKnob("race", "precision", "bf16", false);
  session.setKnob("race", "memory_budget", 1, true);
  const auto request = session.request("race");
  EXPECT_EQ(request.verb, "race");
  EXPECT_EQ(request.spec, json({{"model", "cnn"}, {"steps", 20}, {"batch", 32}}));
  EXPECT_EQ(request.b, json({{"channels_last", true}, {"precision", "bf16"}}));
  session.setKnob("race", "batch", nullptr, false);
  EXPECT_FALSE(session.request("race").spec.contains("batch"));
}

TEST_F(SessionTest, APredictionComesBeforeTheExperiment) {
  LabSession session(tiny());
  session.predict("race", 1.5);
  session.record("race", {"race", json{{"a", {{"status", "failed"}}}}, {}});
  EXPECT_TRUE(session.mayPredict("race"));
  session.record("race", raced(1.42));
  EXPECT_FALSE(session.mayPredict("race"));
  session.predict("race", 1.42);
  EXPECT_DOUBLE_EQ(*session.progress("race").prediction, 1.5);
  const auto comparison = session.predictions().at(0);
  EXPECT_DOUBLE_EQ(*comparison.predicted, 1.5);
  EXPECT_DOUBLE_EQ(comparison.measured->median, 1.42);
}

TEST_F(SessionTest, BodyShowsFiguresInTheReadersLanguage) {
  LabSession session(tiny());
  EXPECT_TRUE(session.body(session.step(), "en").starts_with("Predicted —, measured —."));
  session.predict("race", 1.5);
  session.record("race", raced(1.42));
  EXPECT_TRUE(session.body(session.step(), "en").starts_with("Predicted 1.50×, measured 1.42× [1.37, 1.47]."));
  EXPECT_TRUE(session.body(session.step(), "fr").starts_with("Predicted 1,50\u202f×, measured 1,42\u202f× [1,37"));
}

TEST_F(SessionTest, HintsComeOneAtATimeAndTheSolutionIsMarked) {
  LabSession session(tiny());
  EXPECT_EQ(session.nextHint("race"), "Try bf16.");
  EXPECT_EQ(session.nextHint("race"), std::nullopt);
  EXPECT_FALSE(session.checks("race").at(0).solution_shown);
  session.showSolution("race");
  EXPECT_TRUE(session.checks("race").at(0).solution_shown);
  EXPECT_EQ(session.request("race").b["precision"], "bf16");
  EXPECT_EQ(session.request("race").spec["batch"], 64);
  EXPECT_FALSE(session.request("race").b.contains("batch"));
}

TEST_F(SessionTest, IsFinishedWhenAllIsRunAndAnswered) {
  LabSession session(tiny());
  EXPECT_FALSE(session.done("race"));
  session.record("race", {"race", json{{"a", {{"status", "failed"}}}}, {}});
  EXPECT_FALSE(session.done("race"));
  session.record("race", raced(1.1));
  EXPECT_TRUE(session.done("race"));
  EXPECT_FALSE(session.finished());
  session.answer("end", "why", 7);
  EXPECT_FALSE(session.done("end"));
  session.answer("end", "why", 0);
  EXPECT_TRUE(session.finished());
  session.reset();
  EXPECT_FALSE(session.finished());
}

TEST_F(SessionTest, ProgressSurvivesARoundTripAndATranslation) {
  LabSession session(tiny());
  session.predict("race", 1.5);
  session.setKnob("race", "batch", 32, false);
  session.nextHint("race");
  session.record("race", raced(1.42));
  session.answer("end", "why", 1);
  session.goTo(1);
  ASSERT_TRUE(session.save(m_root).ok());

  LabSession again(tiny());
  ASSERT_TRUE(again.load(m_root).ok());
  EXPECT_EQ(again.index(), 1);
  EXPECT_DOUBLE_EQ(*again.progress("race").prediction, 1.5);
  EXPECT_EQ(again.progress("race").hints_shown, 1);
  EXPECT_EQ(again.progress("race").outcome->run_ids, session.progress("race").outcome->run_ids);
  EXPECT_EQ(again.request("race").spec, session.request("race").spec);
  EXPECT_EQ(toJson(again.allChecks()), toJson(session.allChecks()));
  EXPECT_TRUE(again.finished());

  write("fr.md", with(kText, "# Tiny", "# Petit"));
  auto french = loadLab(m_folder, "fr");
  ASSERT_TRUE(french.ok());
  again.translate(std::move(french).value());
  EXPECT_EQ(again.lab().title, "Petit");
  EXPECT_TRUE(again.finished());
  EXPECT_EQ(again.index(), 1);
}

TEST_F(SessionTest, NoFileIsNoProgress) {
  LabSession session(tiny());
  EXPECT_TRUE(session.load(m_root / "nowhere").ok());
}

TEST_F(SessionTest, DamagedProgressIsSetAside) {
  for (const char* damaged : {"{\"v\":1,\"lab\":\"tiny\",", "[]", "{\"v\":1,\"lab\":\"other\",\"steps\":{}}",
                              "{\"v\":9,\"lab\":\"tiny\",\"steps\":{}}"}) {
    std::ofstream(file()) << damaged;
    LabSession session(tiny());
    const auto status = session.load(m_root);
    ASSERT_FALSE(status.ok()) << damaged;
    EXPECT_EQ(status.error().messages.front().id, "lab.progress_damaged");
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_TRUE(std::filesystem::exists(file().string() + ".damaged"));
  }
}

TEST_F(SessionTest, ForeignValuesInProgressAreLeftOut) {
  std::ofstream(file()) << R"({"v":1,"lab":"tiny","index":99,"steps":{"gone":{},"race":{"prediction":"x","hints_shown":99,
    "knobs":{"batch":[1],"seed":3},"quiz":4,"outcome":{"verb":1}},"end":{"quiz":{"why":-1}}}})";
  LabSession session(tiny());
  ASSERT_TRUE(session.load(m_root).ok());
  EXPECT_EQ(session.index(), 0);
  EXPECT_EQ(session.progress("race").prediction, std::nullopt);
  EXPECT_EQ(session.progress("race").hints_shown, 1);
  EXPECT_FALSE(session.progress("race").outcome);
  EXPECT_FALSE(session.request("race").spec.contains("seed"));
  EXPECT_FALSE(session.request("race").spec.contains("batch"));
  EXPECT_FALSE(session.done("end"));
}

TEST_F(SessionTest, TakesAnswersWithoutADisplay) {
  LabSession session(tiny());
  ASSERT_TRUE(session.takeAnswers({{"race", 1.3}, {"end", {{"why", 1}}}}).ok());
  EXPECT_DOUBLE_EQ(*session.progress("race").prediction, 1.3);
  EXPECT_TRUE(session.done("end"));
  const auto first = [&](const json& answers) {
    const auto status = session.takeAnswers(answers);
    return status.ok() ? std::string("taken") : status.error().messages.front().id;
  };
  EXPECT_EQ(first(json::array({1})), "lab.answers_not_object");
  EXPECT_EQ(first({{"rac", 1}}), "lab.answer_unknown_step");
  EXPECT_EQ(first({{"end", 1}}), "lab.answer_no_prediction");
  EXPECT_EQ(first({{"race", 1000}}), "lab.answer_range");
  EXPECT_EQ(first({{"race", "much"}}), "lab.answer_type");
  EXPECT_EQ(first({{"end", {{"why", 2}}}}), "lab.answer_no_choice");
  EXPECT_EQ(first({{"end", {{"who", 0}}}}), "lab.answer_no_choice");
}

TEST_F(SessionTest, ChecksAsJson) {
  LabSession session(tiny());
  session.record("race", raced(1.42));
  const auto list = toJson(session.allChecks());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["step"], "race");
  EXPECT_EQ(list[0]["check"], "gain");
  EXPECT_EQ(list[0]["passed"], true);
  EXPECT_EQ(list[0]["measured"], 1.42);
  EXPECT_EQ(list[0]["wanted"], ">= 1.2");
  EXPECT_EQ(list[1]["state"], "not-predicted");
  EXPECT_EQ(list[1]["passed"], false);
  EXPECT_EQ(list[1]["measured"], 1.42) << "what was measured is told without a prediction too";
  const auto before = toJson(LabSession(tiny()).allChecks());
  ASSERT_TRUE(before[0].contains("measured"));
  EXPECT_TRUE(before[0]["measured"].is_null());
}

}  // namespace
}  // namespace atelier::lab
