// The plan of a profile: its ladder, what is raced, what is kept of it, and what hostile files can't break.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/models/plan_model.h"
#include "app/models/plan_texts.h"
#include "core/wire/number.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto kRun = "20261130-104512-3f9a1c";

trace::Finding finding(const std::string& rule, double share, double gain, std::map<std::string, json> set) {
  trace::Finding made;
  made.rule = rule;
  made.severity = trace::Severity::Warning;
  made.share = share;
  made.expected_gain = gain;
  made.fix.set = std::move(set);
  return made;
}

std::vector<trace::Finding> twoFindings() {
  return {finding("unfused_optimizer", 0.3, 1.25, {{"fused", true}}),
          finding("missing_amp", 0.6, 1.6, {{"precision", "bf16"}, {"channels_last", true}})};
}

json wholeSpec() {
  return {{"model", "cnn"}, {"batch", 128}, {"channels_last", false}, {"precision", "fp32"},        {"fused", false},
          {"steps", 30},    {"epochs", 0},  {"blocks", 10},           {"stop_when_decided", false}, {"profile", "on"},
          {"seed", 7},      {"warmup", 5}};
}

wire::RaceSummary raceOf(double ratio, const std::string& verdict) {
  wire::RaceSummary race;
  race.a = summaryOf("20261130-104512-00000a", 2000);
  race.b = summaryOf("20261130-104512-00000b", 2000 * ratio);
  race.ratio = wire::Interval{ratio, ratio - 0.05, ratio + 0.05, 9};
  race.verdict = verdict;
  race.pairs = 9;
  return race;
}

struct Place {
  QTemporaryDir folder;
  fs::path plans() const { return fs::path(folder.path().toStdString()) / "plans"; }
  fs::path file() const { return plans() / (std::string(kRun) + ".json"); }
  std::string text() const {
    std::ifstream input(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
  }
  void put(const std::string& text) const {
    fs::create_directories(plans());
    std::ofstream(file(), std::ios::binary) << text;
  }
};

// The rung is raced and this comes of it.
void race(PlanModel& plan, std::size_t rung, double ratio, const std::string& verdict) {
  QVERIFY(plan.canRace(rung));
  plan.begin(rung);
  plan.settle(raceOf(ratio, verdict));
}

}  // namespace

class PlanModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theMostPromisingChangeStandsFirst() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    QCOMPARE(plan.rungs().size(), std::size_t{2});
    QCOMPARE(plan.rungs()[0].rule, std::string("missing_amp"));
    QCOMPARE(plan.rungs()[0].set.size(), std::size_t{2});
    QVERIFY(std::fabs(plan.rungs()[0].predicted - 1.6) < 1e-9);
    QVERIFY(plan.rungs()[1].cumulative > plan.rungs()[0].cumulative);
    QVERIFY(std::fabs(plan.predicted() - plan.rungs()[1].cumulative) < 1e-12);
    QCOMPARE(plan.measured(), 1.0);
    QVERIFY(!plan.anyMeasured());
    QVERIFY(!fs::exists(place.file()));  // nothing was measured yet
  }

  void aRaceIsAgainstTheBestOnTheSameDataWithoutTheProfiler() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e9);
    const auto specs = plan.specs(0);
    QCOMPARE(specs.size(), std::size_t{2});
    for (const auto& spec : specs) {
      QCOMPARE(spec["profile"], json("off"));
      QCOMPARE(spec["seed"], json(7));
      QCOMPARE(spec["stop_when_decided"], json(true));
      QCOMPARE(spec["steps"].get<std::int64_t>(), PlanModel::raceSteps(1e9));
      QCOMPARE(spec["warmup"], json(5));
    }
    QCOMPARE(specs[0]["precision"], json("fp32"));
    QCOMPARE(specs[1]["precision"], json("bf16"));
    QCOMPARE(specs[1]["channels_last"], json(true));
    QCOMPARE(specs[1]["fused"], json(false));
    // What the run's spec doesn't know is not asked for.
    plan.open("", {{"model", "cnn"}}, twoFindings(), 0);
    QVERIFY(!plan.specs(0)[0].contains("stop_when_decided"));
  }

  void stepsOfARaceFollowTheStep() {
    QCOMPARE(PlanModel::raceSteps(0), std::int64_t{100});
    QCOMPARE(PlanModel::raceSteps(NAN), std::int64_t{100});
    QCOMPARE(PlanModel::raceSteps(1e6), std::int64_t{200});  // a millisecond
    QCOMPARE(PlanModel::raceSteps(1e9), std::int64_t{30});   // a second
    QCOMPARE(PlanModel::raceSteps(1e12), std::int64_t{20});  // a quarter of an hour: no fewer than two a block
    for (const double ns : {1.0, 3e8, 7e8}) QCOMPARE(PlanModel::raceSteps(ns) % 10, std::int64_t{0});
  }

  void whatIsFasterBelongsToTheBest() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    race(plan, 0, 1.5, "faster");
    QVERIFY(plan.rungs()[0].kept);
    QCOMPARE(plan.best()["precision"], json("bf16"));
    QCOMPARE(plan.base()["precision"], json("fp32"));
    QVERIFY(!plan.canRace(0));
    QVERIFY(plan.whyNoGain(0).empty());
    QCOMPARE(plan.specs(1)[0]["precision"], json("bf16"));
    race(plan, 1, 1.2, "faster");
    QVERIFY(std::fabs(plan.measured() - 1.8) < 1e-9);
    QCOMPARE(plan.rungs()[1].before["precision"], json("bf16"));
  }

  void whatBringsNothingIsExplainedAndNotKept() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    QVERIFY(plan.whyNoGain(0).empty());
    race(plan, 0, 1.01, "no-difference");
    QVERIFY(!plan.rungs()[0].kept);
    QCOMPARE(plan.best(), plan.base());
    QCOMPARE(plan.measured(), 1.0);
    QVERIFY(plan.canRace(0));  // once more
    const auto why = plan.whyNoGain(0);
    QVERIFY(!why.empty());
    for (const auto& message : why) QVERIFY2(message.id.starts_with("no_gain."), message.id.c_str());
    QVERIFY(plan.whyNoGain(99).empty());
  }

  void aRaceThatWasStoppedLeavesThePlanAsItWas() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    plan.begin(1);
    QCOMPARE(plan.racing(), std::optional<std::size_t>(1));
    QVERIFY(!plan.canRace(0));
    plan.reset();  // not while it goes
    plan.settle(std::nullopt);
    QVERIFY(!plan.racing());
    QVERIFY(!plan.anyMeasured());
    QVERIFY(plan.canRace(0));
    plan.settle(raceOf(2, "faster"));  // of no race
    QVERIFY(!plan.anyMeasured());
  }

  void whatWasMeasuredIsReadBack() {
    const Place place;
    {
      PlanModel plan(place.plans());
      plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
      race(plan, 0, 1.5, "faster");
      race(plan, 1, 0.9, "slower");
    }
    PlanModel again(place.plans());
    again.open(kRun, wholeSpec(), twoFindings(), 1e7);
    QVERIFY(again.rungs()[0].kept);
    QCOMPARE(again.rungs()[0].race->ratio->median, 1.5);
    QCOMPARE(again.rungs()[0].race->ratio->count, 9);
    QCOMPARE(again.rungs()[1].race->verdict, std::string("slower"));
    QCOMPARE(again.best()["channels_last"], json(true));
    // A later version of the rules proposes less: what was raced stays, after what is proposed.
    again.open(kRun, wholeSpec(), {}, 1e7);
    QCOMPARE(again.rungs().size(), std::size_t{2});
    QCOMPARE(again.rungs()[0].cumulative, 0.0);
    again.reset();
    QCOMPARE(again.best(), again.base());
    again.open(kRun, wholeSpec(), twoFindings(), 1e7);
    QVERIFY(!again.anyMeasured());
  }

  void aRaceEndsForTheRunThatItWasBegunFor() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    plan.begin(0);
    plan.open("20261130-104612-3f9a1d", wholeSpec(), twoFindings(), 1e7);
    QVERIFY(!plan.racing());
    QVERIFY(plan.busy());
    QVERIFY(!plan.canRace(0));
    plan.settle(raceOf(1.4, "faster"));
    QVERIFY(!plan.anyMeasured());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    QVERIFY(plan.rungs()[0].kept);
  }

  void aRunThatIsOpenedAgainWhileItRacesGoesOn() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    plan.begin(0);
    plan.open("", json::object(), {}, 0);
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    QCOMPARE(plan.racing(), std::optional<std::size_t>(0));
    plan.settle(raceOf(1.4, "faster"));
    QVERIFY(plan.rungs()[0].kept);
  }

  void aFindingThatThePlanLeftOutGetsARungOfItsOwn() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    const auto known = plan.rungOf(twoFindings()[0]);
    QCOMPARE(known, std::optional<std::size_t>(1));
    const auto extra = finding("input_bound", 0.2, 1, {{"workers", 2}});
    QCOMPARE(plan.rungOf(extra), std::optional<std::size_t>(2));
    QCOMPARE(plan.rungOf(extra), std::optional<std::size_t>(2));
    QVERIFY(plan.canRace(2));
    QVERIFY(!plan.rungOf(finding("busy_machine", 0, 1, {})));
    plan.open("", json::object(), twoFindings(), 1e7);
    QVERIFY(!plan.rungOf(twoFindings()[0]));  // of what would it be a change?
    QVERIFY(!plan.canRace(0));
  }

  void rubbishInItsFileIsNoPlan() {
    const Place place;
    for (const char* text : {"", "{", "[]", "null", R"({"rungs":7})", R"({"rungs":[null,7,{"set":[],"race":[]}]})",
                             R"({"rungs":[{"rule":"x","set":{"batch":1},"kept":true,"race":{}}],"best":[1]})"}) {
      place.put(text);
      PlanModel plan(place.plans());
      plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
      QVERIFY2(plan.rungs().size() >= 2, text);
      for (const auto& rung : plan.rungs()) QVERIFY2(!rung.kept, text);  // no race was faster
      QCOMPARE(plan.best(), plan.base());
      QCOMPARE(plan.measured(), 1.0);
    }
  }

  void aRunsNameThatLeadsElsewhereIsKeptNowhere() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open("../outside", wholeSpec(), twoFindings(), 1e7);
    race(plan, 0, 1.5, "faster");
    QVERIFY(plan.rungs()[0].kept);
    QVERIFY(!fs::exists(fs::path(place.folder.path().toStdString()) / "outside.json"));
  }

  void aFolderThatCannotBeWrittenIsTold() {
    const Place place;
    std::ofstream(place.plans()) << "a file where the folder should be";
    PlanModel plan(place.plans());
    QSignalSpy failed(&plan, &PlanModel::failed);
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    race(plan, 0, 1.5, "faster");
    QCOMPARE(failed.count(), 1);
    QVERIFY(plan.rungs()[0].kept);
  }

  void numbersInItsFileKnowNoLocale() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    race(plan, 0, 1.25, "faster");
    const auto read = wire::parseJson(place.text());
    QVERIFY(read.has_value());
    QCOMPARE((*read)["run"], json(kRun));
    QVERIFY(place.text().find("1.25") != std::string::npos);
  }

  void predictedIsCalledSoInBothLanguages() {
    const Place place;
    PlanModel plan(place.plans());
    plan.open(kRun, wholeSpec(), twoFindings(), 1e7);
    race(plan, 0, 1.5, "faster");
    Words words("en");
    const auto schema = runSchema();
    const PlanTexts texts(words, schema);
    const auto rows = texts.rows(plan);
    QCOMPARE(texts.head().size(), 5);
    QCOMPARE(rows[0].cells[2], QStringLiteral("1.60× predicted"));
    QCOMPARE(rows[0].cells[3], QStringLiteral("1.50× [1.45, 1.55]"));
    QVERIFY(rows[0].cells[1].contains(QStringLiteral("bf16")));
    QVERIFY(rows[0].cells[4].startsWith(QStringLiteral("✓")));
    QCOMPARE(rows[1].cells[3], QStringLiteral("—"));
    QVERIFY(texts.sum(plan).contains(QStringLiteral("1.50×")));
    words.setLanguage("fr");
    QVERIFY(texts.rows(plan)[0].cells[2].contains(QStringLiteral("1,60")));
    QVERIFY(texts.rows(plan)[0].cells[2].contains(QStringLiteral("prédit")));
  }
};

QTEST_MAIN(PlanModelTest)
#include "plan_model_test.moc"
