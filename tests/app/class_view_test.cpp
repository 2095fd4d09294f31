// The Class view on results that learners' windows would have left: who is where, gains and predictions, hidden names, exports,
// folders that hold nothing or rubbish.
#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QTableView>
#include <QUrl>
#include <QtTest>

#include <algorithm>

#include "app/models/class_book.h"
#include "app/models/class_figures.h"
#include "app/models/class_table.h"
#include "app/views/class/class_view.h"
#include "app/views/class/dot_plot.h"
#include "comfort_fixture.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr std::int64_t kMinute = 60'000;

// Three learners: the first is behind and has not been active for long, the last one's machine was too busy to tell.
class Classroom {
 public:
  Classroom() {
    const auto now = QDateTime::currentMSecsSinceEpoch();
    QVERIFY(QDir().mkpath(folder()));
    QVERIFY(putResults(folder(), "Anna", 1.2, "faster", now - 30 * kMinute, false));
    QVERIFY(putResults(folder(), "Ben", 1.6, "faster", now - kMinute, true));
    QVERIFY(putResults(folder(), "Chloé", 1.4, "machine-busy", now, true));
  }
  QString folder() const { return m_root.filePath(QStringLiteral("shared")); }
  void addRubbish() const {
    QVERIFY(QDir().mkpath(folder() + QStringLiteral("/Damaged of Dora")));
    QFile file(folder() + QStringLiteral("/Damaged of Dora/results.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{ not results");
  }

 private:
  QTemporaryDir m_root;
};

struct Droppable : ClassView {
  using ClassView::ClassView;
  using ClassView::dropEvent;
};

void readBook(ClassBook& book, const QString& folder) {
  book.setFolder(folder);
  QTRY_VERIFY_WITH_TIMEOUT(book.loaded() && !book.reading(), kPatience);
}

}  // namespace

class ClassViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theBookReadsInTheBackgroundAndRemembers() {
    const Classroom room;
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    QVERIFY(!book.loaded());
    book.setFolder(room.folder());
    QVERIFY(book.reading());  // this thread did not wait
    QTRY_VERIFY_WITH_TIMEOUT(book.loaded(), kPatience);
    QCOMPARE(book.content().learners.size(), std::size_t{3});
    QVERIFY(book.find("measure-first"));
    QVERIFY(!book.find("no-such-lab"));
    const ClassBook again(place.settings, place.desk, place.words);
    QCOMPARE(again.folder(), room.folder());
  }

  void anotherFolderWhileOneIsReadWins() {
    const Classroom room;
    const QTemporaryDir empty;
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    book.setFolder(room.folder());
    readBook(book, empty.path());
    QVERIFY(book.content().learners.empty());
  }

  void aFolderThatIsGoneIsToldAndNothingBreaks() {
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    readBook(book, QStringLiteral("/no/such/folder"));
    QVERIFY(book.content().learners.empty());
    QCOMPARE(book.content().problems.size(), std::size_t{1});
  }

  void theTableShowsLearnersAndLabs() {
    const Classroom room;
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    readBook(book, room.folder());
    ClassTable table(place.theme, book, place.words);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(table.columnCount(), 3);
    const int lab = table.columnOf("measure-first");
    QCOMPARE(lab, 1);
    QCOMPARE(table.index(0, 0).data().toString(), QStringLiteral("Anna"));
    QVERIFY(table.index(0, lab).data().toString().contains(QLatin1String(" / ")));
    const double share = table.index(0, lab).data(ClassTable::ShareRole).toDouble();
    QVERIFY(share > 0 && share < 1);
    QCOMPARE(table.index(0, lab).data(ClassTable::LabRole).toString(), QStringLiteral("measure-first"));
    QVERIFY(table.index(0, lab).data(Qt::ToolTipRole).toString().contains(QLatin1String("Example CPU of Anna")));
    QVERIFY(table.index(0, 2).data().toString() != QStringLiteral("—"));
    book.setFolder(QString());
    table.reset();
    QCOMPARE(table.rowCount(), 0);
  }

  void whoIsStuckIsSaidBySignAndWord() {
    const Classroom room;
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    readBook(book, room.folder());
    const auto& content = book.content();
    QVERIFY(!content.labs.empty());
    const ClassFigures figures(book, place.words);
    const ClassTable table(place.theme, book, place.words);
    int stuck = 0;
    for (int row = 0; row < table.rowCount(); ++row) {
      const auto cell = table.index(row, 1);
      if (!cell.data(ClassTable::StuckRole).toBool()) continue;
      ++stuck;
      QVERIFY(cell.data().toString().contains(QStringLiteral("▲")));
      QVERIFY(cell.data().toString().contains(place.words.text("class.stuck")));
    }
    QCOMPARE(stuck, 1);
    QCOMPARE(figures.stuck(content.labs.front()).size(), 1);
    QVERIFY(figures.stuck(content.labs.front()).front().startsWith(QLatin1String("Anna")));
    QCOMPARE(content.labs.front().stuck, stuck);
  }

  void gainsKeepUndecidedOnesApart() {
    const Classroom room;
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    readBook(book, room.folder());
    const auto& lab = book.content().labs.front();
    const auto race = std::find_if(lab.measured.begin(), lab.measured.end(),
                                   [](const lab::MeasuredRollUp& one) { return one.quantity == "ratio"; });
    QVERIFY(race != lab.measured.end());
    const auto figure = ClassFigures(book, place.words).gains(*race, lab);
    QCOMPARE(figure.dots.size(), 3);
    QCOMPARE(figure.dots[1].x, 1.4);
    QVERIFY(!figure.dots[1].decided);
    QVERIFY(figure.dots[0].label.contains(QLatin1String("Example CPU of Anna")));
    QVERIFY(figure.box.has_value());
    QCOMPARE(figure.box->median, 1.4);  // of 1.2 and 1.6, not of the undecided one
    QCOMPARE(figure.reference.value_or(0), 1.0);
    QVERIFY(!figure.scatter);
  }

  void predictionsStandAgainstReality() {
    const Classroom room;
    Workplace place;
    ClassBook book(place.settings, place.desk, place.words);
    readBook(book, room.folder());
    const auto& lab = book.content().labs.front();
    const auto wanted = std::find_if(lab.predictions.begin(), lab.predictions.end(),
                                     [](const lab::PredictionRollUp& one) { return one.quantity == "ratio"; });
    QVERIFY(wanted != lab.predictions.end());
    const auto figure = ClassFigures(book, place.words).predictions(*wanted, lab);
    QVERIFY(figure.scatter);
    QCOMPARE(figure.dots.size(), 3);
    for (const auto& dot : figure.dots) QVERIFY(qAbs(dot.x - 1.1 * dot.y) < 1e-9);
  }

  void nearDotsStandApart() {
    const QVector<double> x{1, 1, 1, 1, 5};
    const auto heights = spreadDots(x, 0.1);
    QCOMPARE(heights, (QVector<double>{0, 1, -1, 2, 0}));
    QCOMPARE(spreadDots(QVector<double>(2000, 1.0), 0).size(), 2000);
    QVERIFY(spreadDots({}, 1).isEmpty());
  }

  void hiddenNamesAreNowhere() {
    const Classroom room;
    room.addRubbish();
    Workplace place;
    place.settings.set(QStringLiteral("class/folder"), room.folder());
    ClassView view(place.desktop);
    view.resize(1280, 720);
    view.show();
    QTRY_VERIFY_WITH_TIMEOUT(view.book().loaded(), kPatience);
    const auto shown = [&] {
      QString all;
      for (const auto* label : view.findChildren<QLabel*>()) all += label->text() + QLatin1Char('\n');
      for (const auto* plot : view.findChildren<DotPlot*>())
        for (const auto& dot : plot->figure().dots) all += dot.label + QLatin1Char('\n');
      const auto* model = view.findChild<QTableView*>()->model();
      for (int row = 0; row < model->rowCount(); ++row) all += model->index(row, 0).data().toString() + QLatin1Char('\n');
      return all;
    };
    QVERIFY(shown().contains(QLatin1String("Dora")));
    QVERIFY(shown().contains(QLatin1String("Ben")));
    view.setPresenting(true);
    QVERIFY(view.book().namesHidden());
    // Their machines are theirs too, but are named after them by this test alone.
    const auto hidden = shown().remove(QLatin1String("Example CPU of Anna")).remove(QLatin1String("Example CPU of Ben"));
    QVERIFY(!hidden.contains(QLatin1String("Dora")));
    QVERIFY(!hidden.contains(QLatin1String("Ben")));
    QVERIFY(!hidden.contains(QLatin1String("Anna")));
    const auto file = place.file("class.json");
    for (const auto form : {ClassView::Form::Json, ClassView::Form::Csv, ClassView::Form::Markdown}) {
      QVERIFY(view.exportTo(file, form));
      QFile written(file);
      QVERIFY(written.open(QIODevice::ReadOnly));
      const auto text = QString::fromUtf8(written.readAll()).remove(QLatin1String("Example CPU of Ben"));
      QVERIFY(!text.contains(QLatin1String("Ben")));
      QVERIFY(!text.contains(QLatin1String("Dora")));
    }
    view.setPresenting(false);
    QVERIFY(!view.book().namesHidden());
  }

  void anExportThatFailsIsTold() {
    const Classroom room;
    Workplace place;
    ClassView view(place.desktop);
    view.show();
    readBook(view.book(), room.folder());
    QVERIFY(!view.exportTo(QStringLiteral("/no/such/folder/class.csv"), ClassView::Form::Csv));
    bool told = false;
    for (const auto* label : view.findChildren<QLabel*>())
      told = told || (label->isVisible() && label->text().contains(QLatin1String("/no/such/folder")));
    QVERIFY(told);
  }

  void aFolderIsChosenOrDropped() {
    const Classroom room;
    Workplace place;
    Droppable view(place.desktop);
    view.show();
    view.setChoosers([&](const QString&, const QString&) { return room.folder(); },
                     [](const QString&, const QString&) { return QString(); });
    for (auto* action : view.actions())
      if (action->objectName() == QLatin1String("class.choose")) action->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(view.book().loaded(), kPatience);
    QCOMPARE(view.book().folder(), room.folder());
    const QTemporaryDir other;
    QMimeData dragged;
    dragged.setUrls({QUrl::fromLocalFile(other.path())});
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
    view.dropEvent(&drop);
    QCOMPARE(view.book().folder(), other.path());
  }

  void everyTextIsThereInBothLanguages() {
    const Classroom room;
    Workplace place;
    ClassView view(place.desktop);
    view.show();
    readBook(view.book(), room.folder());
    for (const char* language : {"en", "fr"}) {
      place.words.setLanguage(language);
      for (const auto* label : view.findChildren<QLabel*>())
        QVERIFY2(!label->text().contains(QLatin1String("classview.")), qPrintable(label->text()));
    }
  }
};

QTEST_MAIN(ClassViewTest)
#include "class_view_test.moc"
