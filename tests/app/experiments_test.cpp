// The Experiments view's list of runs with an engine that replays prepared events: choosing, filtering, forking, following a
// run until it is recorded, notes, files, the queue, both languages.
#include <QAction>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

#include "app/plots/plot_column.h"
#include "app/shell/actions.h"
#include "app/views/experiments/experiments_view.h"
#include "app/views/experiments/filter_bar.h"
#include "app/views/experiments/fork_dialog.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/experiments/queue_strip.h"
#include "app/views/experiments/run_details.h"
#include "app/views/experiments/runs_page.h"
#include "app/views/experiments/runs_table_view.h"
#include "app/views/experiments/spec_form.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

// A page whose runs have been read. The runs' ids, as they were made.
struct Room {
  Bench bench;
  std::vector<std::string> ids;
  std::unique_ptr<RunsPage> page;

  explicit Room(int runs) {
    for (int i = 0; i < runs; ++i) ids.push_back(writeRun(bench.engine.home(), specOf(i % 2 ? 64 : 128), 1000 + 100 * i));
    page = std::make_unique<RunsPage>(bench.desktop);
    page->resize(1280, 720);
    page->show();
  }
  bool ready() const { return page->library().loaded() && page->list().total() == static_cast<int>(ids.size()); }
  QString id(std::size_t at) const { return QString::fromStdString(ids[at]); }
};

wire::RunEvent finished(const std::string& id) {
  return eventAt(3, wire::RunFinished{summaryOf(id, 1000)});
}

// Texts that are ids have been forgotten.
bool bad(const QString& text) {
  static const QRegularExpression id(QStringLiteral("^(app|action|experiments|runs|field|figure|option)\\.[a-z0-9_.]+"));
  return text.isEmpty() ? false : id.match(text).hasMatch();
}

void nothingIsAnId(QWidget& widget) {
  for (const auto* label : widget.findChildren<QLabel*>()) QVERIFY2(!bad(label->text()), qPrintable(label->text()));
  for (const auto* button : widget.findChildren<QAbstractButton*>()) QVERIFY2(!bad(button->text()), qPrintable(button->text()));
  for (const auto* action : widget.findChildren<QAction*>()) QVERIFY2(!bad(action->text()), qPrintable(action->text()));
}

}  // namespace

class ExperimentsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anEmptyHomeSaysWhatToDo() {
    Room room(0);
    QTRY_VERIFY_WITH_TIMEOUT(room.page->library().loaded(), kPatience);
    const auto wanted = room.bench.words.text("experiments.empty.none");
    const auto labels = room.page->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [&](const QLabel* label) { return label->text() == wanted && label->isVisible(); }));
    QVERIFY(!room.page->action("runs.fork")->isEnabled());
    QVERIFY(room.page->action("runs.new")->isEnabled());
  }

  void chosenRunsLieOverOneAnother() {
    Room room(3);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    room.page->table().choose({room.id(0), room.id(2)});
    QTRY_COMPARE_WITH_TIMEOUT(room.page->overlay().series().size(), qsizetype{2}, kPatience);
    const auto row = room.page->list().rowOf(room.id(2));
    QVERIFY(room.page->list().index(row, 0).data().toString().startsWith(Theme::seriesMarker(1)));
    auto& details = room.page->details();
    details.setPage(RunDetails::Figures);
    QCOMPARE(details.figures().columnCount(), 3);
    details.setPage(RunDetails::Differences);
    QVERIFY(!details.differences().rows().empty());
    QCOMPARE(details.differencesNote(), room.bench.words.text("experiments.diff.apart"));
    // A fresh list keeps what was chosen.
    room.page->library().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(!room.page->library().loading(), kPatience);
    QCOMPARE(room.page->table().chosen(), QStringList({room.id(0), room.id(2)}));
    QCOMPARE(room.page->overlay().series().size(), qsizetype{2});
  }

  void aFilterThatCannotBeReadIsNamedAndTheListStays() {
    Room room(4);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    auto& filter = room.page->filter();
    filter.setText(QStringLiteral("batch = 64"));
    QCOMPARE(room.page->list().rowCount(), 2);
    QVERIFY(filter.problem().isEmpty());
    filter.setText(QStringLiteral("batch = 64 and acuracy > 0"));
    QVERIFY(filter.problem().contains(QLatin1String("accuracy")));
    QVERIFY(filter.problem().contains(QLatin1String("16")));  // where it is
    QCOMPARE(room.page->list().rowCount(), 2);
    room.bench.words.setLanguage("fr");
    QVERIFY(filter.problem().contains(QLatin1String("accuracy")));
    filter.setText(QString());
    QVERIFY(filter.problem().isEmpty());
    QCOMPARE(room.page->list().rowCount(), 4);
    filter.setText(QStringLiteral("samples_per_second > 1000000"));
    QCOMPARE(room.page->list().rowCount(), 0);
    QVERIFY(!room.page->table().isVisible());
  }

  void tenThousandRowsHaveNoWidgets() {
    Room room(0);
    QTRY_VERIFY_WITH_TIMEOUT(room.page->library().loaded(), kPatience);
    std::vector<RunPtr> runs;
    for (int i = 0; i < 10'000; ++i) runs.push_back(makeRun("run-" + std::to_string(i)));
    room.page->list().setRuns(runs);
    room.page->filter().setText(QStringLiteral("cnn"));
    QCoreApplication::processEvents();
    QVERIFY(room.page->table().isVisible());
    QVERIFY(room.page->table().findChildren<QWidget*>().size() < 40);
    room.page->table().selectAll();
    QCOMPARE(room.page->table().chosen().size(), qsizetype{10'000});
  }

  void aForkSubmitsItsSpec() {
    Bench bench;
    bench.engine.says({finished("x")});
    ForkDialog dialog(bench.desktop, specOf(64, "bf16"), QStringLiteral("that one"));
    QVERIFY(dialog.submit(true));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.desk.busy(), kPatience);
    const auto spec = bench.engine.spec();
    QCOMPARE(spec.value("batch", 0), 64);
    QCOMPARE(spec.value("precision", std::string()), std::string("bf16"));
    QVERIFY(!spec.contains("channels_last"));  // the default
  }

  void whatCannotRunIsNotSubmitted() {
    Bench bench;
    ForkDialog dialog(bench.desktop, {{"batch", 100'000}}, QStringLiteral("that one"));
    QVERIFY(!dialog.submit(false));
    QVERIFY(!dialog.runButton()->isEnabled());
    QVERIFY(!bench.desk.busy());
  }

  void aRunIsFollowedUntilItIsRecorded() {
    Room room(1);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    // What the engine is about to say has been recorded meanwhile.
    const auto recorded = writeRun(room.bench.engine.home());
    auto events = eventsOf(recorded, specOf(), 1234);
    events.push_back(finished(recorded));
    room.bench.engine.says(events);
    room.page->table().choose({room.id(0)});
    room.page->action("runs.again")->trigger();
    QVERIFY(room.page->overlay().live());
    QTRY_VERIFY_WITH_TIMEOUT(!room.bench.desk.busy(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(room.page->table().chosen().contains(QString::fromStdString(recorded)), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!room.page->overlay().live(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(room.page->overlay().series().size(), qsizetype{2}, kPatience);
    QCOMPARE(room.bench.engine.spec().value("batch", 0), 128);
  }

  void aFailureIsTold() {
    Room room(1);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    room.bench.engine.says({});
    room.page->table().choose({room.id(0)});
    room.page->action("runs.again")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!room.bench.desk.busy(), kPatience);
    QVERIFY(!room.page->notice().text().isEmpty());
    QVERIFY(!room.page->overlay().live());
  }

  void chosenRunsGoIntoARace() {
    Room room(5);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    QSignalSpy asked(room.page.get(), &RunsPage::raceAsked);
    room.page->table().choose({room.id(0), room.id(1)});
    room.page->action("runs.race")->trigger();
    QCOMPARE(asked.count(), 1);
    room.page->table().choose({room.id(0), room.id(1), room.id(2), room.id(3), room.id(4)});
    QVERIFY(!room.page->action("runs.race")->isEnabled());
  }

  void notesAreKeptAsTheyAreTyped() {
    Room room(1);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    room.page->table().choose({room.id(0)});
    QTRY_VERIFY_WITH_TIMEOUT(!room.page->overlay().runs().empty(), kPatience);
    room.page->action("runs.rename")->trigger();
    const auto fields = room.page->details().findChildren<QLineEdit*>();
    QCOMPARE(fields.size(), qsizetype{2});
    QTest::keyClicks(fields[0], QStringLiteral("baseline"));
    QTest::keyClicks(fields[1], QStringLiteral("slow, old"));
    QCOMPARE(room.page->list().index(0, 0).data().toString(), Theme::seriesMarker(0) + QStringLiteral(" baseline"));
    room.page->action("runs.pin")->trigger();
    const auto id = room.ids[0];
    room.page.reset();  // the window goes: nothing typed is lost
    const auto run = room.bench.open()->find(id);
    QVERIFY(run.ok());
    QCOMPARE(run->labels.name, std::string("baseline"));
    QCOMPARE(run->labels.tags.size(), std::size_t{2});
    QVERIFY(run->labels.pinned);
  }

  void aDeletionIsOfferedBack() {
    Room room(2);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    room.page->table().choose({room.id(0)});
    room.page->action("runs.delete")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(room.page->list().total(), 1, kPatience);
    QVERIFY(room.page->notice().isVisible());
    QVERIFY(room.page->table().chosen().isEmpty());
    room.page->notice().findChild<QPushButton*>()->click();
    QTRY_COMPARE_WITH_TIMEOUT(room.page->list().total(), 2, kPatience);
  }

  void filesGoOutAndComeBackIn() {
    Room room(2);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
    for (const char* name : {"runs.csv", "runs.md"}) {
      room.page->exportTo(file(name));
      QVERIFY2(QFileInfo(file(name)).size() > 50, name);
    }
    for (const char* name : {"runs.json", "runs.atelier"}) {
      room.page->exportTo(file(name));
      QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(file(name)).size() > 50, kPatience);
    }
    Room other(0);
    QTRY_VERIFY_WITH_TIMEOUT(other.page->library().loaded(), kPatience);
    other.page->importFiles({file("runs.atelier")});
    QTRY_COMPARE_WITH_TIMEOUT(other.page->list().total(), 2, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(other.page->table().chosen().size(), qsizetype{2}, kPatience);
    QFile bad(file("bad.atelier"));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("no archive");
    bad.close();
    other.page->notice().dismiss();
    other.page->importFiles({file("bad.atelier")});
    QTRY_VERIFY_WITH_TIMEOUT(other.page->notice().isVisible() && !other.page->notice().text().contains(QStringLiteral("…")),
                             kPatience);
    QCOMPARE(other.page->list().total(), 2);
  }

  void allCurvesAreOnePicture() {
    Room room(1);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    room.page->table().choose({room.id(0)});
    QTRY_COMPARE_WITH_TIMEOUT(room.page->overlay().series().size(), qsizetype{1}, kPatience);
    QTemporaryDir folder;
    const auto svg = folder.filePath(QStringLiteral("all.svg")), png = folder.filePath(QStringLiteral("all.png"));
    QVERIFY(room.page->details().plots().saveAll(svg));
    QVERIFY(room.page->details().plots().saveAll(png));
    QFile file(svg);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto text = file.readAll();
    QVERIFY(text.contains("<svg"));
    QVERIFY(text.contains("Throughput"));
    QVERIFY(QImage(png).height() > QImage(png).width() / 2);
    QVERIFY(!room.page->details().plots().saveAll(folder.filePath(QStringLiteral("no/such/folder.svg"))));
  }

  void theQueueIsMovedHeldAndEmptied() {
    Room room(1);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    auto& desk = room.bench.desk;
    auto* strip = room.page->findChild<QueueStrip*>();
    QVERIFY(!strip->isVisible());
    desk.setHeld(true);
    QVERIFY(strip->isVisible());  // held, and why nothing starts is seen
    for (const char* name : {"one", "two", "three"}) desk.submit({{}, QLatin1String(name), QStringLiteral("experiments")});
    auto* list = strip->findChild<QListWidget*>();
    QCOMPARE(list->count(), 3);
    list->setCurrentRow(2);
    strip->moveChosen(-1);
    QCOMPARE(desk.waiting()[1].job.label, QStringLiteral("three"));
    QCOMPARE(list->currentItem()->text(), QStringLiteral("three"));
    strip->removeChosen();
    QCOMPARE(list->count(), 2);
    desk.clear();
    desk.setHeld(false);
    QVERIFY(!strip->isVisible());
  }

  void everyTextIsThereInBothLanguages() {
    Room room(2);
    QTRY_VERIFY_WITH_TIMEOUT(room.ready(), kPatience);
    room.page->table().choose({room.id(0), room.id(1)});
    for (const char* language : {"fr", "en"}) {
      room.bench.words.setLanguage(language);
      for (const auto page : {RunDetails::Curves, RunDetails::Figures, RunDetails::Differences, RunDetails::Notes}) {
        room.page->details().setPage(page);
        QCoreApplication::processEvents();
        nothingIsAnId(*room.page);
      }
      const RunTexts texts(room.bench.words);
      for (const auto& column : RunTexts::columns()) {
        const auto title = texts.title(column);
        QVERIFY2(!bad(title) && !title.isEmpty(), qPrintable(title));
      }
    }
    for (const auto* button : room.page->findChildren<QToolButton*>())
      if (!qobject_cast<QLineEdit*>(button->parent()))
        QVERIFY2(!button->text().isEmpty() || !button->accessibleName().isEmpty(), qPrintable(button->objectName()));
  }

  void theViewHasThreePagesByKeys() {
    Bench bench;
    ExperimentsView view(bench.desktop);
    view.resize(1280, 720);
    view.show();
    QCOMPARE(view.page(), ExperimentsView::Runs);
    view.findChild<QAction*>(QStringLiteral("experiments.race"))->trigger();
    QCOMPARE(view.page(), ExperimentsView::Race);
    view.page(1);
    QCOMPARE(view.page(), ExperimentsView::Sweep);
    QCOMPARE(bench.settings.value(QStringLiteral("experiments/page")).toInt(), 2);
    Q_EMIT view.runs().raceAsked(RaceRequest{{specOf(), specOf(64)}});
    QCOMPARE(view.page(), ExperimentsView::Race);
    QVERIFY(view.showRun(QStringLiteral("20261130-104512-3f9a1c")));
    QCOMPARE(view.page(), ExperimentsView::Runs);
  }
};

QTEST_MAIN(ExperimentsTest)
#include "experiments_test.moc"
