// Sweeps in the window: what is typed as values, the points as they come in (one of them fails), the map, the front, the table,
// files, sweeps on record, the page.
#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "app/models/run_progress.h"
#include "app/models/sweep_axes.h"
#include "app/models/sweep_model.h"
#include "app/models/sweep_table.h"
#include "app/plots/figure_plot.h"
#include "app/plots/heat_map.h"
#include "app/plots/pareto_plot.h"
#include "app/views/experiments/axis_editor.h"
#include "app/views/experiments/sweep_live.h"
#include "app/views/experiments/sweep_page.h"
#include "app/views/experiments/sweep_setup.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

constexpr auto kSweep = "20261130-104512-0000ff";

wire::Schema sweepSchema() {
  auto schema =
      wire::Schema::build({wire::choiceOption("model", {"cnn", "mlp"}), wire::integerOption("batch", 128, 1, 4096),
                           wire::choiceOption("precision", {"fp32", "bf16"}), wire::numberOption("learning_rate", 0.001, 0, 10),
                           wire::integerOption("steps", 200, 1, 1'000'000), wire::integerOption("warmup", 10, 0, 1000)});
  return schema ? *schema : wire::Schema();
}

std::vector<std::string> valuesOf(const char* key, const char* typed) {
  const auto schema = sweepSchema();
  const auto values = axisValues(*schema.find(key), typed);
  return values ? *values : std::vector<std::string>{};
}

std::string mistakeOf(const char* key, const char* typed) {
  const auto schema = sweepSchema();
  const auto values = axisValues(*schema.find(key), typed);
  return values ? std::string() : values.error().messages.front().id;
}

wire::RunSummary pointSummary(double rate, std::int64_t mebi, double accuracy) {
  auto summary = summaryOf("20261130-104512-00000a", rate);
  summary.peak_memory_bytes.total = mebi << 20;
  summary.accuracy = accuracy;
  return summary;
}

// batch 32, 64 × fp32, bf16: the last one runs out of memory.
wire::SweepSummary fourPoints() {
  wire::SweepSummary sweep;
  sweep.id = kSweep;
  sweep.status = "done";
  sweep.axes = {{"batch", {32, 64}}, {"precision", {"fp32", "bf16"}}};
  const auto values = wire::gridPoints(sweep.axes);
  const std::vector<wire::RunSummary> runs{pointSummary(1000, 100, 0.80), pointSummary(1500, 90, 0.70),
                                           pointSummary(1200, 200, 0.85)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    wire::SweepPoint point{std::to_string(i + 1), values[i]};
    if (i < runs.size()) {
      point.summary = runs[i];
    } else {
      point.summary.status = "failed";
      point.summary.failure = {{"sweep.no_grid"}};
    }
    sweep.points.push_back(point);
  }
  wire::judge(sweep);
  return sweep;
}

wire::RunEvent of(const std::string& variant, double seconds, wire::EventBody body) {
  auto event = eventAt(seconds, std::move(body));
  event.variant = variant;
  return event;
}

std::vector<wire::RunEvent> eventsOfSweep(double drift) {
  auto sweep = fourPoints();
  std::vector<wire::RunEvent> events{of("", 0, wire::SweepStarted{sweep.id, sweep.axes, 4})};
  for (const auto& point : sweep.points) {
    wire::RunStarted started;
    started.run_id = point.summary.id.empty() ? "20261130-104512-00000f" : point.summary.id;
    started.planned_steps = 10;
    events.push_back(of(point.variant, 0, started));
    if (point.summary.status == "failed")
      events.push_back(of(point.variant, 1, wire::RunFailed{wire::ExitCode::OutOfMemory, point.summary.failure}));
    else events.push_back(of(point.variant, 1, wire::RunFinished{point.summary}));
  }
  sweep.drift = drift;
  events.push_back(of("", 9, wire::SweepFinished{sweep}));
  return events;
}

void runToItsEnd(SweepModel& model) {
  model.run(QStringLiteral("Sweep"));
  QTRY_VERIFY_WITH_TIMEOUT(model.job().idle(), kPatience);
}

