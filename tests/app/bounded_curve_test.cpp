// Curves that never end: bounded, in order of time, and no spike, gap or end of theirs lost.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "app/models/bounded_curve.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr int kMany = 300'000;

bool rises(const QVector<double>& x) {
  return std::adjacent_find(x.begin(), x.end(), [](double a, double b) { return !(a < b); }) == x.end();
}

// Where a value stands, or -1.
qsizetype find(const QVector<double>& values, double wanted) {
  return values.indexOf(wanted);
}

wire::RunEvent block(int number, double rate) {
  wire::BlockDone body;
  body.samples_per_second = rate;
  body.seconds = 1e-3;
  wire::RunEvent event;
  event.t = std::int64_t{number} * 1'000'000;
  event.body = body;
  return event;
}

}  // namespace

class BoundedCurveTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aShortCurveIsLeftAlone() {
    Curve curve;
    for (int i = 0; i < kMostPoints; ++i) addBounded(curve, i, i % 7);
    QCOMPARE(curve.x.size(), kMostPoints);
    QCOMPARE(curve.y[12'345], double(12'345 % 7));
  }

  void noSpikeIsLost() {
    Curve curve;
    for (int i = 0; i < kMany; ++i) {
      double value = std::sin(i * 0.01);
      if (i == 100'001) value = 1e6;
      if (i == 100'002) value = -1e6;
      if (i == 250'003) value = 2e6;
      if (i == 77'777) value = kGap;
      addBounded(curve, i, value);
      QVERIFY(curve.x.size() <= kMostPoints);
    }
    QCOMPARE(curve.x.size(), curve.y.size());
    QVERIFY(curve.x.size() > kMostPoints / 4);
    QVERIFY(rises(curve.x));
    for (const auto& [time, value] : {std::pair{100'001.0, 1e6}, std::pair{100'002.0, -1e6}, std::pair{250'003.0, 2e6}}) {
      const auto at = find(curve.y, value);
      QVERIFY(at >= 0);
      QCOMPARE(curve.x[at], time);
    }
    QVERIFY(std::any_of(curve.y.begin(), curve.y.end(), [](double y) { return std::isnan(y); }));
    QCOMPARE(curve.x.first(), 0.0);
    QCOMPARE(curve.x.last(), double(kMany - 1));
    QCOMPARE(curve.y.last(), std::sin((kMany - 1) * 0.01));
  }

  void gapsAloneAreBoundedToo() {
    Curve gaps, mixed;
    for (int i = 0; i < kMany; ++i) {
      addBounded(gaps, i, kGap);
      addBounded(mixed, i, i % 2 == 0 ? kGap : i);
      QVERIFY(gaps.x.size() <= kMostPoints && mixed.x.size() <= kMostPoints);
    }
    QVERIFY(rises(gaps.x) && rises(mixed.x));
    QVERIFY(std::any_of(mixed.y.begin(), mixed.y.end(), [](double y) { return std::isfinite(y); }));
    QVERIFY(std::any_of(mixed.y.begin(), mixed.y.end(), [](double y) { return std::isnan(y); }));
  }

  void ranksThatSpeakAtOnceStandSideBySide() {
    Curve curve;
    for (int i = 0; i < 8; ++i) addBounded(curve, 1.0, i);
    addBounded(curve, 0.5, 100);
    addBounded(curve, 2.0, 200);
    QVERIFY(rises(curve.x));
    QCOMPARE(curve.y.size(), 10);
    QCOMPARE(curve.x.first(), 1.0);
    QCOMPARE(curve.x.last(), 2.0);
    QVERIFY(curve.x[8] - 1.0 < 1e-12);
  }

  void layersKeepTheirTimeInCommon() {
    QVector<Curve> layers(5);
    for (int i = 0; i < kMany; ++i) {
      QVector<double> values{1, 2, 3, 4, std::cos(i * 0.1)};
      for (int layer = 0; layer < 5; ++layer)
        if (i == 1000 * (layer + 1)) values[layer] = 1e9 + layer;
      addBounded(layers, i, values);
    }
    for (int layer = 0; layer < 5; ++layer) {
      QVERIFY(layers[layer].x.size() <= kMostPoints);
      QCOMPARE(layers[layer].x, layers[0].x);
      QCOMPARE(layers[layer].y.size(), layers[layer].x.size());
      const auto spike = find(layers[layer].y, 1e9 + layer);
      QVERIFY(spike >= 0);
      QCOMPARE(layers[layer].x[spike], 1000.0 * (layer + 1));
    }
    QVERIFY(rises(layers[0].x));
  }

  void aBandKeepsBothItsEnds() {
    Band band;
    for (int i = 0; i < kMany; ++i) addBounded(band, i, i == 5'000 ? -7 : 1 + 1e-9 * i, i == 9'000 ? 77 : 2);
    QVERIFY(band.x.size() <= kMostPoints);
    QCOMPARE(band.low.size(), band.x.size());
    QCOMPARE(band.high.size(), band.x.size());
    QVERIFY(find(band.low, -7) >= 0 && find(band.high, 77) >= 0);
    QVERIFY(rises(band.x));
  }

  void joinedSpansStillCoverWhatWasDisturbed() {
    QVector<RunSeries::Disturbed> spans;
    for (int i = 0; i < kMany; ++i) addBounded(spans, {2.0 * i, 2.0 * i + 1, i < 10 ? "busy.steal" : "busy.others"});
    QVERIFY(spans.size() <= kMostPoints);
    QCOMPARE(spans.first().from, 0.0);
    QCOMPARE(spans.last().to, 2.0 * (kMany - 1) + 1);
    QCOMPARE(spans.last().reason, std::string("busy.others"));
    for (int i = 0; i < kMany; i += 997) {
      const auto holds = [i](const RunSeries::Disturbed& span) { return span.from <= 2.0 * i && span.to >= 2.0 * i + 1; };
      QVERIFY(std::any_of(spans.begin(), spans.end(), holds));
    }
  }

  void aRunOfVeryManyBlocksKeepsItsMedian() {
    constexpr int kBlocks = 140'000;
    RunSeries series(QStringLiteral("A"), 0);
    for (int i = 0; i < kBlocks; ++i) series.take(block(i, 1000 + i * 7919 % 101));
    const auto& band = series.rateBand();
    QVERIFY(band.x.size() <= kMostPoints);
    QVERIFY(band.low.last() <= 1050 && band.high.last() >= 1050);
    QVERIFY(band.high.last() - band.low.last() <= 4);
  }
};

QTEST_GUILESS_MAIN(BoundedCurveTest)
#include "bounded_curve_test.moc"
