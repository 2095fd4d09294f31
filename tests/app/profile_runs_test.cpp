// What the Profile view measures and writes: the plan raced by an engine that says what it is told, runs profiled from here,
// faults made on purpose, exports, the way from the Experiments.
#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "app/views/experiments/notice_bar.h"
#include "app/views/experiments/runs_page.h"
#include "app/views/experiments/runs_table_view.h"
#include "app/views/experiments/spec_form.h"
#include "app/views/profile/break_panel.h"
#include "app/views/profile/diagnosis_page.h"
#include "app/views/profile/finding_card.h"
#include "app/views/profile/health_page.h"
#include "app/views/profile/plan_panel.h"
#include "app/views/profile/profile_setup.h"
#include "app/views/profile/timeline_page.h"
#include "core/wire/faults.h"
#include "profile_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

}  // namespace

class ProfileRunsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aChangeIsRacedAndKeptWhenItIsFaster() {
    Room room;
    room.bench.engine.says(raceEvents(1.5, "faster"));
    room.view->diagnosis().cards()[0]->applyButton()->click();
    auto& plan = room.view->plan();
    QVERIFY(plan.racing().has_value());
    QVERIFY(!room.view->diagnosis().cards()[0]->applyButton()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!plan.busy(), kPatience);
    QVERIFY(plan.rungs()[0].kept);
    QCOMPARE(plan.best()["precision"], json("bf16"));
    const auto sent = room.bench.engine.spec();
    QCOMPARE(sent["profile"], json("off"));
    QCOMPARE(sent["stop_when_decided"], json(true));
    QVERIFY(!room.view->diagnosis().cards()[0]->applyButton()->isEnabled());
    const auto& panel = room.view->diagnosis().panel();
    QVERIFY(panel.table().rows()[0].cells[3].contains(QStringLiteral("1.50")));
    QVERIFY(panel.whyButton()->isHidden());
    QVERIFY(fs::exists(room.bench.engine.home() / "plans" / (room.run + ".json")));
    // Another view on the same home knows it.
    ProfileView other(room.bench.desktop);
    QVERIFY(other.showRun(room.id()));
    QTRY_VERIFY_WITH_TIMEOUT(!other.document().loading(), kPatience);
    QVERIFY(other.plan().rungs()[0].kept);
  }

  void aRaceWithoutAGainIsExplained() {
    Room room;
    room.bench.engine.says(raceEvents(1.0, "no-difference"));
    auto& panel = room.view->diagnosis().panel();
    QVERIFY(panel.applyButton()->isEnabled());
    panel.applyButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!room.view->plan().busy(), kPatience);
    QVERIFY(!room.view->plan().rungs()[0].kept);
    QVERIFY(panel.whyButton()->isVisible());
    QVERIFY(panel.reasons().isEmpty());
    panel.whyButton()->click();
    QVERIFY(!panel.reasons().isEmpty());
    QVERIFY(!panel.reasons().contains(QStringLiteral("no_gain.")));
    panel.whyButton()->click();
    QVERIFY(panel.reasons().isEmpty());
    QVERIFY(panel.resetButton()->isVisible());
    panel.resetButton()->click();
    QVERIFY(!room.view->plan().anyMeasured());
  }

  void aRaceThatFailsIsToldAndLeavesThePlan() {
    Room room;
    room.bench.engine.says({});
    room.view->diagnosis().cards()[0]->applyButton()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!room.view->plan().busy(), kPatience);
    QVERIFY(!room.view->plan().anyMeasured());
    QVERIFY(!room.view->notice().text().isEmpty());
    QVERIFY(room.view->diagnosis().cards()[0]->applyButton()->isEnabled());
  }

  void aRunIsProfiledAndOpened() {
    Room room(false);
    const auto ended = writeProfiled(room.bench.engine.home());
    room.bench.engine.says(profileEvents(ended, someHealth(7)));
    room.view->action("profile.run")->trigger();
    auto* setup = room.view->findChild<ProfileSetup*>();
    QVERIFY(setup && setup->isVisible());
    setup->form().setSpec({{"batch", 64}});
    setup->setSchedule({0, 2, 4, 1});
    QVERIFY(setup->runButton()->isEnabled());
    setup->runButton()->click();
    QVERIFY(!room.view->job().idle());
    QTRY_VERIFY_WITH_TIMEOUT(room.view->job().idle(), kPatience);
    room.settle();
    const auto sent = room.bench.engine.spec();
    QCOMPARE(sent["batch"], json(64));
    QCOMPARE(sent["profile"], json("wait=0,warmup=2,active=4,repeat=1"));
    QVERIFY(room.view->document().content());
    QCOMPARE(room.content().folder.filename().string(), ended);
    QTRY_VERIFY_WITH_TIMEOUT(room.view->recent().runs().size() == 2, kPatience);
  }

  void whatTheFormSaysOfTheScheduleIsTakenOver() {
    Room room(false);
    ProfileSetup setup(room.bench.desktop, profiledSpec());
    QCOMPARE(setup.job().command.spec["profile"], json("wait=1,warmup=1,active=3,repeat=1"));
    setup.form().setSpec({{"profile", "active=9"}});
    Q_EMIT setup.form().changed();
    QCOMPARE(setup.job().command.spec["profile"], json("wait=1,warmup=1,active=9,repeat=1"));
    // What it can't read is the engine's to judge.
    setup.form().setSpec({{"profile", "skip_first=2"}});
    Q_EMIT setup.form().changed();
    QCOMPARE(setup.job().command.spec["profile"], json("skip_first=2"));
    setup.form().setSpec({{"batch", 100'000}});
    Q_EMIT setup.form().changed();
    QVERIFY(!setup.runButton()->isEnabled());
  }

  void aFaultIsMadeAndFollowedLive() {
    Room room;
    room.view->setPage(ProfileView::Health);
    auto& health = room.view->health();
    const auto ended = writeProfiled(room.bench.engine.home());
    room.bench.engine.says(profileEvents(ended, someHealth(99)));
    auto& list = health.breaker().list();
    QVERIFY(list.count() >= 8);
    list.setCurrentRow(4);
    QStringList states;
    connect(&room.bench.desk, &RunDesk::ended, &health, [&] { states << health.state(); });
    health.breaker().breakButton()->click();
    QVERIFY(!health.breaker().breakButton()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(room.view->job().idle(), kPatience);
    room.settle();
    QCOMPARE(room.bench.engine.spec()["inject"], json(wire::faultIds()[4]));
    QCOMPARE(room.content().folder.filename().string(), ended);
    QCOMPARE(health.health().step, std::int64_t{12});  // of the profile that is open now
    QVERIFY(health.breaker().breakButton()->isEnabled());
    QVERIFY(!states.isEmpty());
  }

  void aRunThatEndsWithoutAProfileIsTold() {
    Room room;
    const auto plain = writeRun(room.bench.engine.home());
    auto events = eventsOf(plain, specOf(), 2000);
    events.push_back(eventAt(3, wire::RunFinished{summaryOf(plain, 2000)}));
    room.bench.engine.says(events);
    room.view->breakIt(QStringLiteral("nan"));
    QTRY_VERIFY_WITH_TIMEOUT(room.view->job().idle(), kPatience);
    QVERIFY(room.view->notice().text().contains(room.text("profileview.stopped")));
    room.bench.engine.says({});
    room.view->breakIt(QStringLiteral("nan"));
    room.view->breakIt(QStringLiteral("item"));  // one after the other
    QVERIFY(room.view->notice().text().contains(room.text("profileview.busy")));
    QTRY_VERIFY_WITH_TIMEOUT(room.view->job().idle(), kPatience);
    QVERIFY(room.view->notice().text().contains(room.text("profileview.failed")));
    QCOMPARE(room.content().folder, room.folder());  // what was open stays
  }

  void whatIsOpenIsExported() {
    Room room;
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
    ProfileView::Choosers choosers;
    QString answer;
    choosers.save = [&](const QString&, const QString& proposal, const QString&) {
      answer = folder.filePath(proposal);
      return answer;
    };
    choosers.folder = [&](const QString&) { return answer = path("board"); };
    choosers.open = [&](const QString&, const QString&) { return QString(); };
    room.view->setChoosers(choosers);
    for (const char* id :
         {"profile.export_chrome", "profile.export_csv", "profile.export_flame", "profile.export_tensorboard"}) {
      room.view->notice().dismiss();
      room.view->action(id)->trigger();
      const auto done = room.bench.words.text(
          wire::Message{"experiments.written", {{"file", QDir::toNativeSeparators(answer).toStdString()}}});
      QTRY_COMPARE_WITH_TIMEOUT(room.view->notice().text(), done, kPatience);
      QVERIFY2(QFileInfo(answer).exists(), id);
    }
    const auto again = trace::readChromeTrace(path("trace.json.gz").toStdString());
    QVERIFY(again.ok());
    QCOMPARE(again->events.size(), room.content().trace.events.size());
    QCOMPARE(QDir(path("board")).entryList(QDir::Files).size(), qsizetype{1});
    room.view->setPage(ProfileView::Timeline);
    room.view->timeline().setFlameShown(true);
    room.view->action("profile.export_pictures")->trigger();
    QVERIFY(QFileInfo::exists(path("profile-timeline.svg")));
    QVERIFY(QFileInfo::exists(path("profile-flame.svg")));
    room.view->setPage(ProfileView::Memory);
    room.view->savePictures(path("memory.png"));
    QVERIFY(QFileInfo::exists(path("memory.png")));
    room.view->savePictures(path("no/such/folder.png"));
    QVERIFY(room.view->notice().text().contains(QStringLiteral("folder.png")));
    room.view->setPage(ProfileView::Operators);
    room.view->action("profile.export_pictures")->trigger();
    QCOMPARE(room.view->notice().text(), room.text("profileview.no_pictures"));
    room.view->exportTo(ProfileExport::Csv, path("no/such/folder.csv"));
    QTRY_VERIFY_WITH_TIMEOUT(room.view->notice().text().contains(QStringLiteral("folder.csv")) &&
                                 !room.view->notice().text().contains(QStringLiteral("…")),
                             kPatience);
  }

  void aProfiledRunIsOpenedFromTheExperiments() {
    Room room(false);
    RunsPage page(room.bench.desktop);
    const auto plain = writeRun(room.bench.engine.home());
    page.resize(1280, 720);
    page.show();
    QTRY_VERIFY_WITH_TIMEOUT(page.library().loaded() && page.list().total() == 2, kPatience);
    page.table().choose({QString::fromStdString(plain)});
    QVERIFY(!page.action("runs.profile")->isEnabled());
    page.table().choose({room.id()});
    QVERIFY(page.action("runs.profile")->isEnabled());
    QSignalSpy asked(&page, &RunsPage::profileAsked);
    page.action("runs.profile")->trigger();
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.first().first().toString(), room.id());
  }

  void theViewGoesWhileItReadsAndMeasures() {
    Room room;
    room.bench.engine.says(raceEvents(1.5, "faster"));
    room.view->diagnosis().cards()[0]->applyButton()->click();
    room.view->open(room.folder());
    room.view.reset();
    QTRY_VERIFY_WITH_TIMEOUT(!room.bench.desk.busy(), kPatience);
  }
};

QTEST_MAIN(ProfileRunsTest)
#include "profile_runs_test.moc"
