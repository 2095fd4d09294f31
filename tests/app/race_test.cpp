// Races in the window: what is handed to the engine, how the verdict grows, what kept the machine busy, races on record, the
// page.
#include <QAbstractButton>
#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "app/models/race_model.h"
#include "app/models/race_texts.h"
#include "app/models/run_progress.h"
#include "app/plots/figure_plot.h"
#include "app/plots/verdict_plot.h"
#include "app/views/experiments/race_live.h"
#include "app/views/experiments/race_page.h"
#include "app/views/experiments/race_setup.h"
#include "app/views/experiments/spec_form.h"
#include "core/wire/run_spec.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

wire::Schema raceSchema() {
  auto schema =
      wire::Schema::build({wire::choiceOption("model", {"cnn", "mlp"}), wire::integerOption("batch", 128, 1, 4096),
                           wire::choiceOption("precision", {"fp32", "bf16"}), wire::integerOption("steps", 200, 1, 1'000'000),
                           wire::integerOption("blocks", 10, 1, 1000), wire::booleanOption("stop_when_decided", false)});
  return schema ? *schema : wire::Schema();
}

wire::RunEvent of(const std::string& variant, double seconds, wire::EventBody body) {
  auto event = eventAt(seconds, std::move(body));
  event.variant = variant;
  return event;
}

wire::RaceUpdated updated(const std::string& variant, double ratio, double half, int pairs, int discarded,
                          const std::string& verdict, bool decided) {
  wire::RaceUpdated body;
  body.variant = variant;
  body.ratio = {ratio, ratio - half, ratio + half, pairs};
  body.verdict = verdict;
  body.pairs = pairs;
  body.discarded_pairs = discarded;
  body.planned_pairs = 20;
  body.decided = decided;
  return body;
}

wire::RunEvent started(const std::string& variant) {
  wire::RunStarted body;
  body.run_id = "20261130-104512-00000" + variant;
  body.spec = specOf();
  body.planned_steps = 20;
  return of(variant, 0, body);
}

// Three variants; b is faster, c like a; both are certain after eight pairs.
std::vector<wire::RunEvent> decidedEarly() {
  std::vector<wire::RunEvent> events;
  for (const char* variant : {"a", "b", "c"}) events.push_back(started(variant));
  for (int pair = 1; pair <= 8; ++pair) {
    for (const char* variant : {"a", "b", "c"}) {
      wire::Progress progress;
      progress.step = 2 * pair;
      progress.planned_steps = 40;
      progress.samples_per_second = 2000;
      events.push_back(of(variant, pair, progress));
    }
    const bool enough = pair == 8;
    events.push_back(of("", pair, updated("b", 1.26, 0.4 / pair, pair, 0, pair < 6 ? "machine-busy" : "faster", enough)));
    events.push_back(of("", pair, updated("c", 1.0, 0.1 / pair, pair, 0, pair < 6 ? "machine-busy" : "no-difference", enough)));
  }
  wire::RaceFinished finished;
  finished.race.a = summaryOf("20261130-104512-00000a", 2000);
  finished.race.b = summaryOf("20261130-104512-00000b", 2520);
  finished.race.ratio = wire::Interval{1.26, 1.21, 1.31, 8};
  finished.race.verdict = "faster";
  finished.race.same_quality = true;
  finished.race.pairs = 8;
  finished.race.planned_pairs = 20;
  finished.race.stopped_early = true;
  wire::Comparison c{"c", summaryOf("20261130-104512-00000c", 2000)};
  c.ratio = wire::Interval{1.0, 0.99, 1.01, 8};
  c.verdict = "no-difference";
  c.pairs = 8;
  finished.race.add(c);
  events.push_back(of("", 9, finished));
  return events;
}

std::vector<wire::RunEvent> busyRace() {
  std::vector<wire::RunEvent> events{started("a"), started("b")};
  for (int pair = 1; pair <= 4; ++pair)
    for (const char* variant : {"a", "b"}) {
      wire::BlockDone block;
      block.seconds = 0.5;
      block.samples_per_second = 2000;
      block.disturbed = std::string(variant) == "a" || pair == 1;
      block.reason = !block.disturbed ? "" : pair == 1 ? "busy.clock" : "busy.others";
      events.push_back(of(variant, 2 * pair, block));
      if (std::string(variant) == "b")
        events.push_back(of("", 2 * pair, updated("b", 1.1, 0.5, 0, pair, "machine-busy", false)));
    }
  wire::RaceFinished finished;
  finished.race.verdict = "machine-busy";
  finished.race.ratio = wire::Interval{1.1, 0.6, 1.6, 4};
  finished.race.discarded_pairs = 4;
  events.push_back(of("", 9, finished));
  return events;
}

void runToItsEnd(RaceModel& model) {
  model.run(QStringLiteral("Race"));
  QTRY_VERIFY_WITH_TIMEOUT(model.job().idle(), kPatience);
}

