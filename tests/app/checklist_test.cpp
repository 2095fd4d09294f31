// The check-list view over records in a home of its own: it fills in from runs and races, offers what to do next, races and
// forks, leads to what was measured, leaves the window as files; both languages, all themes, no record at all.
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/views/checklist/checklist_view.h"
#include "app/views/experiments/experiments_view.h"
#include "app/views/experiments/fork_dialog.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/experiments/race_page.h"
#include "app/views/experiments/spec_form.h"
#include "look_over.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

enum Item { Profiler, Loader, Precision, Accumulation, Checkpointing };

// An engine that checkpoints nothing.
wire::Schema trainingSchema() {
  auto schema =
      wire::Schema::build({wire::choiceOption("model", {"cnn", "mlp"}), wire::integerOption("batch", 128, 1, 4096),
                           wire::integerOption("accumulation", 1, 1, 1024), wire::booleanOption("channels_last", false),
                           wire::choiceOption("precision", {"fp32", "bf16"}), wire::integerOption("workers", 0, 0, 64),
                           wire::textOption("profile", "off"), wire::integerOption("seed", 0, 0, 1'000'000)});
  return schema ? *schema : wire::Schema();
}

nlohmann::json specWith(const nlohmann::json& keys) {
  auto spec = specOf();
  spec.update(nlohmann::json{{"workers", 0}, {"accumulation", 1}, {"profile", "off"}});
  if (keys.is_object()) spec.update(keys);
  return spec;
}

struct Room {
  Bench bench;
  std::unique_ptr<ChecklistView> view;
  std::vector<std::pair<std::string, QString>> led;  // what other views were asked to show

