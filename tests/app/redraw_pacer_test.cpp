// How often the window looks while a run is measured: it takes no more than its share of the processor.
#include <QtTest>

#include "app/models/redraw_pacer.h"

using namespace atelier::app;

namespace {

// Looks that cost `each` seconds on top of `steady` seconds a second; the interval they settle at, in milliseconds.
int settled(RedrawPacer& pacer, double each, double steady) {
  int interval = 250;
  for (int look = 0; look < 200; ++look) {
    const double elapsed = interval / 1000.0;
    interval = pacer.next(each + steady * elapsed, elapsed);
  }
  return interval;
}

}  // namespace

class RedrawPacerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void staysWithinItsShare() {
    RedrawPacer two(2);
    const int interval = settled(two, 0.002, 0.001);
    const double share = (0.002 + 0.001 * interval / 1000.0) / (interval / 1000.0) / 2;
    QVERIFY2(share <= RedrawPacer::kShare * 1.05, qPrintable(QString::number(share)));
    QVERIFY2(share >= RedrawPacer::kShare * 0.8, qPrintable(QString::number(share)));
  }

  void manyCoresAllowTenASecond() {
    RedrawPacer many(64);
    QCOMPARE(settled(many, 0.002, 0.001), RedrawPacer::kShortest);
  }

  void neverStopsLooking() {
    RedrawPacer one(1);
    QCOMPARE(settled(one, 0.5, 0.5), RedrawPacer::kLongest);
  }

  void aNewRunBeginsAnew() {
    RedrawPacer pacer(2);
    settled(pacer, 0.5, 0);
    pacer.reset();
    QCOMPARE(pacer.next(), 250);
  }
};

QTEST_GUILESS_MAIN(RedrawPacerTest)
#include "redraw_pacer_test.moc"