void noIdIsShown(const QWidget& widget) {
  for (const auto* label : widget.findChildren<QLabel*>())
    QVERIFY2(!label->text().contains(QLatin1String("racepage.")) && !label->text().contains(QLatin1String("specform.")),
             qPrintable(label->text()));
  for (const auto* button : widget.findChildren<QAbstractButton*>())
    QVERIFY2(!button->text().contains(QLatin1String("racepage.")) && !button->text().contains(QLatin1String("specform.")),
             qPrintable(button->text()));
}

}  // namespace

class RaceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachVariantIsHandedInByWhatItDoesOtherwise() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs({{{"batch", 64}}, {{"batch", 64}, {"precision", "bf16"}}, nlohmann::json::object()});
    const auto command = model.command();
    QCOMPARE(command.verb, std::string("race"));
    QCOMPARE(command.runs(), 3);
    QCOMPARE(command.others[0], (nlohmann::json{{"precision", "bf16"}}));
    // C is back at the default, which A is not: that must be said.
    QCOMPARE(command.others[1], (nlohmann::json{{"batch", 128}}));
    QVERIFY(command.arguments().contains(QStringLiteral("--c")));
  }

  void aVariantThatDoesNothingOtherwiseStaysAVariant() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs({nlohmann::json::object(), {{"batch", 64}}, nlohmann::json::object()});
    QVERIFY(model.command().arguments().contains(QStringLiteral("model=cnn")));
    model.setSpecs({nlohmann::json::object()});
    QCOMPARE(model.specs().size(), RaceModel::kFewest);
    QVERIFY(!model.command().arguments().contains(QStringLiteral("--b")));
  }

  void aChangeOfATakesTheOthersAlong() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs({nlohmann::json::object(), {{"precision", "bf16"}}});
    model.setSpec(0, {{"batch", 32}});
    QCOMPARE(model.difference(1), (nlohmann::json{{"precision", "bf16"}}));
    QCOMPARE(model.specs()[1]["batch"].get<int>(), 32);
    model.setShared("stop_when_decided", true);
    QVERIFY(model.difference(1).size() == 1 && model.command().spec["stop_when_decided"] == true);
  }

  void mistakesAreNamedAndNothingStarts() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs({nlohmann::json::object(), {{"batch", "many"}}});
    QCOMPARE(model.mistakes().size(), std::size_t{1});
    QCOMPARE(model.mistakes().front().id, std::string("option.integer"));
    model.run(QStringLiteral("Race"));
    QVERIFY(model.job().idle() && !bench.desk.busy());
  }

  void twoToFourVariants() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs(std::vector<nlohmann::json>(7, nlohmann::json::object()));
    QCOMPARE(model.specs().size(), RaceModel::kMost);
    model.add();
    QCOMPARE(model.specs().size(), RaceModel::kMost);
    model.remove(0);
    QCOMPARE(model.specs().size(), RaceModel::kMost);
    for (int i = 0; i < 4; ++i) model.remove(1);
    QCOMPARE(model.specs().size(), RaceModel::kFewest);
  }

  void aRaceOfThreeIsDecidedEarly() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs(std::vector<nlohmann::json>(3, nlohmann::json::object()));
    bench.engine.says(decidedEarly());
    runToItsEnd(model);
    QCOMPARE(model.series().size(), 3);
    QCOMPARE(model.series().last()->label(), QStringLiteral("C"));
    QCOMPARE(model.series().last()->samplesPerSecond().y.size(), 8);
    QCOMPARE(model.tracks().size(), std::size_t{2});
    const auto& b = model.tracks().front();
    QCOMPARE(b.median.x.size(), 8);
    QVERIFY(b.last.decided);
    QVERIFY(b.band.high.last() - b.band.low.last() < b.band.high.first() - b.band.low.first());
    QVERIFY(model.result() && model.result()->stopped_early);
    QVERIFY(!model.machineBusy());
    const RaceTexts texts(bench.words);
    QCOMPARE(texts.soFar(b.last), QStringLiteral("B is 1.26× A [1.21, 1.31] after 8 of 20 pairs: faster, decided."));
    QVERIFY(texts.atEnd(model.result()->comparisons()[1], *model.result()).startsWith(QStringLiteral("C is 1.00× A")));
    bench.words.setLanguage("fr");
    QVERIFY(texts.soFar(b.last).contains(QStringLiteral("1,26")));
  }

  void theVerdictPlotShowsBandsZoneAndLine() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    model.setSpecs(std::vector<nlohmann::json>(3, nlohmann::json::object()));
    bench.engine.says(decidedEarly());
    runToItsEnd(model);
    const auto figure = verdictFigure(model.tracks(), bench.words);
    QCOMPARE(figure.lines.size(), 2);
    QCOMPARE(figure.lines.first().order, 1);
    QCOMPARE(figure.levels, QVector<double>{1.0});
    QCOMPARE(figure.zones.first().low, 0.98);
    QCOMPARE(figure.zones.first().high, 1.02);
    QVERIFY(figure.yLow < 0.98 && figure.yHigh > 1.31);
    QVERIFY(figure.xHigh >= 20);
    QVERIFY(!verdictFigure({}, bench.words).zones.isEmpty());
  }

  void aBusyMachineIsExplained() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    bench.engine.says(busyRace());
    runToItsEnd(model);
    QVERIFY(model.machineBusy());
    const auto reasons = model.busyReasons();
    QCOMPARE(reasons.at("busy.clock"), 2);
    QCOMPARE(reasons.at("busy.others"), 3);
    const auto lines = RaceTexts(bench.words).busy(reasons);
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines.last().contains(bench.words.text("busy.others")));
    QVERIFY(lines.last().contains(bench.words.text("racepage.remedy.busy.others")));
    QCOMPARE(model.tracks().front().leftOut, (QVector<double>{1, 2, 3, 4}));
    // Four pairs left out, each shaded once, beside the zone of no difference.
    QCOMPARE(verdictFigure(model.tracks(), bench.words).zones.size(), 5);
    QCOMPARE(model.series().first()->disturbed().size(), 4);
    QCOMPARE(model.series().first()->disturbed().first().reason, std::string("busy.clock"));
  }

  void aFailureIsToldAndTheCurvesEnd() {
    Bench bench;
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    bench.engine.says({started("a")});
    runToItsEnd(model);
    QVERIFY(model.failure().has_value());
    QVERIFY(!model.result());
    QVERIFY(model.series().first()->failure().has_value());
  }

  void aWaitingRaceCanBeTakenOut() {
    Bench bench;
    bench.desk.setHeld(true);
    RaceModel model(bench.desk, bench.engine.home());
    model.setSchema(raceSchema());
    QSignalSpy ended(&model.job(), &JobWatch::ended);
    model.run(QStringLiteral("Race"));
    QCOMPARE(model.job().state(), JobWatch::State::Waiting);
    model.job().stop();
    QVERIFY(model.job().idle());
    QCOMPARE(ended.count(), 1);
    QVERIFY(bench.desk.waiting().empty());
  }

  void aRaceOnRecordIsOpenedByARunOfIt() {
    Bench bench;
    const auto a = writeRun(bench.engine.home()), b = writeRun(bench.engine.home(), specOf(64), 2500);
    QVERIFY(!a.empty() && !b.empty());
    wire::RaceSummary race;
    race.a = summaryOf(a, 2000);
    race.b = summaryOf(b, 2500);
    race.ratio = wire::Interval{1.25, 1.2, 1.3, 10};
    race.verdict = "faster";
    const auto id = registry::makeRunId();
    QVERIFY(bench.open()->putRace(id, race).ok());
    RaceModel model(bench.desk, bench.engine.home());
    QCOMPARE(model.pastRaces(), std::vector<std::string>{id});
    QVERIFY(model.open(b).ok());
    QVERIFY(model.past());
    QCOMPARE(model.runIds(), (QStringList{QString::fromStdString(a), QString::fromStdString(b)}));
    QCOMPARE(model.series().last()->samplesPerSecond().y.size(), 20);
    QCOMPARE(model.result()->verdict, std::string("faster"));
    QVERIFY(!model.open("../../etc").ok());
    QVERIFY(!model.open("20200101-000000-ffffff").ok());
    QVERIFY(model.past());
  }

  void progressCountsAllVariants() {
    RunProgress progress;
    progress.start(3, 60);
    wire::Progress step;
    step.step = 50;
    step.planned_steps = 100;
    for (const char* variant : {"a", "b", "c"}) progress.take(of(variant, 1, step));
    QCOMPARE(progress.share(), 0.5);
  }

  void thePageRacesWhatIsSetUp() {
    Bench bench;
    bench.learn.setSchema(raceSchema());
    RacePage page(bench.desktop);
    page.resize(1200, 800);
    page.show();
    page.setSpecs({nlohmann::json::object(), {{"precision", "bf16"}}});
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("race.add")), Qt::LeftButton);
    QCOMPARE(page.model().specs().size(), std::size_t{3});
    page.setup().form().setSpec({{"batch", 64}});
    page.model().setSpec(2, page.setup().form().spec());
    page.findChild<QCheckBox*>(QStringLiteral("race.stop_when_decided"))->click();
    bench.engine.says(decidedEarly());
    QTest::mouseClick(page.setup().runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page.model().result().has_value() && page.model().job().idle(), kPatience);
    QCOMPARE(bench.engine.spec()["stop_when_decided"], nlohmann::json(true));
    QCOMPARE(page.live().sentences().size(), 2);
    QVERIFY(page.live().busyText().isEmpty());
    QCOMPARE(page.live().verdict().content().lines.size(), 2);
    for (const char* language : {"fr", "en"}) {
      bench.words.setLanguage(language);
      for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Light}) {
        bench.theme.setMode(mode);
        QCoreApplication::processEvents();
        noIdIsShown(page);
      }
    }
  }

  void thePageFitsASmallWindow() {
    Bench bench;
    bench.learn.setSchema(raceSchema());
    bench.words.setLanguage("fr");
    RacePage page(bench.desktop);
    page.resize(1256, 596);
    page.show();
    QCoreApplication::processEvents();
    QCOMPARE(page.size(), QSize(1256, 596));
  }
};

QTEST_MAIN(RaceTest)
#include "race_test.moc"