  Room() {
    bench.learn.setSchema(trainingSchema());
    view = std::make_unique<ChecklistView>(bench.desktop);
    view->showElsewhere = [this](const std::string& other, const QString& run) { led.emplace_back(other, run); };
    view->resize(1280, 720);
  }
  void show() {
    view->show();
    look();
  }
  void look() {
    view->shown();
    QTRY_VERIFY_WITH_TIMEOUT(view->book().loaded() && !view->book().reading(), kPatience);
  }
  // A race as the engine leaves it; its id.
  std::string race(const nlohmann::json& a, const nlohmann::json& b, double ratio, const std::string& verdict) {
    const auto home = bench.engine.home();
    const auto first = writeRun(home, a, 1000), second = writeRun(home, b, 1000 * ratio);
    wire::RaceSummary race;
    race.a = testing::summaryOf(first, 1000);
    race.b = testing::summaryOf(second, 1000 * ratio);
    race.ratio = wire::Interval{ratio, ratio - 0.05, ratio + 0.05, 9};
    race.verdict = verdict;
    race.same_quality = true;
    race.pairs = 9;
    const auto id = registry::makeRunId();
    const auto store = bench.open();
    return store && store->putRace(id, race).ok() ? id : "";
  }
  QString cell(int row, int column) { return view->table().index(row, column).data().toString(); }
  QString text(const char* id) { return bench.words.text(std::string(id)); }
};

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class ChecklistTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void withoutRunsEveryItemIsOpenAndSaysWhereToBegin() {
    Room room;
    room.show();
    QCOMPARE(room.view->table().rowCount(), 5);
    for (int row = 0; row < 5; ++row) {
      QVERIFY(room.cell(row, 1).startsWith(QStringLiteral("○ ")));
      QCOMPARE(room.cell(row, 2), QStringLiteral("—"));
    }
    QVERIFY(room.view->summary().contains(QStringLiteral("0")));
    room.view->choose(Precision);
    QCOMPARE(room.view->panel().next(), room.text("checklist.precision.next"));
    QVERIFY(room.view->panel().raceButton().isVisible() && room.view->panel().forkButton().isVisible());
    QVERIFY(!room.view->panel().evidenceButton().isVisible());
    // What this engine can't do is not offered.
    room.view->choose(Checkpointing);
    QVERIFY(!room.view->panel().raceButton().isVisible() && !room.view->panel().forkButton().isVisible());
    room.view->choose(Profiler);
    QVERIFY(room.view->panel().profileButton().isVisible() && !room.view->panel().raceButton().isVisible());
  }

  void aRaceOnRecordFillsItsItem() {
    Room room;
    const auto id = room.race(specWith({}), specWith({{"precision", "bf16"}}), 1.5, "faster");
    QVERIFY(!id.empty());
    room.show();
    QVERIFY(room.cell(Precision, 1).startsWith(QStringLiteral("✓ ")));
    QVERIFY(room.cell(Precision, 2).startsWith(QStringLiteral("1.50×")) && room.cell(Precision, 2).contains(QLatin1Char('[')));
    QCOMPARE(room.cell(Precision, 4), room.text("racepage.verdict.faster"));
    QVERIFY(room.view->summary().contains(QStringLiteral("1.50×")));
    room.view->choose(Precision);
    QVERIFY(room.view->panel().evidence().contains(QStringLiteral("bf16")));
    QVERIFY(room.view->panel().evidence().contains(room.text("checklist.evidence.same_quality")));
    QCOMPARE(room.view->panel().next(), room.text("checklist.then.faster"));
    room.view->panel().evidenceButton().click();
    QCOMPARE(room.led.size(), std::size_t{1});
    QCOMPARE(room.led.front().first, std::string("experiments"));
    QCOMPARE(room.led.front().second.toStdString(), id);
  }

  void aRacesIdLeadsToTheRacePage() {
    Room room;
    const auto id = room.race(specWith({}), specWith({{"precision", "bf16"}}), 1.5, "faster");
    ExperimentsView experiments(room.bench.desktop);
    experiments.setPage(ExperimentsView::Runs);
    QVERIFY(experiments.showRun(QString::fromStdString(id)));
    QCOMPARE(experiments.page(), ExperimentsView::Race);
    QVERIFY(experiments.race().model().past());
  }

  void whatIsLessThanARaceSaysSo() {
    Room room;
    const auto home = room.bench.engine.home();
    QVERIFY(!writeRun(home, specWith({}), 1000).empty());
    const auto profiled = writeRun(home, specWith({{"profile", "on"}}), 900);
    QVERIFY(!writeRun(home, specWith({{"workers", 2}}), 1300).empty());
    QVERIFY(!room.race(specWith({}), specWith({{"accumulation", 4}, {"channels_last", true}}), 1.2, "faster").empty());
    room.show();
    QVERIFY(room.cell(Profiler, 1).startsWith(QStringLiteral("✓ ")));
    for (const int row : {Loader, Accumulation}) QVERIFY(room.cell(row, 1).startsWith(QStringLiteral("~ ")));
    QCOMPARE(room.cell(Loader, 4), QStringLiteral("—"));
    QVERIFY(room.cell(Loader, 2).startsWith(QStringLiteral("1.30×")));
    room.view->choose(Loader);
    QCOMPARE(room.view->panel().next(), room.text("checklist.then.race"));
    room.view->choose(Profiler);
    QVERIFY(room.view->panel().evidence().contains(QString::fromStdString(profiled)));
    room.view->panel().profileButton().click();
    QVERIFY(room.led.back() == std::pair(std::string("profile"), QString()));
  }

  void raceItMeasuresTheItemAndNothingElse() {
    Room room;
    QVERIFY(!writeRun(room.bench.engine.home(), specWith({{"batch", 64}}), 1000).empty());
    room.show();
    room.view->choose(Loader);
    room.bench.engine.says(eventsOf("x", specWith({{"batch", 64}}), 1000));
    room.view->panel().raceButton().click();
    QVERIFY(!room.view->panel().raceButton().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(room.view->race().job().idle(), kPatience);
    QVERIFY(room.view->panel().raceButton().isEnabled());
    QCOMPARE(room.bench.engine.spec().value("batch", 0), 64);
    const auto command = room.view->race().command();
    QCOMPARE(command.verb, std::string("race"));
    QCOMPARE(command.others.size(), std::size_t{1});
    QVERIFY(command.others.front() == nlohmann::json({{"workers", 1}}));
    // What the engine left is read by itself.
    QVERIFY(!room.race(specWith({{"batch", 64}}), specWith({{"batch", 64}, {"workers", 1}}), 1.4, "faster").empty());
    room.look();
    QVERIFY(room.cell(Loader, 1).startsWith(QStringLiteral("✓ ")));
  }

  void aForkBeginsAtTheNewestRunWithoutTheItem() {
    Room room;
    QVERIFY(!writeRun(room.bench.engine.home(), specWith({{"batch", 64}}), 1000).empty());
    room.show();
    room.view->choose(Accumulation);
    room.view->panel().forkButton().click();
    auto* dialog = room.view->findChild<ForkDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->form().spec().value("accumulation", 0), 4);
    QCOMPARE(dialog->form().spec().value("batch", 0), 16);
    QVERIFY(dialog->runButton()->isEnabled());
    dialog->reject();
  }

  void aLabIsOpenedWhereTheCourseHasIt() {
    Room room;
    room.show();
    room.view->choose(Profiler);
    QVERIFY(room.bench.learn.course().find("1.2"));
    QVERIFY(room.view->panel().labButton().isVisible());
    room.view->panel().labButton().click();
    QCOMPARE(room.bench.learn.session()->lab().number, std::string("1.2"));
    QVERIFY(room.led.back() == std::pair(std::string("learn"), QString()));
    for (int row = 0; row < 5; ++row) {
      room.view->choose(row);
      const auto& number = room.view->book().list().entries[static_cast<std::size_t>(row)].item->lab;
      QCOMPARE(room.view->panel().labButton().isVisible(), room.bench.learn.course().find(number) != nullptr);
    }
  }

  void theListIsWalkedByKeysAndKeepsItsPlace() {
    Room room;
    room.show();
    room.view->choose(Profiler);
    QTest::keyClick(&room.view->list(), Qt::Key_Down);
    QTest::keyClick(&room.view->list(), Qt::Key_Down);
    QCOMPARE(room.view->list().currentIndex().row(), static_cast<int>(Precision));
    QCOMPARE(room.view->panel().accessibleName(), room.text("checklist.precision"));
    room.look();
    QCOMPARE(room.view->list().currentIndex().row(), static_cast<int>(Precision));
  }

  void nothingIsReadBesideAMeasurement() {
    Room room;
    room.bench.engine.says(eventsOf("x", specWith({}), 1000));
    Job job;
    job.command.spec = specWith({});
    room.bench.desk.submit(std::move(job));
    QVERIFY(room.bench.desk.busy());
    room.view->shown();
    QVERIFY(!room.view->book().reading());
    QTRY_VERIFY_WITH_TIMEOUT(room.view->book().loaded(), kPatience);
    QVERIFY(!room.bench.desk.busy());
  }

  void runsOfThePyTorchFormAreLeftOut() {
    Room room;
    const auto home = room.bench.engine.home();
    QVERIFY(!writeRun(home, specWith({}), 1000).empty());
    const auto id = registry::makeRunId();
    const auto spec = specWith({{"precision", "bf16"}});
    auto writer = registry::RunWriter::create(home, id, spec, {{"cpu", "Example CPU"}, {"source", "python"}});
    QVERIFY(writer.ok());
    QVERIFY((*writer)->finish(testing::summaryOf(id, 3000)).ok());
    room.show();
    QVERIFY(room.cell(Precision, 1).startsWith(QStringLiteral("○ ")));
  }

  void theListLeavesTheWindowAsFiles() {
    Room room;
    QVERIFY(!room.race(specWith({}), specWith({{"precision", "bf16"}}), 1.5, "faster").empty());
    room.bench.words.setLanguage("fr");
    room.show();
    QTemporaryDir folder;
    const auto markdown = folder.filePath(QStringLiteral("list.md")), csv = folder.filePath(QStringLiteral("list.csv"));
    QVERIFY(room.view->exportTo(markdown, ChecklistView::Form::Markdown));
    const auto text = QString::fromUtf8(contentOf(markdown));
    QVERIFY(text.startsWith(QStringLiteral("# ") + room.text("checklist.title")));
    QVERIFY(text.contains(QStringLiteral("1,50")) && text.contains(room.text("checklist.then.faster")));
    QCOMPARE(text.count(QStringLiteral("\n## ")), 5);
    QVERIFY(room.view->exportTo(csv, ChecklistView::Form::Csv));
    QVERIFY(contentOf(csv).contains("precision,raced,1.5,1.45,1.55,faster,"));
    QVERIFY(!room.view->exportTo(folder.filePath(QStringLiteral("none/list.md")), ChecklistView::Form::Markdown));
    QVERIFY(room.view->notice().text().contains(QStringLiteral("list.md")));
  }

  void everyTextIsThereInEachLanguageAndTheme_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("mode");
    for (const char* language : {"en", "fr"})
      for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::Contrast})
        QTest::addRow("%s %d", language, static_cast<int>(mode)) << QString::fromLatin1(language) << static_cast<int>(mode);
  }
  void everyTextIsThereInEachLanguageAndTheme() {
    QFETCH(QString, language);
    QFETCH(int, mode);
    Room room;
    QVERIFY(!room.race(specWith({}), specWith({{"precision", "bf16"}}), 0.8, "slower").empty());
    QVERIFY(!writeRun(room.bench.engine.home(), specWith({{"workers", 2}}), 1300).empty());
    room.show();
    room.bench.words.setLanguage(language.toStdString());
    room.bench.theme.setMode(static_cast<Theme::Mode>(mode));
    for (int row = 0; row < 5; ++row) {
      room.view->choose(row);
      QCoreApplication::processEvents();
      const auto ids = rawIds(*room.view), unnamed = unnamedControls(*room.view), cut = cutTexts(*room.view);
      QVERIFY2(ids.isEmpty(), qPrintable(ids.join(QLatin1Char('\n'))));
      QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(QLatin1Char('\n'))));
      QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
      for (const auto* label : room.view->findChildren<QLabel*>())
        QVERIFY2(!label->text().contains(QLatin1String("checklist.")) && !label->text().contains(QLatin1Char('{')),
                 qPrintable(label->text()));
    }
    QVERIFY(!room.view->grab().isNull());
  }
};

QTEST_MAIN(ChecklistTest)
#include "checklist_test.moc"
