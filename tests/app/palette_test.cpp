// Finding by a few letters: what matches and in which order, what is remembered, and the palette used from the keyboard alone.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QListView>
#include <QtTest>

#include <algorithm>

#include "app/models/fuzzy.h"
#include "app/models/palette_model.h"
#include "app/shell/palette.h"
#include "app/shell/palette_items.h"
#include "comfort_fixture.h"

using namespace atelier;
using namespace atelier::app;

namespace {

PaletteItem item(const char* id, const char* title, const char* detail = "", std::function<void()> act = {}) {
  return {QString::fromUtf8(id), QString::fromUtf8(title), QString::fromUtf8(detail), QString(), std::move(act)};
}

QStringList titles(const PaletteModel& model) {
  QStringList all;
  for (int row = 0; row < model.rowCount(); ++row) all << model.index(row, 0).data().toString();
  return all;
}

}  // namespace

class PaletteTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void accentsAndCaseDoNotMatter() {
    QCOMPARE(folded(QString::fromUtf8("Élève ŒUVRE l’été")), QStringLiteral("eleve oeuvre l'ete"));
    QVERIFY(fuzzyScore(folded(QString::fromUtf8("ECHAUFF")), folded(QString::fromUtf8("L’échauffement"))).has_value());
    QVERIFY(!fuzzyScore(QStringLiteral("xyz"), QStringLiteral("measure first")).has_value());
  }

  void betterMatchesScoreHigher() {
    const auto score = [](const char* query, const char* text) {
      return fuzzyScore(QString::fromUtf8(query), QString::fromUtf8(text)).value_or(-1);
    };
    QVERIFY(score("run", "run again") > score("run", "the run"));
    QVERIFY(score("run", "the run") > score("run", "a trunk"));
    QVERIFY(score("rn", "run") > 0);
    QCOMPARE(score("step next", "next step"), score("next step", "next step"));
    QCOMPARE(score("", "anything"), 0);
    // Letters strewn over a sentence are no match, nor is one that begins inside of a word.
    QCOMPARE(score("mz", "measure first, change one thing, and let it decide in a blaze"), -1);
    QCOMPARE(score("easr", "measure"), -1);
  }

  void theModelFiltersAndSorts() {
    Settings settings{QString()};
    PaletteModel model(settings);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setItems({item("a", "Quit", "command"), item("b", "Mesurer d’abord", "TP"), item("c", "Next step", "command")});
    QCOMPARE(model.rowCount(), 3);
    model.setQuery(QStringLiteral("MESURER"));
    QCOMPARE(titles(model), QStringList{QString::fromUtf8("Mesurer d’abord")});
    model.setQuery(QStringLiteral("command"));
    QCOMPARE(model.rowCount(), 2);
    model.setQuery(QStringLiteral("nothing like it"));
    QCOMPARE(model.rowCount(), 0);
    model.run(0);  // nothing to do, and no harm
    model.addItems({item("d", "Nothing like it", "run")});
    QCOMPARE(model.rowCount(), 1);
  }

  void whatWasUsedLatelyComesFirst() {
    Settings settings{QString()};
    PaletteModel model(settings);
    int done = 0;
    const QVector<PaletteItem> items{item("a", "Alpha"), item("b", "Beta", "", [&done] { ++done; }), item("c", "Gamma")};
    model.setItems(items);
    model.run(1);
    QCOMPARE(done, 1);
    model.setItems(items);
    QCOMPARE(titles(model).first(), QStringLiteral("Beta"));
    QVERIFY(model.index(0, 0).data(PaletteModel::RecentRole).toBool());
    model.run(2);
    model.setItems(items);
    QCOMPARE(titles(model), (QStringList{QStringLiteral("Gamma"), QStringLiteral("Beta"), QStringLiteral("Alpha")}));
  }

  void aThousandItemsShowOnlyTheBest() {
    Settings settings{QString()};
    PaletteModel model(settings);
    QVector<PaletteItem> items;
    for (int i = 0; i < 1000; ++i) items.append(item(qPrintable(QString::number(i)), "Item"));
    model.setItems(items);
    QCOMPARE(model.rowCount(), PaletteModel::kMostShown);
  }

  void itIsUsedFromTheKeyboardAlone() {
    Workplace place;
    QWidget window;
    window.resize(1280, 720);
    QLineEdit before(&window);
    Palette palette(place.theme, place.words, place.settings, &window);
    QString chosen;
    palette.model().setItems({item("a", "Alpha", "", [&] { chosen = QStringLiteral("a"); }),
                              item("b", "Beta", "", [&] { chosen = QStringLiteral("b"); })});
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    before.setFocus();
    palette.open();
    auto* field = palette.findChild<QLineEdit*>();
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(chosen, QStringLiteral("b"));
    QVERIFY(!palette.isVisible());
    QTRY_VERIFY(before.hasFocus());
    palette.open();
    QTest::keyClicks(field, QStringLiteral("alph"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(chosen, QStringLiteral("a"));
    palette.open();
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
  }

  void labsAndStepsAreJumpedTo() {
    Workplace place;
    bool shown = false;
    const auto items = labItems(place.desktop, [&shown] { shown = true; });
    const auto& lab = place.learn.course().half_days.front().labs.front();
    const auto last = QString::fromStdString("step:" + lab.id + "/" + lab.steps.back().id);
    const auto found = std::find_if(items.begin(), items.end(), [&](const PaletteItem& one) { return one.id == last; });
    QVERIFY(found != items.end());
    found->act();
    QVERIFY(shown);
    QCOMPARE(place.learn.session()->lab().id, lab.id);
    QCOMPARE(place.learn.session()->index(), static_cast<int>(lab.steps.size()) - 1);
  }

  void runsAreFoundByNameAndId() {
    Words words("fr");
    registry::RunRecord named, plain;
    named.id = "20261130-104512-3f9a1c";
    named.labels.name = "Le plus rapide";
    plain.id = "20261130-104513-000000";
    plain.spec = {{"model", "cnn"}, {"data", "fashion-mnist"}};
    QString shown;
    const auto items = runItems({named, plain}, words, [&](const QString& id) { shown = id; });
    QCOMPARE(items.size(), 2);
    QCOMPARE(items[0].title, QStringLiteral("Le plus rapide"));
    QVERIFY(items[0].detail.contains(QLatin1String("3f9a1c")));
    QVERIFY(items[1].title.contains(QLatin1String("cnn")));
    items[1].act();
    QCOMPARE(shown, QString::fromStdString(plain.id));
  }
};

QTEST_MAIN(PaletteTest)
#include "palette_test.moc"
