// RunSeries and RunProgress from events: curves, gaps, the running median's band, disturbed blocks, pauses.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/models/run_progress.h"
#include "app/models/run_series.h"

using namespace atelier;
using namespace atelier::app;

namespace {

wire::RunEvent at(double seconds, wire::EventBody body, std::string variant = "") {
  wire::RunEvent event;
  event.t = static_cast<std::int64_t>(seconds * 1e9);
  event.variant = std::move(variant);
  event.body = std::move(body);
  return event;
}

wire::Progress progress(std::int64_t step, std::int64_t planned, double rate = 1000) {
  wire::Progress body;
  body.step = step;
  body.planned_steps = planned;
  body.samples_per_second = rate;
  body.loss = 1.0 / static_cast<double>(step + 1);
  return body;
}

wire::BlockDone block(double rate, bool disturbed = false) {
  wire::BlockDone body;
  body.samples_per_second = rate;
  body.seconds = 1;
  body.disturbed = disturbed;
  return body;
}

}  // namespace

class RunSeriesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void collectsCurves() {
    RunSeries series(QStringLiteral("A"), 0);
    wire::RunStarted started;
    started.run_id = "r1";
    started.planned_steps = 100;
    started.warmup_steps = 10;
    series.take(at(0, started));
    QCOMPARE(series.plannedSteps(), 110);
    series.take(at(1, progress(5, 110)));
    wire::MemorySampled memory;
    memory.live = {150, 10, 20, 30, 40, 50};
    memory.budget_bytes = 512;
    series.take(at(1.5, memory));
    wire::SystemSampled system;
    system.cpu_percent = 96;
    series.take(at(1.6, system));
    wire::EpochDone epoch;
    epoch.accuracy = 0.88;
    series.take(at(2, epoch));
    QCOMPARE(series.runId(), QStringLiteral("r1"));
    QCOMPARE(series.step(), 5);
    QCOMPARE(series.samplesPerSecond().x, QVector<double>{1});
    QCOMPARE(series.loss().y.size(), 1);
    QCOMPARE(series.memory().size(), 5);
    double sum = 0;
    for (const auto& part : series.memory()) sum += part.y.first();
    QCOMPARE(sum, series.memoryTotal().y.first());
    QCOMPARE(series.budget(), 512);
    QCOMPARE(series.cpu().y.first(), 96.0);
    QCOMPARE(series.accuracy().y.first(), 0.88);
  }

  void whatTheDataLoaderDoesIsTwoCurves() {
    RunSeries series(QStringLiteral("A"), 0);
    auto body = progress(1, 10);
    series.take(at(1, body));
    QVERIFY(series.queue().x.isEmpty() && series.waiting().x.isEmpty());
    body.waiting = 0.25;
    series.take(at(1.25, body));
    body.queue = 3;
    series.take(at(1.5, body));
    QCOMPARE(series.waiting().y, (QVector<double>{0.25, 0.25}));
    QCOMPARE(series.queue().x, QVector<double>{1.5});
    QCOMPARE(series.queue().y, QVector<double>{3});
  }

  void aLossScaleIsAStaircaseFromTheStart() {
    RunSeries series(QStringLiteral("A"), 0);
    series.take(at(1, progress(1, 10)));
    QVERIFY(series.lossScale().x.isEmpty());
    series.take(at(2, wire::ScaleChanged{7, 65536, 32768, "overflow"}));
    series.take(at(5, wire::ScaleChanged{20, 32768, 65536, "growth"}));
    const auto& scale = series.lossScale();
    QCOMPARE(scale.y, (QVector<double>{65536, 65536, 32768, 32768, 65536}));
    QCOMPARE(scale.x.first(), 0.0);
    QVERIFY(std::is_sorted(scale.x.begin(), scale.x.end()));
    QVERIFY(std::abs(scale.x[2] - 2) < 1e-9 && std::abs(scale.x[4] - 5) < 1e-9);
  }

  void bandHoldsTheMedianAndLeavesDisturbedBlocksOut() {
    RunSeries series(QStringLiteral("A"), 0);
    for (int i = 0; i < 20; ++i) series.take(at(i + 1, block(1000 + i)));
    series.take(at(21, block(10, true)));
    const auto& band = series.rateBand();
    QCOMPARE(band.x.size(), 20);
    QVERIFY(band.low.last() < 1009.5 && band.high.last() > 1009.5);
    QVERIFY(band.low.last() >= 1000 && band.high.last() <= 1019);
    QCOMPARE(series.disturbed().size(), 1);
    QCOMPARE(series.disturbed().first().from, 20.0);
    QCOMPARE(series.disturbed().first().to, 21.0);
  }

  void aPauseAndANonFiniteLossAreGaps() {
    RunSeries series(QStringLiteral("A"), 0);
    series.take(at(1, progress(1, 10)));
    series.take(at(2, wire::PhaseChanged{"paused"}));
    auto bad = progress(2, 10);
    bad.loss = std::numeric_limits<double>::quiet_NaN();
    series.take(at(9, bad));
    QVERIFY(std::isnan(series.samplesPerSecond().y[1]));
    QVERIFY(std::isnan(series.loss().y.last()));
    series.take(at(10, block(std::numeric_limits<double>::infinity())));
    QVERIFY(series.rateBand().x.isEmpty());
  }

  void progressLeavesPausesOut() {
    RunProgress run;
    run.start(1, 60);
    QCOMPARE(run.secondsLeft().value(), 60.0);
    run.take(at(0, progress(0, 100)));
    run.take(at(10, progress(50, 100)));
    QCOMPARE(run.share(), 0.5);
    QVERIFY(std::abs(run.secondsLeft().value() - 10) < 1e-6);
    run.take(at(10, wire::PhaseChanged{"paused"}));
    run.take(at(110, wire::PhaseChanged{"resumed"}));
    run.take(at(115, progress(75, 100)));
    QVERIFY(std::abs(run.secondsLeft().value() - 5) < 1e-6);
  }

  void theNaiveStopwatchIsNoPartOfThePlan() {
    RunProgress run;
    run.start(1, 60);
    run.take(at(0, wire::PhaseChanged{"loading"}));
    QVERIFY(!run.secondsLeft());
    run.take(at(1, wire::PhaseChanged{"naive"}));
    run.take(at(2, progress(20, 100)));
    QCOMPARE(run.share(), 0.0);
    run.take(at(3, wire::PhaseChanged{"warmup"}));
    run.take(at(4, progress(20, 100)));
    run.take(at(5, wire::PhaseChanged{"measuring"}));
    run.take(at(14, progress(70, 100)));
    QCOMPARE(run.share(), 0.5);
    QVERIFY(std::abs(run.secondsLeft().value() - 10) < 1e-6);
    run.take(at(24, progress(120, 100)));
    QCOMPARE(run.share(), 1.0);
    QVERIFY(!run.secondsLeft());
    run.take(at(25, wire::PhaseChanged{"naive"}));
    run.take(at(26, progress(140, 100)));
    QCOMPARE(run.share(), 1.0);
    run.take(at(27, wire::PhaseChanged{"evaluating"}));
    QVERIFY(!run.secondsLeft());
  }

  void aRaceCountsBothVariants() {
    RunProgress run;
    run.start(2, 60);
    run.take(at(1, progress(50, 100), "a"));
    QCOMPARE(run.share(), 0.25);
    run.take(at(2, progress(50, 100), "b"));
    QCOMPARE(run.share(), 0.5);
  }
};

QTEST_MAIN(RunSeriesTest)
#include "run_series_test.moc"