void setUp(SweepModel& model) {
  model.setSchema(sweepSchema());
  model.setAxes({{"batch", "32, 64"}, {"precision", "fp32, bf16"}});
}

}  // namespace

class SweepTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesAreListsAndRanges() {
    QCOMPARE(valuesOf("batch", "32, 64;128 256"), (std::vector<std::string>{"32", "64", "128", "256"}));
    QCOMPARE(valuesOf("batch", "1..4"), (std::vector<std::string>{"1", "2", "3", "4"}));
    QCOMPARE(valuesOf("batch", "100..200:50"), (std::vector<std::string>{"100", "150", "200"}));
    QCOMPARE(valuesOf("batch", "16..128*2"), (std::vector<std::string>{"16", "32", "64", "128"}));
    QCOMPARE(valuesOf("learning_rate", "0.1..0.3:0.1"), (std::vector<std::string>{"0.1", "0.2", "0.3"}));
    QCOMPARE(valuesOf("learning_rate", "0.001..0.1*10"), (std::vector<std::string>{"0.001", "0.01", "0.1"}));
    QCOMPARE(valuesOf("precision", "fp32 bf16"), (std::vector<std::string>{"fp32", "bf16"}));
    // Whole numbers have no exponent, which the command line would not take.
    QCOMPARE(valuesOf("steps", "100000..200000:100000"), (std::vector<std::string>{"100000", "200000"}));
  }

  void mistakesInValuesAreNamed() {
    QCOMPARE(mistakeOf("batch", "32, many"), std::string("option.integer"));
    QCOMPARE(mistakeOf("batch", "99999"), std::string("option.range"));
    QCOMPARE(mistakeOf("batch", "64, 64"), std::string("sweep.value_twice"));
    QCOMPARE(mistakeOf("batch", ""), std::string("sweepview.no_values"));
    QCOMPARE(mistakeOf("precision", "fp16"), std::string("option.choice"));
    QCOMPARE(mistakeOf("steps", "1..900"), std::string("sweep.too_many"));
    for (const char* range : {"4..1", "1..4:0", "1..4:-1", "1..4*1", "0..4*2", "..", "1..", "..3", "1..2..3", "1..4:x"})
      QCOMPARE(mistakeOf("batch", range), std::string("sweepview.bad_range"));
  }

  void theGridIsHandedInAndCounted() {
    Bench bench;
    SweepModel model(bench.desk, bench.engine.home());
    setUp(model);
    QCOMPARE(model.points(), std::size_t{4});
    const auto command = model.command();
    QCOMPARE(command.runs(), 5);
    QVERIFY(command.arguments().contains(QStringLiteral("batch=32,64")));
    model.setAxes({{"batch", "1..20"}, {"steps", "1..20"}});
    QCOMPARE(model.points(), std::size_t{0});
    QCOMPARE(model.mistakes().front().id, std::string("sweep.too_many"));
    QVERIFY(!model.canRun());
    model.setAxes({{"batch", "32"}, {"batch", "64"}});
    QCOMPARE(model.mistakes().front().id, std::string("sweep.key_twice"));
    model.setAxes({});
    QCOMPARE(model.mistakes().front().id, std::string("sweepview.no_axis"));
  }

  void theTimeIsEstimatedFromRunsOnRecord() {
    Bench bench;
    SweepModel model(bench.desk, bench.engine.home());
    setUp(model);
    model.setSpec({{"steps", 90}});
    model.learnPace();
    QVERIFY(!model.secondsExpected());
    QVERIFY(!writeRun(bench.engine.home(), specOf(), 1000).empty());
    model.learnPace();
    // Two points of 100 steps at 32 and two at 64, at 1,000 samples/s.
    QVERIFY(std::abs(model.secondsExpected().value() - 2 * (3.2 + 6.4)) < 1e-6);
  }

  void pointsComeInOneByOneAndOneFails() {
    Bench bench;
    SweepModel model(bench.desk, bench.engine.home());
    setUp(model);
    bench.engine.says(eventsOfSweep(1.01));
    QSignalSpy points(&model, &SweepModel::pointChanged);
    runToItsEnd(model);
    QCOMPARE(points.count(), 8);
    QVERIFY(model.sweep().has_value());
    QCOMPARE(model.measured(), std::size_t{4});
    QCOMPARE(model.sweep()->points[3].summary.status, std::string("failed"));
    QVERIFY(!model.failure());
    QCOMPARE(model.sweep()->best.value(), std::size_t{1});
    QCOMPARE(model.specOf(1), (nlohmann::json{{"batch", 32}, {"precision", "bf16"}}));
  }

  void aSweepThatNeverBeganIsAFailure() {
    Bench bench;
    SweepModel model(bench.desk, bench.engine.home());
    setUp(model);
    bench.engine.says({of("", 0, wire::RunFailed{wire::ExitCode::Usage, {{"sweep.no_grid"}}})});
    runToItsEnd(model);
    QVERIFY(model.failure().has_value());
    QVERIFY(!model.sweep());
  }

  void progressCountsPointsWhoseClocksBeginAnew() {
    RunProgress progress;
    progress.start(5, 100);
    progress.take(of("", 0, wire::SweepStarted{kSweep, {}, 4}));
    QCOMPARE(progress.share(), 0.0);
    const auto point = [&](const char* name, bool failed) {
      wire::RunStarted started;
      started.planned_steps = 10;
      progress.take(of(name, 0, started));
      wire::Progress step;
      step.planned_steps = 10;
      progress.take(of(name, 1, step));
      step.step = 5;
      progress.take(of(name, 10, step));
      if (failed) progress.take(of(name, 10, wire::RunFailed{}));
      else progress.take(of(name, 10, wire::RunFinished{}));
    };
    point("1", false);
    QCOMPARE(progress.share(), 0.2);
    point("2", true);
    QCOMPARE(progress.share(), 0.4);
    // Nineteen seconds of two points in five.
    QVERIFY(std::abs(progress.secondsLeft().value() - 19 * 0.6 / 0.4) < 1e-6);
  }

  void theMapSaysValuesAndReasons() {
    Bench bench;
    const auto map = heatContent(fourPoints(), SweepFigure::Rate, bench.words);
    QCOMPARE(map.rows, (QStringList{QStringLiteral("32"), QStringLiteral("64")}));
    QCOMPARE(map.columns, (QStringList{QStringLiteral("fp32"), QStringLiteral("bf16")}));
    QCOMPARE(map.panels.size(), 1);
    const auto& cells = map.panels.first().cells;
    QCOMPARE(cells[1].value.value(), 1500.0);
    QCOMPARE(cells[1].point, 1);
    QVERIFY(cells[3].failed && !cells[3].value);
    QVERIFY(cells[3].reading.contains(bench.words.text("sweep.no_grid")));
    QCOMPARE(map.low, 1000.0);
    QCOMPARE(map.high, 1500.0);
  }

  void aThirdAxisGivesSmallMultiples() {
    Bench bench;
    wire::SweepSummary sweep;
    sweep.axes = {{"batch", {32, 64}}, {"precision", {"fp32", "bf16"}}, {"model", {"cnn", "mlp", "resnet18"}}};
    double rate = 0;
    for (const auto& values : wire::gridPoints(sweep.axes)) {
      wire::SweepPoint point{std::to_string(sweep.points.size() + 1), values};
      point.summary = pointSummary(rate += 100, 100, 0.8);
      sweep.points.push_back(point);
    }
    const auto map = heatContent(sweep, SweepFigure::Rate, bench.words);
    QCOMPARE(map.panels.size(), 3);
    for (int panel = 0; panel < 3; ++panel)
      for (const auto& cell : map.panels[panel].cells) {
        const auto& values = sweep.points[static_cast<std::size_t>(cell.point)].values;
        QCOMPARE(values["model"], sweep.axes[2].values[static_cast<std::size_t>(panel)]);
      }
    QCOMPARE(map.panels[1].cells[3].point, 10);
  }

  void everyCellCanBeReadInBothThemes() {
    Bench bench;
    for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
      bench.theme.setMode(mode);
      const HeatMap map(bench.theme, bench.words);
      double before = -1;
      for (int i = 0; i <= 10; ++i) {
        const auto ground = map.color(i / 10.0);
        QVERIFY(contrastRatio(map.textOn(ground), ground) >= 3);
        // The ramp runs one way in grey, too.
        const double away = contrastRatio(ground, map.color(0));
        QVERIFY(away >= before - 1e-9);
        before = away;
      }
    }
  }

  void theFrontIsWhatNoPointBeats() {
    Bench bench;
    const auto sweep = fourPoints();
    QCOMPARE(paretoFront(sweep, SweepFigure::Memory), (std::vector<std::size_t>{1}));
    QCOMPARE(paretoFront(sweep, SweepFigure::Accuracy), (std::vector<std::size_t>{1, 2}));
    const auto figure = paretoFigure(sweep, SweepFigure::Accuracy, bench.words);
    QCOMPARE(figure.marks.size(), 3);
    QCOMPARE(figure.lines.first().curve.x, (QVector<double>{70, 85}));
    QCOMPARE(figure.marks.last().id, 2);
    QVERIFY(figure.marks.first().text.contains(QStringLiteral("1,500")));
    QVERIFY(paretoFigure({}, SweepFigure::Memory, bench.words).empty());
  }

  void oneAxisIsALineWithItsIntervals() {
    Bench bench;
    auto sweep = fourPoints();
    sweep.axes = {{"batch", {16, 32, 64, 128}}};
    const auto figure = axisFigure(sweep, SweepFigure::Rate, bench.words);
    QCOMPARE(figure.xNames.size(), 4);
    QCOMPARE(figure.lines.first().curve.y, (QVector<double>{1000, 1500, 1200}));
    QCOMPARE(figure.lines.first().band.low.first(), 990.0);
    QCOMPARE(figure.marks.size(), 3);
  }

  void theTableSortsByValue() {
    Bench bench;
    SweepTable table(bench.theme, bench.words);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(table.rowCount(), 0);
    table.setSweep(fourPoints());
    QCOMPARE(table.rowCount(), 4);
    QCOMPARE(table.columnCount(), 2 + SweepTable::FigureCount);
    QVERIFY(table.index(1, 2).data().toString().startsWith(QStringLiteral("1,500 [")));
    QCOMPARE(table.index(1, 2).data(SweepTable::SortRole).toDouble(), 1500.0);
    QVERIFY(table.index(3, 2 + SweepTable::Status).data().toString().startsWith(QStringLiteral("✗")));
    QVERIFY(table.index(3, 0).data(Qt::ToolTipRole).toString().contains(bench.words.text("sweep.no_grid")));
    table.setSweep(fourPoints());
    table.setSweep(std::nullopt);
    QCOMPARE(table.rowCount(), 0);
  }

  void filesFollowNoLocale() {
    const auto lines = sweepCsv(fourPoints()).split('\n');
    QCOMPARE(lines.size(), 6);
    QVERIFY(lines[0].startsWith("\"batch\",\"precision\",run,status,samples_per_second"));
    QVERIFY(lines[2].startsWith("\"32\",\"bf16\",\"20261130-104512-00000a\",\"done\",1500,1490,1510,"));
    QVERIFY(lines[4].contains("\"failed\",,,,"));
    Bench bench;
    bench.words.setLanguage("fr");
    const QTemporaryDir folder;
    HeatMap map(bench.theme, bench.words);
    map.resize(400, 300);
    map.setContent(heatContent(fourPoints(), SweepFigure::Rate, bench.words));
    FigurePlot plot(bench.theme, bench.words);
    plot.resize(400, 300);
    plot.setContent(paretoFigure(fourPoints(), SweepFigure::Memory, bench.words));
    for (const char* name : {"picture.svg", "picture.png"}) {
      const auto file = folder.filePath(QLatin1String(name));
      QVERIFY(map.saveImage(file) && QFileInfo(file).size() > 100);
      QVERIFY(plot.saveImage(file) && QFileInfo(file).size() > 100);
    }
    const auto csv = folder.filePath(QStringLiteral("map.csv"));
    QVERIFY(map.saveData(csv));
    QFile written(csv);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll().contains("\"\",\"32\",\"bf16\",1500\n"));
    QVERIFY(!plot.saveData(folder.filePath(QStringLiteral("no/such/folder.csv"))));
  }

  void aSweepOnRecordIsOpened() {
    Bench bench;
    QVERIFY(bench.open()->putSweep(fourPoints()).ok());
    SweepModel model(bench.desk, bench.engine.home());
    QCOMPARE(model.pastSweeps(), std::vector<std::string>{kSweep});
    QVERIFY(model.open(kSweep).ok());
    QVERIFY(model.past());
    QCOMPARE(model.sweep()->points.size(), std::size_t{4});
    QVERIFY(!model.open("20200101-000000-ffffff").ok());
    QVERIFY(!model.open("../window").ok());
    QVERIFY(model.sweep().has_value());
  }

  void thePageSweepsAndAChosenPointIsChosenInAll() {
    Bench bench;
    bench.learn.setSchema(sweepSchema());
    SweepPage page(bench.desktop);
    page.resize(1256, 700);
    page.show();
    // The first axis is proposed, a second one added.
    QCOMPARE(page.model().axes().size(), std::size_t{1});
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("sweep.add")), Qt::LeftButton);
    QCOMPARE(page.model().axes()[1].key, std::string("precision"));
    auto* values = page.findChild<QLineEdit*>(QStringLiteral("axis.0.values"));
    values->selectAll();
    QTest::keyClicks(values, QStringLiteral("32, x"));
    QVERIFY(!page.model().canRun());
    values->selectAll();
    QTest::keyClicks(values, QStringLiteral("32, 64"));
    QCOMPARE(page.model().points(), std::size_t{4});
    QVERIFY(page.setup().estimate().contains(QLatin1Char('4')));
    bench.engine.says(eventsOfSweep(0.8));
    QTest::mouseClick(page.setup().runButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page.model().sweep().has_value() && page.model().job().idle(), kPatience);
    QCOMPARE(page.live().map().content().panels.size(), 1);
    QVERIFY(page.live().told().contains(QStringLiteral("-20")));
    page.live().choose(2);
    QCOMPARE(page.live().pareto().chosenId(), 2);
    QCOMPARE(page.live().table().selectionModel()->selectedRows().size(), 1);
    page.live().table().selectRow(1);
    QCOMPARE(page.live().chosen(), 1);
    page.findChild<QComboBox*>(QStringLiteral("sweep.figure"))->setCurrentIndex(3);
    QCOMPARE(page.live().map().content().panels.first().cells.first().value.value(), 80.0);
    for (const char* language : {"fr", "en"}) {
      bench.words.setLanguage(language);
      QCoreApplication::processEvents();
      for (const auto* label : page.findChildren<QLabel*>())
        QVERIFY2(!label->text().contains(QLatin1String("sweepview.")), qPrintable(label->text()));
      for (const auto* button : page.findChildren<QAbstractButton*>())
        QVERIFY2(!button->text().contains(QLatin1String("sweepview.")), qPrintable(button->text()));
    }
    QCOMPARE(page.size(), QSize(1256, 700));
  }

  void theMapIsReadByKeys() {
    Bench bench;
    HeatMap map(bench.theme, bench.words);
    map.resize(400, 300);
    map.setContent(heatContent(fourPoints(), SweepFigure::Rate, bench.words));
    map.show();
    QSignalSpy chosen(&map, &HeatMap::chosen);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Down);
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.first().first().toInt(), 3);
    QVERIFY(map.accessibleDescription().contains(bench.words.text("sweep.no_grid")));
  }
};

QTEST_MAIN(SweepTest)
#include "sweep_test.moc"
