// The tables and figures of a profile: what they say of a trace with a device and of one without, how they sort and sift, and
// that names from files can't break them.
#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <limits>

#include "app/models/event_facts.h"
#include "app/models/profile_cells.h"
#include "app/models/profile_request.h"
#include "app/models/profile_tables.h"
#include "app/models/profiled_runs.h"
#include "app/models/trace_table.h"
#include "app/plots/figure_plot.h"
#include "app/plots/profile_figures.h"
#include "app/shell/theme.h"
#include "core/trace/chrome_json.h"
#include "runs_fixture.h"
#include "trace_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;
using trace::testing::find;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr double kMebi = 1024.0 * 1024.0;

// Two steps on a CPU: a matmul with shapes, a relu, a read of a value, memory that peaks.
trace::Trace cpuTrace() {
  trace::testing::TraceBuilder builder;
  const auto main = builder.track("main thread");
  for (int step = 0; step < 2; ++step) {
    const std::int64_t begin = step * 10 * kMs;
    builder.step(main, begin, 10 * kMs);
    builder.stage(main, trace::Stage::Forward, begin, 6 * kMs);
    builder.module(main, "0.dense", "Linear", begin, 5 * kMs);
    builder.op(main, "aten::mm", begin + kMs, 3 * kMs, {{128, 256}, {256, 512}});
    builder.op(main, "aten::relu", begin + 5 * kMs, kMs, {{128, 512}});
    builder.op(main, "aten::item", begin + 8 * kMs, kMs);
    builder.memory(main, begin + kMs, 8 << 20, 0x1000 + step, trace::Category::Activations);
    builder.memory(main, begin + 2 * kMs, 2 << 20, 0x2000 + step, trace::Category::Gradients);
    builder.memory(main, begin + 9 * kMs, -(8 << 20), 0x1000 + step, trace::Category::Activations);
    builder.memory(main, begin + 9 * kMs, -(2 << 20), 0x2000 + step, trace::Category::Gradients);
  }
  return builder.build();
}

TraceDocument::ContentPtr cpuContent() {
  trace::Peaks peaks;
  peaks.name = "Example CPU";
  peaks.fp32_flops = 100e9;
  peaks.bf16_flops = 300e9;
  peaks.bytes_per_second = 20e9;
  return TraceDocument::contentOf(cpuTrace(), peaks);
}

int columnOf(const TraceRows& rows, const Words& words, const char* id) {
  for (int column = 0; column < rows.columns.size(); ++column)
    if (rows.columns[column].title == words.text(id)) return column;
  return -1;
}

const TraceRow* rowOf(const TraceRows& rows, const QString& first) {
  for (const auto& row : rows.rows)
    if (row.cells.first().text == first) return &row;
  return nullptr;
}

double valueIn(const TraceRows& rows, const Words& words, const QString& first, const char* column) {
  const auto* row = rowOf(rows, first);
  const int at = columnOf(rows, words, column);
  return row && at >= 0 ? row->cells[at].value : NAN;
}

void everyRowIsWhole(const TraceRows& rows) {
  for (const auto& row : rows.rows) {
    QCOMPARE(row.cells.size(), rows.columns.size());
    for (const auto& cell : row.cells)
      if (cell.to >= cell.from) QVERIFY(cell.from >= 0 && cell.to <= 1);
  }
}

wire::TensorStats statsOf(const std::string& module, double norm) {
  wire::TensorStats stats;
  stats.module = module;
  stats.type = "Linear";
  stats.mean = 0.5;
  stats.deviation = 1.5;
  stats.norm = norm;
  stats.count = 1000;
  stats.zeros = 250;
  return stats;
}

}  // namespace

class ProfileTablesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void operatorsAreSummedByNameAndByShapes() {
    const auto content = cpuContent();
    const Words words("en");
    const auto rows = operatorRows(*content, false, words);
    everyRowIsWhole(rows);
    QCOMPARE(rows.rows.front().cells.first().text, QStringLiteral("aten::mm"));
    // Two calls in two steps, 3 ms each.
    QCOMPARE(valueIn(rows, words, QStringLiteral("aten::mm"), "profileview.column.calls"), 1.0);
    QCOMPARE(valueIn(rows, words, QStringLiteral("aten::mm"), "profileview.column.self_ms"), 3e6);
    QCOMPARE(valueIn(rows, words, QStringLiteral("aten::mm"), "profileview.column.share"), 0.3);
    // 2 · 128 · 256 · 512 FLOPs in 3 ms.
    const double rate = 2.0 * 128 * 256 * 512 / 3e-3;
    QVERIFY(std::fabs(valueIn(rows, words, QStringLiteral("aten::mm"), "profileview.column.gflops") / rate - 1) < 1e-9);
    QVERIFY(std::fabs(valueIn(rows, words, QStringLiteral("aten::mm"), "profileview.column.of_peak") - rate / 100e9) < 1e-9);
    QVERIFY(std::isnan(valueIn(rows, words, QStringLiteral("aten::item"), "profileview.column.gflops")));
    QCOMPARE(columnOf(rows, words, "profileview.column.device_ms"), -1);
    const auto byShapes = operatorRows(*content, true, words);
    everyRowIsWhole(byShapes);
    const int shapes = columnOf(byShapes, words, "profileview.column.shapes");
    QVERIFY(shapes > 0);
    QCOMPARE(rowOf(byShapes, QStringLiteral("aten::mm"))->cells[shapes].text, QStringLiteral("[128, 256] [256, 512]"));
  }

  void aDeviceHasColumnsAndKernelsOfItsOwn() {
    const auto content = smallContent();
    const Words words("en");
    const auto operators = operatorRows(*content, false, words);
    everyRowIsWhole(operators);
    QVERIFY(columnOf(operators, words, "profileview.column.device_ms") > 0);
    const auto kernels = kernelRows(*content, words);
    everyRowIsWhole(kernels);
    QCOMPARE(kernels.rows.size(), std::size_t{1});
    QCOMPARE(valueIn(kernels, words, QStringLiteral("at::native::kernel<4>"), "profileview.column.mean_us"), 90'000.0);
    QVERIFY(kernelRows(*cpuContent(), words).rows.empty());
    const auto modules = moduleRows(*content, words);
    everyRowIsWhole(modules);
    QVERIFY(rowOf(modules, QStringLiteral("features.0")));
    QVERIFY(rowOf(modules, QStringLiteral("features.0"))->module >= 0);
  }

  void stagesAddUpToTheStep() {
    const auto content = cpuContent();
    const Words words("en");
    const auto rows = stageRows(*content, words);
    everyRowIsWhole(rows);
    double sum = 0;
    for (const auto& row : rows.rows) {
      if (row.cells.first().text == words.text("profile.wall")) {
        QCOMPARE(row.cells[1].value, 10e6);
        QVERIFY(std::fabs(sum - row.cells[1].value) < 1);
        return;
      }
      sum += row.cells[1].value;
    }
    QFAIL("the whole step is missing");
  }

  void transfersAndIdleTimesLeadToTheirEvents() {
    const auto content = cpuContent();
    const Words words("en");
    const auto transfers = transferRows(*content, words);
    everyRowIsWhole(transfers);
    QCOMPARE(transfers.rows.size(), std::size_t{2});
    QCOMPARE(transfers.rows.front().cells.first().text, words.text("transfer.item"));
    QCOMPARE(transfers.rows.front().event, find(content->trace, "aten::item"));
    const auto idle = idleRows(*content, words);
    everyRowIsWhole(idle);
    QVERIFY(!idle.rows.empty());
    for (const auto& row : idle.rows) QVERIFY(row.event < static_cast<std::int32_t>(content->trace.events.size()));
  }

  void onlyTheLongestEventsAreKeptAndTheOthersCounted() {
    trace::testing::TraceBuilder builder;
    const auto main = builder.track("main thread");
    const auto count = static_cast<std::int64_t>(kMostEvents) + 10;
    builder.step(main, 0, (count + 1) * 1000);
    for (std::int64_t i = 0; i < count; ++i) builder.op(main, "aten::item", i * 1000, i == 3 ? 900 : 100);
    const auto content = TraceDocument::contentOf(builder.build());
    const auto rows = transferRows(*content, Words("en"));
    QCOMPARE(rows.rows.size(), kMostEvents);
    QCOMPARE(rows.leftOut, std::size_t{10});
    QCOMPARE(rows.rows.front().cells[5].value, 900.0);
  }

  void tensorsAtThePeakAreNamed() {
    const auto content = cpuContent();
    const Words words("en");
    const auto rows = tensorRows(*content, words);
    everyRowIsWhole(rows);
    QCOMPARE(rows.rows.size(), std::size_t{2});
    QCOMPARE(rows.rows.front().cells[0].value, 8 * kMebi);
    QCOMPARE(rows.rows.front().cells[1].value, 0.8);
    QCOMPARE(rows.rows.front().cells[2].text, QStringLiteral("activations"));
    const auto plot = memoryPlot(content->report.memory, words);
    QCOMPARE(plot.stack.size(), 6);
    QCOMPARE(*plot.budget, 10.0);
    // A step, not a slope: what is live stays so until it changes.
    const auto& activations = plot.stack[3];
    QVERIFY(activations.x.size() > 4);
    for (const double live : activations.y) QVERIFY(live == 0 || live == 8);
    QVERIFY(memoryPlot({}, words).empty());
  }

  void healthIsShownWithBarsAndItsFaults() {
    auto bad = statsOf("1", 2);
    bad.nans = 3;
    auto hostile = statsOf("<b>2</b>\n", std::numeric_limits<double>::infinity());
    hostile.mean = NAN;
    hostile.count = 0;
    const Words words("en");
    const auto rows = healthRows({statsOf("", 1), bad, hostile}, words);
    everyRowIsWhole(rows);
    QCOMPARE(rows.rows[0].cells[0].text, words.text("timeline.root_module"));
    QCOMPARE(rows.rows[0].cells[2].text, QStringLiteral("0.500\u00a0±\u00a01.50"));
    QCOMPARE(rows.rows[0].cells[2].from, 0.0);
    QCOMPARE(rows.rows[0].cells[2].to, 1.0);
    QCOMPARE(rows.rows[0].cells[2].mark, 0.5);
    QCOMPARE(rows.rows[0].cells[6].value, 0.25);
    QVERIFY(!rows.rows[0].cells[7].warning);
    QVERIFY(rows.rows[1].cells[7].warning);
    QVERIFY(!rows.rows[2].cells[0].text.contains(QLatin1Char('\n')));
    QCOMPARE(rows.rows[2].cells[6].text, QStringLiteral("—"));
    QVERIFY(healthRows({}, words).rows.empty());
  }

  void howFarAStepMovesAParameterIsAColumnOfItsOwn() {
    const Words words("en");
    wire::Gradients gradients;
    gradients.step = 40;
    gradients.layers = {{"fc.weight", 1, 20, 0.00125}, {"other.weight", 1, 1, 0.5}};
    const auto rows = healthRows({statsOf("fc.weight", 1), statsOf("fc.bias", 1)}, words, gradients);
    everyRowIsWhole(rows);
    QCOMPARE(rows.columns.back().title, words.text("profileview.column.update"));
    QCOMPARE(rows.rows[0].cells.back().value, 0.00125);
    QCOMPARE(rows.rows[1].cells.back().text, QStringLiteral("—"));
    QCOMPARE(healthRows({statsOf("fc.weight", 1)}, words).columns.size(), rows.columns.size() - 1);
  }

  void smallAndLargeNumbersArePowersOfTen() {
    const wire::Format english("en"), french("fr");
    QCOMPARE(wideText(1.25e-7, english), QStringLiteral("1.25·10⁻⁷"));
    QCOMPARE(wideText(1.25e-7, french), QStringLiteral("1,25·10⁻⁷"));
    QCOMPARE(wideText(-3e12, english), QStringLiteral("-3.00·10¹²"));
    QCOMPARE(wideText(0, english), QStringLiteral("0"));
    QCOMPARE(wideText(0.125, english), QStringLiteral("0.125"));
    QCOMPARE(wideText(NAN, english), QStringLiteral("—"));
    QCOMPARE(wideText(INFINITY, english), QStringLiteral("∞"));
  }

  void aTableSortsByValueAndLeavesWhatIsNotKnownToTheEnd() {
    const Theme theme(Theme::Mode::Light);
    TraceTable table(theme);
    TraceSift sift(table);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester sifted(&sift, QAbstractItemModelTester::FailureReportingMode::QtTest);
    TraceRows rows;
    rows.columns = {{QStringLiteral("name"), false}, {QStringLiteral("value"), true}};
    const std::pair<const char*, double> values[] = {{"Élan", 9}, {"beta", NAN}, {"gamma", 10}, {"delta", -1}};
    for (const auto& [name, value] : values) {
      TraceRow row;
      TraceCell text, figure;
      text.text = QString::fromUtf8(name);
      figure.text = QString::number(value);
      figure.value = value;
      row.cells << text << figure;
      rows.rows.push_back(row);
    }
    table.setRows(rows);
    const auto order = [&] {
      QStringList names;
      for (int row = 0; row < sift.rowCount(); ++row) names << sift.rowAt(row).cells.first().text;
      return names.join(QLatin1Char(' '));
    };
    QCOMPARE(order(), QStringLiteral("Élan beta gamma delta"));
    sift.sort(1, Qt::DescendingOrder);
    QCOMPARE(order(), QStringLiteral("gamma Élan delta beta"));
    sift.sort(1, Qt::AscendingOrder);
    QCOMPARE(order(), QStringLiteral("delta Élan gamma beta"));
    sift.sort(0, Qt::AscendingOrder);
    QVERIFY(order().startsWith(QStringLiteral("beta delta gamma")));
    sift.sort(-1);
    sift.setWords(QStringLiteral("elan"));
    QCOMPARE(order(), QStringLiteral("Élan"));
    sift.setWords(QStringLiteral("ta el"));
    QCOMPARE(order(), QStringLiteral("delta"));
    sift.setWords(QStringLiteral("  "));
    QCOMPARE(sift.rowCount(), 4);
    QCOMPARE(sift.find([](const TraceRow& row) { return row.cells[1].value > 9.5; }), 2);
    QCOMPARE(sift.find([](const TraceRow&) { return false; }), -1);
    table.setRows({});
    QCOMPARE(sift.rowCount(), 0);
  }

  void aDifferenceLeadsIntoTheTraceThatIsOpen() {
    const auto here = cpuContent();
    trace::testing::TraceBuilder builder;
    const auto main = builder.track("main thread");
    builder.step(main, 0, 20 * kMs);
    builder.op(main, "aten::mm", kMs, 9 * kMs);
    builder.op(main, "aten::gone", 12 * kMs, kMs);
    const auto there = TraceDocument::contentOf(builder.build());
    const Words words("en");
    const auto rows = changeRows(trace::compareTraces(there->trace, here->trace), here->trace, words);
    everyRowIsWhole(rows);
    const auto* gone = rowOf(rows, QStringLiteral("aten::gone"));
    QVERIFY(gone);
    QCOMPARE(gone->name, -1);
    QCOMPARE(gone->cells[3].value, 0.0);
    bool found = false;
    for (const auto& row : rows.rows) {
      if (row.name < 0) continue;
      found = true;
      QVERIFY(row.name < static_cast<std::int32_t>(here->trace.names.size()));
    }
    QVERIFY(found);
    // What became slower stands to the right of the middle.
    for (const auto& row : rows.rows)
      if (row.cells[4].value > 0) QVERIFY(row.cells[4].from >= 0.5 && row.cells[4].warning);
  }

  void factsOfAnEventSayWhatItReached() {
    const auto content = cpuContent();
    const Words words("en");
    const auto facts = factsOf(*content, find(content->trace, "aten::mm"), words);
    const auto valueOf = [&](const char* id) {
      for (const auto& fact : facts)
        if (fact.label == words.text(id)) return fact.value;
      return QString();
    };
    QCOMPARE(valueOf("profileview.fact.name"), QStringLiteral("aten::mm"));
    QCOMPARE(valueOf("profileview.fact.module"), QStringLiteral("0.dense"));
    QCOMPARE(valueOf("profileview.fact.type"), QStringLiteral("Linear"));
    QCOMPARE(valueOf("profileview.fact.shapes"), QStringLiteral("[128, 256] [256, 512]"));
    QCOMPARE(valueOf("profileview.fact.types"), QStringLiteral("float"));
    QVERIFY(valueOf("profileview.fact.total").contains(QStringLiteral("3.00")));
    // 33.6 MFLOP in 3 ms are 11.2 GFLOP/s, of 100.
    QVERIFY2(valueOf("profileview.fact.rate").contains(QStringLiteral("11.2")), qPrintable(valueOf("profileview.fact.rate")));
    TraceSelection selection;
    QVERIFY(factsOf(*content, selection, words).isEmpty());
    selection.selectName(content->trace.events[static_cast<std::size_t>(find(content->trace, "aten::relu"))].name);
    QVERIFY(!factsOf(*content, selection, words).isEmpty());
    selection.selectModule(0);
    QVERIFY(!factsOf(*content, selection, words).isEmpty());
  }

  void theRoofBendsWhereArithmeticTakesOver() {
    const auto content = cpuContent();
    const Words words("en");
    QVERIFY(hasPeaks(*content));
    const auto figure = rooflineFigure(*content, words);
    QVERIFY(figure.xLog && figure.yLog);
    QVERIFY(figure.xLow > 0 && figure.yLow > 0);
    QCOMPARE(figure.lines.size(), 2);
    QVERIFY(std::fabs(figure.lines[0].curve.y.last() - 100) < 1e-6);
    QVERIFY(std::fabs(figure.lines[1].curve.y.last() - 300) < 1e-6);
    // Below the bend the roof is the memory's: intensity × 20 GB/s.
    const auto& roof = figure.lines[0].curve;
    QVERIFY(std::fabs(roof.y.first() - roof.x.first() * 20) < 1e-6);
    QVERIFY(!figure.marks.isEmpty());
    for (const auto& mark : figure.marks) {
      QVERIFY(mark.x >= figure.xLow && mark.x <= figure.xHigh && mark.y >= figure.yLow && mark.y <= figure.yHigh);
      QVERIFY(mark.size > 0);
    }
    QVERIFY(figure.marks.first().size >= figure.marks.last().size);
    const auto without = TraceDocument::contentOf(cpuTrace());
    QVERIFY(!hasPeaks(*without));
    QVERIFY(rooflineFigure(*without, words).lines.isEmpty());
  }

  void aLogarithmicFigureIsDrawnMovedAndSaved() {
    const Theme theme(Theme::Mode::Dark);
    const Words words("fr");
    FigurePlot plot(theme, words);
    plot.resize(640, 400);
    plot.setContent(rooflineFigure(*cpuContent(), words));
    plot.show();
    for (const auto key : {Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Right, Qt::Key_Return, Qt::Key_Home}) {
      QTest::keyClick(&plot, key);
      QTest::keyClick(&plot, key, Qt::ShiftModifier);
    }
    QTemporaryDir folder;
    QVERIFY(plot.saveImage(folder.filePath(QStringLiteral("roof.svg"))));
    QVERIFY(plot.saveData(folder.filePath(QStringLiteral("roof.csv"))));
    // And back to a plain one.
    FigureContent plain;
    plain.marks.append({0, -1, QStringLiteral("below zero"), 0});
    plain.yLow = -2;
    plot.setContent(plain);
    QVERIFY(plot.saveImage(folder.filePath(QStringLiteral("plain.png"))));
  }

  void aGradientThatIsGoneStandsHollowAtTheEdge() {
    wire::Health health;
    health.step = 3;
    health.parameters = {statsOf("0.weight", 2), statsOf("1.weight", 0), statsOf("2.weight", NAN),
                         statsOf("3.weight", std::numeric_limits<double>::max())};
    const Words words("en");
    const auto figure = gradientFlowFigure(health, words);
    QCOMPARE(figure.marks.size(), 4);
    QVERIFY(figure.marks[0].strong && !figure.marks[1].strong && !figure.marks[2].strong);
    QCOMPARE(figure.marks[1].y, figure.yLow);
    QVERIFY(std::isfinite(figure.yLow) && std::isfinite(figure.yHigh) && figure.yLow > 0);
    QCOMPARE(figure.lines.first().curve.x, (QVector<double>{0, 3}));
    QVERIFY(gradientFlowFigure({}, words).marks.isEmpty());
  }

  void namesFromFilesStayOnOneLineAndShort() {
    trace::testing::TraceBuilder builder;
    const auto main = builder.track("main\nthread");
    builder.step(main, 0, 4 * kMs);
    builder.op(main, std::string(100'000, 'x') + "\n<script>", kMs, kMs);
    builder.last().module = builder.trace().module("a\tb\nc", "<i>T</i>");
    const auto content = TraceDocument::contentOf(builder.build());
    const Words words("en");
    for (const auto& rows : {operatorRows(*content, true, words), moduleRows(*content, words)})
      for (const auto& row : rows.rows)
        for (const auto& cell : row.cells) QVERIFY(cell.text.size() <= 400 && !cell.text.contains(QLatin1Char('\n')));
  }

  void aScheduleIsReadAsItIsWritten() {
    const LookSchedule schedule{2, 0, 5, 3};
    QCOMPARE(schedule.text(), std::string("wait=2,warmup=0,active=5,repeat=3"));
    QVERIFY(LookSchedule::read(schedule.text()) == std::optional(schedule));
    QVERIFY(LookSchedule::read("on") == std::optional(LookSchedule()));
    QCOMPARE(LookSchedule::read("active=7")->wait, std::int64_t{1});
    for (const char* text :
         {"off", "", "active", "active=", "active=-1", "active=1,", "active=x", "steps=3", "wait=1;warmup=2"})
      QVERIFY2(!LookSchedule::read(text), text);
    const auto job = profileJob({{"model", "cnn"}}, schedule, QStringLiteral("label"));
    QCOMPARE(job.command.verb, std::string("profile"));
    QCOMPARE(job.command.spec["profile"], nlohmann::json(schedule.text()));
    QVERIFY(job.command.arguments().startsWith(QStringLiteral("profile")));
    QVERIFY(!profileJob(nullptr, std::nullopt, QString()).command.spec.contains("profile"));
  }

  void onlyRunsWithAProfileAreFound() {
    Bench bench;
    const auto home = bench.engine.home();
    const auto plain = writeRun(home), profiled = writeRun(home, specOf(64));
    QVERIFY(trace::writeChromeTrace(cpuTrace(), home / "runs" / profiled / "trace.json.gz").ok());
    QVERIFY(registry::writeWhole(home / "runs" / profiled / "profile.json", "{}").ok());
    const auto runs = ProfiledRuns::find(home);
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs.front().id, profiled);
    QCOMPARE(runs.front().model, std::string("cnn"));
    QVERIFY(profiledRunText(runs.front(), bench.words).startsWith(QStringLiteral("cnn")));
    QVERIFY(ProfiledRuns::find(home, 0).empty());
    QVERIFY(ProfiledRuns::placeOf(home, QString::fromStdString(plain)).empty());
    QVERIFY(ProfiledRuns::placeOf(home, QString::fromStdString(profiled)) == home / "runs" / profiled);
    const auto file = home / "runs" / profiled / "trace.json.gz";
    QVERIFY(ProfiledRuns::placeOf(home, QString::fromStdString(file.string())) == file);
    for (const char* bad : {"", "..", "no such run", "/", "\n"})
      QVERIFY(ProfiledRuns::placeOf(home, QLatin1String(bad)).empty());
  }
};

QTEST_MAIN(ProfileTablesTest)
#include "profile_tables_test.moc"
