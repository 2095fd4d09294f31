// The ladder plot: a place for the foot, each rung that was raced, and all that was kept at once.
#include "app/plots/ladder_plot.h"

#include <QtTest>

namespace atelier::app {

namespace {

lab::Rung raced(const std::string& title, const std::string& verdict, double gain, double factor) {
  lab::Rung rung{title, title, {{"workers", 8}}};
  rung.verdict = verdict;
  rung.gain = wire::Interval{gain, gain - 0.1, gain + 0.1, 8};
  rung.factor = wire::Interval{factor, factor - 0.2, factor + 0.2, 8};
  return rung;
}

}  // namespace

class LadderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showsNothingBeforeTheFirstRace() {
    const Words words("en");
    lab::Ladder ladder;
    QVERIFY(ladderFigure(ladder, words).empty());
    ladder.rungs.push_back({"one", "One", {{"workers", 8}}});
    QVERIFY(ladderFigure(ladder, words).empty());
  }

  void climbsToTheFirstRungThatIsNotRaced() {
    const Words words("fr");
    lab::Ladder ladder;
    ladder.rungs = {raced("One", "faster", 3, 3), {"two", "Two", {{"fused", true}}}, raced("Three", "faster", 2, 6)};
    const auto figure = ladderFigure(ladder, words);
    QCOMPARE(figure.xNames.size(), 2);
    QCOMPARE(figure.marks.size(), 2);
    QCOMPARE(figure.marks[1].y, 3.0);
    QVERIFY(figure.marks[1].strong);
    QVERIFY(figure.yHigh > 3.2);
    QVERIFY(!figure.title.contains(QLatin1Char('.')));
  }

  void putsTheWholeBesideThem() {
    const Words words("en");
    lab::Ladder ladder;
    ladder.rungs = {raced("A name that is far too long for an axis", "faster", 3, 3), raced("Two", "slower", 0.9, 3)};
    ladder.whole = wire::Interval{2.9, 2.7, 9.5, 8};
    ladder.whole_verdict = "faster";
    const auto figure = ladderFigure(ladder, words);
    QCOMPARE(figure.lines.size(), 2);
    QCOMPARE(figure.xNames.size(), 4);
    QVERIFY(figure.xNames[1].size() <= 16);
    QVERIFY(!figure.marks[2].strong);
    QCOMPARE(figure.marks[3].y, 2.9);
    QCOMPARE(figure.lines[1].band.high.first(), 9.5);
    QVERIFY(figure.yHigh > 9.5);
    QVERIFY(figure.marks[1].text.contains(QStringLiteral("workers = 8")));
  }
};

}  // namespace atelier::app

QTEST_MAIN(atelier::app::LadderTest)
#include "ladder_test.moc"
