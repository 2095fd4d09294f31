// What the plots must never do: lose a spike, lay one label over another, write numbers in a file through the locale.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/plots/decimate.h"
#include "app/plots/label_layout.h"
#include "app/plots/plot_column.h"
#include "app/plots/plot_content.h"
#include "app/plots/time_plot.h"
#include "app/shell/theme.h"
#include "core/wire/catalog.h"
#include "core/wire/format.h"

using namespace atelier;
using namespace atelier::app;

class PlotsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSpikeIsNeverLost() {
    Curve curve;
    for (int i = 0; i < 100'000; ++i) curve.add(i * 0.001, 1000);
    for (const int spike : {1, 777, 50'001, 99'998}) {
      auto spiked = curve;
      spiked.y[spike] = 5000;
      spiked.y[spike - 1] = -5;
      const auto drawn = decimate(spiked, 0, 100, 400);
      QVERIFY(drawn.x.size() <= 4 * 402);
      QCOMPARE(*std::max_element(drawn.y.begin(), drawn.y.end()), 5000.0);
      QCOMPARE(*std::min_element(drawn.y.begin(), drawn.y.end()), -5.0);
      QVERIFY(std::is_sorted(drawn.x.begin(), drawn.x.end()));
    }
  }

  void aGapStaysAGap() {
    Curve curve;
    for (int i = 0; i < 10'000; ++i) curve.add(i, i >= 4000 && i < 6000 ? NAN : 1.0);
    const auto drawn = decimate(curve, 0, 10'000, 100);
    QVERIFY(std::any_of(drawn.y.begin(), drawn.y.end(), [](double y) { return std::isnan(y); }));
    for (qsizetype i = 0; i < drawn.x.size(); ++i)
      if (drawn.x[i] > 4100 && drawn.x[i] < 5900) QVERIFY(std::isnan(drawn.y[i]));
  }

  void decimationTakesAnything() {
    QVERIFY(decimate({}, 0, 1, 10).x.isEmpty());
    Curve one;
    one.add(3, INFINITY);
    QVERIFY(std::isnan(decimate(one, 0, 10, 5).y.first()));
    QCOMPARE(decimate(one, 5, 5, 1).x.size(), 1);
  }

  void labelsNeverOverlap() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> place(-20, 220);
    for (int round = 0; round < 500; ++round) {
      QVector<double> wanted;
      for (int i = 0; i < 1 + round % 9; ++i) wanted.append(i % 4 == 3 && round % 5 == 0 ? NAN : place(random));
      const auto placed = placeLabels(wanted, 14, 0, 100);
      QVector<double> kept;
      for (qsizetype i = 0; i < placed.size(); ++i) {
        if (placed[i]) kept.append(*placed[i]);
        if (placed[i]) QVERIFY(*placed[i] >= 7 - 1e-6 && *placed[i] <= 93 + 1e-6);
        QVERIFY(!placed[i] || std::isfinite(wanted[i]));
        for (qsizetype j = 0; j < i; ++j)
          if (placed[i] && placed[j] && wanted[i] < wanted[j]) QVERIFY(*placed[i] < *placed[j]);
      }
      std::sort(kept.begin(), kept.end());
      for (qsizetype i = 1; i < kept.size(); ++i) QVERIFY(kept[i] - kept[i - 1] >= 14 - 1e-6);
    }
  }

  void aLoneLabelStandsWhereItWants() {
    QCOMPARE(placeLabels({50}, 14, 0, 100).first().value(), 50.0);
    QVERIFY(!placeLabels({50, 60}, 14, 0, 20).last().has_value());
  }

  void zeroIsInViewAndEmptyContentHasARange() {
    QVERIFY(valueRange({}, true).low < valueRange({}, true).high);
    PlotContent content;
    Curve curve;
    curve.add(0, 900);
    curve.add(1, 1000);
    content.lines.append({QStringLiteral("A"), 0, curve});
    QCOMPARE(valueRange(content, true).low, 0.0);
    QVERIFY(valueRange(content, true).high > 1000);
    QCOMPARE(valueAt(curve, 0.5).value(), 900.0);
    QVERIFY(!valueAt(curve, 2).has_value());
  }

  void theReadersViewStaysWhileTheRunGoesOn() {
    const Theme theme(Theme::Mode::Light);
    const auto catalog = wire::Catalog::builtIn("en");
    const wire::Format format("en");
    PlotColumn column(theme, catalog, format);
    const RunSeries a(QStringLiteral("A"), 0), b(QStringLiteral("B"), 1);
    column.setSeries({&a});
    auto& plot = column.plot(PlotKind::Throughput);
    plot.setView(2, 3, false);
    column.setSeries({&a});
    QVERIFY(!plot.following());
    column.setSeries({&a, &b});
    QVERIFY(plot.following());
  }

  void onlyTheLowestPlotOfAColumnNamesItsTimeAxis() {
    const Theme theme(Theme::Mode::Light);
    const auto catalog = wire::Catalog::builtIn("en");
    const wire::Format format("en");
    PlotColumn column(theme, catalog, format);
    const auto named = [&](PlotKind kind) { return column.plot(kind).timeAxisShown(); };
    QVERIFY(named(PlotKind::Loss) && !named(PlotKind::Cpu) && !named(PlotKind::Accuracy));
    column.setTwoColumns(true);
    QVERIFY(named(PlotKind::Loss) && named(PlotKind::Cpu) && !named(PlotKind::Throughput));
  }

  void whatARunDoesNotTellOfHasNoPlot() {
    const Theme theme(Theme::Mode::Light);
    const auto catalog = wire::Catalog::builtIn("en");
    const wire::Format format("en");
    PlotColumn column(theme, catalog, format);
    RunSeries run(QStringLiteral("A"), 0);
    wire::RunEvent event;
    event.t = 1'000'000'000;
    event.body = wire::Progress{1, 10, true, 1000, 0.5, 1e-3};
    run.take(event);
    column.setSeries({&run});
    const auto hidden = [&](PlotKind kind) { return column.plot(kind).isHidden(); };
    for (const auto kind : {PlotKind::Accuracy, PlotKind::Waiting, PlotKind::Queue, PlotKind::LossScale}) QVERIFY(hidden(kind));
    QVERIFY(!hidden(PlotKind::Loss));
    // It begins to tell while it goes: the next look shows it.
    event.t = 2'000'000'000;
    event.body = wire::Progress{2, 10, true, 1000, 0.5, 1e-3, 2.0, 0.125};
    run.take(event);
    column.refreshNext();
    QVERIFY(!hidden(PlotKind::Waiting) && !hidden(PlotKind::Queue) && hidden(PlotKind::LossScale));
    QCOMPARE(column.plot(PlotKind::Waiting).content().lines.first().curve.y, QVector<double>{12.5});
    QVERIFY(column.plot(PlotKind::Queue).timeAxisShown() && !column.plot(PlotKind::Loss).timeAxisShown());
    column.setSeries({});
    QVERIFY(hidden(PlotKind::Waiting) && column.plot(PlotKind::Loss).timeAxisShown());
  }

  void aLossScaleIsShownInPowersOfTwoUntilNow() {
    RunSeries run(QStringLiteral("A"), 0);
    const auto take = [&run](double seconds, wire::EventBody body) {
      wire::RunEvent event;
      event.t = static_cast<std::int64_t>(seconds * 1e9);
      event.body = std::move(body);
      run.take(event);
    };
    QVERIFY(!worthAPlot(PlotKind::LossScale, {&run}));
    take(1, wire::ScaleChanged{10, 65536, 32768, "overflow"});
    take(9, wire::Progress{90, 100, true, 1000, 0.5, 1e-3});
    QVERIFY(worthAPlot(PlotKind::LossScale, {&run}));
    const auto curve = plotContent(PlotKind::LossScale, {&run}, {}).lines.first().curve;
    QCOMPARE(curve.y, (QVector<double>{16, 16, 15, 15}));
    QCOMPARE(curve.x.last(), 9.0);
    QCOMPARE(valueAt(curve, 5).value(), 15.0);
    // No power of two: a gap, never a number that is none.
    take(10, wire::ScaleChanged{99, 0, NAN, "overflow"});
    const auto bad = plotContent(PlotKind::LossScale, {&run}, {}).lines.first().curve;
    QVERIFY(std::isnan(bad.y.last()));
  }

  void dataIsWrittenWithoutTheLocale() {
    const QTemporaryDir folder;
    QLocale::setDefault(QLocale(QStringLiteral("fr")));
    const Theme theme(Theme::Mode::Light);
    LinkedCursor cursor;
    TimePlot plot(theme, cursor, true);
    PlotTexts texts;
    texts.language = QStringLiteral("fr");
    plot.setTexts(texts);
    PlotContent content;
    Curve curve;
    curve.add(0.5, 1234.25);
    curve.add(1.5, NAN);
    content.lines.append({QStringLiteral("A \"x\""), 0, curve});
    content.lastTime = 1.5;
    plot.setContent(content);
    const auto file = folder.filePath(QStringLiteral("data.csv"));
    QVERIFY(plot.saveData(file));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const auto lines = written.readAll().split('\n');
    QCOMPARE(lines[0], QByteArray("series,seconds,value"));
    QCOMPARE(lines[1], QByteArray("\"A \"\"x\"\"\",0.5,1234.25"));
    for (const char* name : {"plot.svg", "plot.png"}) {
      const auto picture = folder.filePath(QLatin1String(name));
      QVERIFY(plot.saveImage(picture));
      QVERIFY(QFileInfo(picture).size() > 100);
    }
    QVERIFY(!plot.saveData(folder.filePath(QStringLiteral("no/such/folder.csv"))));
  }
};

QTEST_MAIN(PlotsTest)
#include "plots_test.moc"
