// Presenter mode: what keys mean, where the notes go, the timer, finding a step, a jump that leaves no trace, the lab's record
// in place of what this machine can't run, and the window's keys.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTextBrowser>

#include "app/models/learn_replay.h"
#include "app/models/lesson_clock.h"
#include "app/models/step_finder.h"
#include "app/plots/plot_column.h"
#include "app/plots/time_plot.h"
#include "app/shell/main_window.h"
#include "app/shell/presenter.h"
#include "app/shell/presenter_chooser.h"
#include "app/shell/presenter_notes.h"
#include "labs/load.h"
#include "replay_fixture.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr int kPatience = 10'000;

QByteArray savedProgress(const Workshop& workshop) {
  QFile file(workshop.home() + QStringLiteral("/course/measure-first.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

struct Shown {
  explicit Shown(Workshop& workshop)
      : model(workshop.parts()), theme(Theme::Mode::Light), desktop(workshop.desktop(theme, model)), window(desktop) {
    window.resize(1440, 900);
    window.show();
    window.setPresenting(true);
    window.setFocus();
  }
  LearnModel model;
  Theme theme;
  Desktop desktop;
  MainWindow window;
};

}  // namespace

class PresenterTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void remotesAreUnderstood() {
    using Command = PresenterCommand;
    QVERIFY(presenterCommand(Qt::Key_PageDown, Qt::NoModifier) == Command::Next);
    QVERIFY(presenterCommand(Qt::Key_Space, Qt::NoModifier) == Command::Next);
    QVERIFY(presenterCommand(Qt::Key_Space, Qt::ShiftModifier) == Command::Back);
    QVERIFY(presenterCommand(Qt::Key_PageUp, Qt::NoModifier) == Command::Back);
    QVERIFY(presenterCommand(Qt::Key_Period, Qt::NoModifier) == Command::Blank);
    QVERIFY(presenterCommand(Qt::Key_B, Qt::NoModifier) == Command::Blank);
    QVERIFY(presenterCommand(Qt::Key_Escape, Qt::NoModifier) == Command::Leave);
    QVERIFY(!presenterCommand(Qt::Key_B, Qt::ControlModifier));
    QVERIFY(!presenterCommand(Qt::Key_Right, Qt::AltModifier));
    QVERIFY(!presenterCommand(Qt::Key_F5, Qt::NoModifier));
  }

  void aFieldKeepsWhatIsTypedIntoIt() {
    const QLineEdit line;
    const QSpinBox spin;
    const QPushButton button;
    QTextBrowser text;
    QVERIFY(keepsKey(line, Qt::Key_B, false) && keepsKey(spin, Qt::Key_Period, false) && keepsKey(spin, Qt::Key_Up, false));
    QVERIFY(!keepsKey(line, Qt::Key_PageDown, false));
    QVERIFY(!keepsKey(button, Qt::Key_Space, false));
    QVERIFY(keepsKey(button, Qt::Key_Space, true));
    QVERIFY(!keepsKey(text, Qt::Key_Down, false) && !keepsKey(text, Qt::Key_B, false));
  }

  void theNotesGoToTheOtherScreen() {
    QVERIFY(!notesScreen(1, 0));
    QVERIFY(!notesScreen(0, -1));
    QVERIFY(notesScreen(2, 0) == 1);
    QVERIFY(notesScreen(2, 1) == 0);
    QVERIFY(notesScreen(3, -1) == 0);
  }

  void theTimerCountsWhatWasTaught() {
    std::int64_t now = 50 * kSecond;
    LessonClock clock([&now] { return now; });
    clock.setLab("one", 35);
    QCOMPARE(clock.plannedSeconds(), std::int64_t{35 * 60});
    now += 10 * kSecond;
    QCOMPARE(clock.elapsedSeconds(), std::int64_t{0});
    clock.toggle();
    now += 10 * kSecond;
    clock.toggle();
    now += 10 * kSecond;
    QCOMPARE(clock.elapsedSeconds(), std::int64_t{10});
    clock.toggle();
    now += 5 * kSecond;
    QCOMPARE(clock.elapsedSeconds(), std::int64_t{15});
    clock.setLab("two", 20);
    QCOMPARE(clock.elapsedSeconds(), std::int64_t{0});
    now += 5 * kSecond;
    QCOMPARE(clock.elapsedSeconds(), std::int64_t{5});
  }

  void stepsAreFoundByWordsWithoutAccents() {
    StepFinder finder;
    const QAbstractItemModelTester tester(&finder, QAbstractItemModelTester::FailureReportingMode::QtTest);
    finder.setCourse(lab::loadCourse(ATELIER_COURSE_DIR, "fr"));
    const int all = finder.rowCount();
    QVERIFY(all >= 6);
    finder.setQuery(QStringLiteral("NAIF chrono"));
    QCOMPARE(finder.rowCount(), 1);
    QCOMPARE(finder.index(0).data(StepFinder::StepRole).toInt(), 2);
    QCOMPARE(finder.index(0).data(StepFinder::LabRole).toString(), QStringLiteral("measure-first"));
    finder.setQuery(QStringLiteral("xyzzy"));
    QCOMPARE(finder.rowCount(), 0);
    QCOMPARE(finder.rowOf("measure-first", 2), -1);
    finder.setQuery(QString());
    QCOMPARE(finder.rowCount(), all);
  }

  void aJumpLeavesNoTrace() {
    Workshop workshop;
    LearnModel model(workshop.parts());
    model.goTo(1);
    model.predict(1000);
    const auto before = savedProgress(workshop);
    QVERIFY(!before.isEmpty());
    QVERIFY(!model.jump("measure-first", 4));  // nobody presents
    model.setPresenting(true);
    QVERIFY(!model.jump("measure-first", 99));
    QVERIFY(!model.jump("no-such-lab", 0));
    QVERIFY(!model.scratch());
    QVERIFY(model.jump("measure-first", 1));
    QVERIFY(model.scratch());
    // As a new learner finds it.
    QVERIFY(!model.session()->progress("baseline").prediction);
    model.predict(7);
    model.setKnob("batch", 64, false);
    model.go(1);
    model.resetLab();
    QVERIFY(model.open("measure-first"));
    QVERIFY(!model.session()->progress("baseline").prediction);
    QCOMPARE(savedProgress(workshop), before);
    workshop.words().setLanguage("fr");
    model.setPresenting(false);
    QVERIFY(!model.scratch());
    QCOMPARE(model.session()->index(), 1);
    QCOMPARE(model.session()->lab().language, std::string("fr"));
    QCOMPARE(model.session()->progress("baseline").prediction.value_or(0), 1000.0);
    QVERIFY(model.session()->progress("baseline").knobs.empty());
  }

  void theRecordStandsInForAMissingEngine() {
    Workshop workshop;
    LearnModel model(workshop.parts());
    model.goTo(1);
    QVERIFY(!model.canStart());
    model.setPresenting(true);
    QVERIFY(model.canStart());
    model.start();
    QTRY_VERIFY_WITH_TIMEOUT(model.replay().shown(), kPatience);
    QCOMPARE(model.notices().back().id, std::string("replay.fallback.engine"));
    model.go(1);
    QVERIFY(!model.canStart());  // no record of that step
  }

  void theRecordStandsInForAMissingDevice() {
    Workshop workshop;
    LearnModel model(workshop.parts());
    model.setSchema(schemaOfLab());
    workshop.engineSays(wire::RunFailed{wire::ExitCode::NoDevice, {wire::Message{"gpu.none"}}});
    for (const bool presenting : {false, true}) {
      model.goTo(1);
      model.setPresenting(presenting);
      model.start();
      QTRY_VERIFY_WITH_TIMEOUT(!model.running(), kPatience);
      QCOMPARE(model.failure() != nullptr, !presenting);
    }
    QTRY_VERIFY_WITH_TIMEOUT(model.replay().shown(), kPatience);
    QVERIFY(!model.session()->progress("baseline").outcome);
  }

  void keysLeadThroughTheSteps() {
    Workshop workshop;
    Shown shown(workshop);
    QCOMPARE(shown.theme.scale(), Theme::kPresenterScale);
    shown.model.goTo(0);
    // A long step is scrolled through first.
    constexpr int kEnough = 50;
    for (int i = 0; i < kEnough && shown.model.session()->index() == 0; ++i) QTest::keyClick(&shown.window, Qt::Key_PageDown);
    QCOMPARE(shown.model.session()->index(), 1);
    for (int i = 0; i < kEnough && shown.model.session()->index() == 1; ++i) QTest::keyClick(&shown.window, Qt::Key_Left);
    QCOMPARE(shown.model.session()->index(), 0);
    QTest::keyClick(&shown.window, Qt::Key_Escape);
    QVERIFY(!shown.window.presenting());
    QVERIFY(!shown.window.presenter().active());
  }

  void theScreenGoesBlankAndComesBack() {
    Workshop workshop;
    Shown shown(workshop);
    const auto& presenter = shown.window.presenter();
    QTest::keyClick(&shown.window, Qt::Key_Period);
    QVERIFY(presenter.blank());
    const int step = shown.model.session()->index();
    QTest::keyClick(&shown.window, Qt::Key_PageDown);
    QVERIFY(!presenter.blank());
    QCOMPARE(shown.model.session()->index(), step);
    QTest::keyClick(&shown.window, Qt::Key_B);
    QVERIFY(presenter.blank());
    // A remote's Esc shows the screen again before it leaves.
    QTest::keyClick(&shown.window, Qt::Key_Escape);
    QVERIFY(!presenter.blank() && shown.window.presenting());
    QTest::keyClick(&shown.window, Qt::Key_B);
    shown.window.setPresenting(false);
    QVERIFY(!presenter.blank());
  }

  void typingStaysTyping() {
    Workshop workshop;
    Shown shown(workshop);
    shown.model.setSchema(schemaOfLab());
    shown.model.goTo(1);
    auto* spin = shown.window.view("learn")->findChild<QSpinBox*>();
    QVERIFY(spin && QTest::qWaitForWindowActive(&shown.window));
    spin->setFocus();
    QTest::keyClick(spin, Qt::Key_B);
    QTest::keyClick(spin, Qt::Key_T);
    QVERIFY(!shown.window.presenter().blank());
    QVERIFY(!shown.window.presenter().clock().going());
    shown.window.setFocus();
    QTest::keyClick(&shown.window, Qt::Key_T);
    QVERIFY(shown.window.presenter().clock().going());
  }

  void escLeavesFromAPlotToo() {
    Workshop workshop;
    Shown shown(workshop);
    auto* column = shown.window.view("learn")->findChild<PlotColumn*>();
    QTest::keyClick(&column->plot(PlotKind::Loss), Qt::Key_Escape);
    QVERIFY(!shown.window.presenting());
  }

  void anyStepIsAFewLettersAway() {
    Workshop workshop;
    Shown shown(workshop);
    QTest::keyClick(&shown.window, Qt::Key_G);
    auto* chooser = shown.window.presenter().chooser();
    QVERIFY(chooser && chooser->isVisible());
    auto* line = chooser->findChild<QLineEdit*>();
    QTest::keyClicks(line, QStringLiteral("one change"));
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(shown.model.session()->step().id, std::string("change"));
    QVERIFY(shown.model.scratch());
    QTRY_VERIFY(!shown.window.presenter().chooser());
    shown.window.setPresenting(false);
    QVERIFY(!shown.model.scratch());
    QCOMPARE(shown.model.session()->index(), 0);
  }

  void theNotesShowTheStepAndObeyTheSameKeys() {
    Workshop workshop;
    Shown shown(workshop);
    shown.model.goTo(1);
    auto& presenter = shown.window.presenter();
    if (!(presenter.notes() && presenter.notes()->isVisible())) QTest::keyClick(&shown.window, Qt::Key_N);
    auto* notes = presenter.notes();
    QVERIFY(notes && notes->isVisible());
    QVERIFY(notes->notes().contains(QLatin1String("battery")));
    QVERIFY(notes->next().contains(QString::fromStdString(shown.model.session()->lab().steps[2].title)));
    QVERIFY(notes->time().contains(QLatin1String("35")));
    const auto first = notes->notes();
    shown.model.go(1);
    QVERIFY(notes->notes() != first);
    QTest::keyClick(notes, Qt::Key_B);
    QVERIFY(presenter.blank());
    QTest::keyClick(notes, Qt::Key_B);
    workshop.words().setLanguage("fr");
    QVERIFY(notes->notes().contains(QLatin1String("GPU")));
    QTest::keyClick(notes, Qt::Key_N);
    QVERIFY(!notes->isVisible());
    QTest::keyClick(&shown.window, Qt::Key_N);
    QVERIFY(notes->isVisible());
    notes->close();
    QVERIFY(shown.window.presenting());
    QTest::keyClick(&shown.window, Qt::Key_N);
    QTest::keyClick(notes, Qt::Key_Escape);
    QVERIFY(!shown.window.presenting() && !notes->isVisible());
  }

  void thePointerGoesAway() {
    Workshop workshop;
    Shown shown(workshop);
    QTRY_VERIFY_WITH_TIMEOUT(shown.window.presenter().pointerHidden(), kPatience);
    shown.window.setPresenting(false);
    QVERIFY(!shown.window.presenter().pointerHidden());
    QVERIFY(!QGuiApplication::overrideCursor());
  }
};

QTEST_MAIN(PresenterTest)
#include "presenter_test.moc"
