// Replays: how recorded runs come onto one time line, how that is played, what a lab's step shows of it and that nothing of it
// counts, and the panel.
#include <QLabel>
#include <QPushButton>
#include <QSlider>

#include <algorithm>
#include <limits>

#include "app/models/learn_replay.h"
#include "app/models/replay.h"
#include "app/models/replay_texts.h"
#include "app/plots/plot_column.h"
#include "app/plots/time_plot.h"
#include "app/report/replay_report.h"
#include "app/report/report.h"
#include "app/shell/main_window.h"
#include "app/views/experiments/replay_bar.h"
#include "app/views/experiments/replay_panel.h"
#include "replay_fixture.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr int kPatience = 10'000;

std::shared_ptr<const Recording> recordingOfRun() {
  auto recording = assemble({archivedRun("20261130-104512-3f9a1c")});
  return recording ? std::make_shared<const Recording>(std::move(*recording)) : nullptr;
}

// The two runs of a race: each record also holds what was said for the whole race.
std::vector<registry::ArchivedRun> race() {
  auto a = archivedRun("20261130-104512-aaaaaa", "a"), b = archivedRun("20261130-104512-bbbbbb", "b");
  wire::RaceUpdated updated;
  updated.pairs = 3;
  wire::RaceSummary summary;
  summary.a = a.record.summary;
  summary.b = b.record.summary;
  summary.ratio = wire::Interval{1.3, 1.2, 1.4, 10};
  summary.verdict = "faster";
  for (auto* run : {&a, &b}) {
    run->record.race = "20261130-104512-cccccc";
    run->events.push_back(eventAt(5, updated));
    run->events.push_back(eventAt(11, wire::RaceFinished{summary}));
  }
  return {b, a};
}

template <class Body>
int count(const Recording& recording) {
  int found = 0;
  for (const auto& recorded : recording.events) found += std::holds_alternative<Body>(recorded.event.body) ? 1 : 0;
  return found;
}

bool saysReplay(const QWidget& widget) {
  for (const auto* label : widget.findChildren<QLabel*>())
    if (label->isVisibleTo(&widget) && label->text().startsWith(QLatin1String("REPLAY"))) return true;
  return false;
}

QByteArray dataOf(const TimePlot& plot, const QTemporaryDir& folder) {
  const auto path = folder.filePath(QStringLiteral("data.csv"));
  QFile file(path);
  return plot.saveData(path) && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class ReplayTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRaceSharesOneClock() {
    const auto recording = assemble(race());
    QVERIFY(recording.ok());
    QCOMPARE(recording->kind, Recording::Kind::Race);
    QCOMPARE(recording->tracks[0].label, QStringLiteral("A"));
    QCOMPARE(recording->tracks[1].label, QStringLiteral("B"));
    QCOMPARE(count<wire::RaceUpdated>(*recording), 1);
    QCOMPARE(count<wire::Progress>(*recording), 18);
    QCOMPARE(recording->length(), 11 * kSecond);
    for (std::size_t i = 1; i < recording->events.size(); ++i) QVERIFY(recording->events[i - 1].at <= recording->events[i].at);
    const auto outcome = outcomeOf(*recording);
    QVERIFY(outcome.has_value());
    QCOMPARE(outcome->verb, std::string("race"));
    QCOMPARE(outcome->run_ids.size(), std::size_t{2});
  }

  void theOtherVariantsEventsAreNotTakenTwice() {
    auto runs = race();
    runs[0].events.push_back(eventAt(2, progressOf(1, 1), "a"));
    const auto recording = assemble(runs);
    QCOMPARE(count<wire::Progress>(*recording), 18);
  }

  void aSweepIsPlayedPointAfterPoint() {
    auto first = archivedRun("20261130-104512-aaaaaa", "1"), second = archivedRun("20261130-104600-bbbbbb", "2");
    second.record.created_ms += 60'000;
    first.environment["sweep"] = second.environment["sweep"] = "20261130-104512-dddddd";
    first.environment["sweep_point"] = {{"batch", 32}};
    const auto recording = assemble({second, first});
    QCOMPARE(recording->kind, Recording::Kind::Sweep);
    QCOMPARE(recording->tracks[0].label, QStringLiteral("batch=32"));
    QCOMPARE(recording->length(), 20 * kSecond);
    QCOMPARE(recording->events.back().event.t, 10 * kSecond);
    QVERIFY(!outcomeOf(*recording));
  }

  void strangersStartTogether() {
    const auto recording = assemble({archivedRun("20261130-104512-aaaaaa"), archivedRun("20261130-104600-bbbbbb")});
    QCOMPARE(recording->kind, Recording::Kind::Several);
    QCOMPARE(recording->length(), 10 * kSecond);
  }

  void hostileTimesDoNoHarm() {
    auto run = archivedRun("20261130-104512-aaaaaa");
    run.events.push_back(eventAt(0, progressOf(1, 1)));
    run.events.back().t = std::numeric_limits<std::int64_t>::max();
    run.events.push_back(eventAt(0, progressOf(1, 1)));
    run.events.back().t = std::numeric_limits<std::int64_t>::min();
    const auto recording = assemble({run});
    QVERIFY(recording.ok());
    QCOMPARE(recording->events.front().at, std::int64_t{0});
    QVERIFY(recording->length() < std::numeric_limits<std::int64_t>::max() / 1000);
  }

  void aRunThatToldNothingIsRefused() {
    auto run = archivedRun("20261130-104512-aaaaaa");
    run.events.clear();
    const auto recording = assemble({run});
    QVERIFY(!recording.ok());
    QCOMPARE(recording.error().messages.front().id, std::string("replay.no_events"));
    QVERIFY(!assemble({}).ok());
  }

  void anInterruptedRunIsNoOutcome() {
    auto run = archivedRun("20261130-104512-aaaaaa");
    run.record.summary.status = "interrupted";
    QVERIFY(!outcomeOf(*assemble({run})));
  }

  void timeIsTheRecords() {
    std::int64_t now = 5 * kSecond;
    Replay replay([&now] { return now; });
    replay.load(recordingOfRun());
    QCOMPARE(replay.position(), std::int64_t{0});
    replay.play();
    now += kSecond;
    replay.advance();
    QCOMPARE(replay.position(), kSecond);
    QCOMPARE(replay.series().first()->samplesPerSecond().y.size(), 1);
    // What was played at the old speed stays so.
    now += kSecond;
    replay.setSpeed(4);
    QCOMPARE(replay.position(), 2 * kSecond);
    now += kSecond;
    replay.advance();
    QCOMPARE(replay.position(), 6 * kSecond);
    replay.pause();
    now += 100 * kSecond;
    replay.advance();
    QCOMPARE(replay.position(), 6 * kSecond);
  }

  void scrubbingBackRebuilds() {
    Replay replay;
    replay.load(recordingOfRun());
    const auto* series = replay.series().first();
    replay.seek(9 * kSecond);
    QCOMPARE(series->samplesPerSecond().y.size(), 9);
    replay.seek(3 * kSecond);
    QCOMPARE(replay.series().first(), series);
    QCOMPARE(series->samplesPerSecond().y.size(), 3);
    QVERIFY(!series->summary());
    replay.seek(-kSecond);
    QCOMPARE(replay.position(), std::int64_t{0});
    replay.seek(99 * kSecond);
    QCOMPARE(replay.position(), 10 * kSecond);
    QVERIFY(series->summary().has_value());
  }

  void itEndsAndBeginsAgain() {
    std::int64_t now = 0;
    Replay replay([&now] { return now; });
    replay.load(recordingOfRun());
    replay.play();
    now += 1000 * kSecond;
    replay.advance();
    QCOMPARE(replay.state(), Replay::State::Ended);
    replay.play();
    QCOMPARE(replay.position(), std::int64_t{0});
    QCOMPARE(replay.state(), Replay::State::Playing);
    replay.toEnd();
    QCOMPARE(replay.state(), Replay::State::Ended);
    replay.seek(kSecond);
    QCOMPARE(replay.state(), Replay::State::Paused);
  }

  void blocksAreSteps() {
    Replay replay;
    replay.load(recordingOfRun());
    replay.nextBlock();
    QCOMPARE(replay.position(), 4 * kSecond);
    replay.nextBlock();
    QCOMPARE(replay.position(), 8 * kSecond);
    replay.nextBlock();
    QCOMPARE(replay.position(), 10 * kSecond);
    replay.previousBlock();
    QCOMPARE(replay.position(), 8 * kSecond);
    replay.previousBlock();
    replay.previousBlock();
    QCOMPARE(replay.position(), std::int64_t{0});
  }

  void pausesAreSkippedWhenAsked() {
    auto run = archivedRun("20261130-104512-aaaaaa");
    run.events.push_back(eventAt(2, wire::PhaseChanged{"paused"}));
    run.events.push_back(eventAt(7, wire::PhaseChanged{"resumed"}));
    const auto recording = std::make_shared<const Recording>(*assemble({run}));
    for (const bool skip : {true, false}) {
      std::int64_t now = 0;
      Replay replay([&now] { return now; });
      replay.load(recording);
      QVERIFY(replay.hasPauses());
      replay.setSkipPauses(skip);
      replay.play();
      now += 3 * kSecond;
      replay.advance();
      QCOMPARE(replay.position(), skip ? 8 * kSecond : 3 * kSecond);
    }
  }

  void nothingLoadedPlaysNothing() {
    Replay replay;
    replay.play();
    replay.nextBlock();
    replay.toEnd();
    QCOMPARE(replay.state(), Replay::State::Paused);
    replay.setSpeed(std::numeric_limits<double>::quiet_NaN());
    QCOMPARE(replay.speed(), 1.0);
    replay.setSpeed(1e9);
    QCOMPARE(replay.speed(), 64.0);
  }

  void itIsFoundByWhatAPersonHasAtHand() {
    Workshop workshop;
    const std::filesystem::path home = workshop.home().toStdString();
    QVERIFY(recordRun(home, Workshop::kOwn));
    QVERIFY(findRecording(home, Workshop::kOwn).ok());
    QVERIFY(findRecording(home, "20261130").ok());
    const auto archive = workshop.course() / "day1-morning/measure-first/recorded/baseline.atelier";
    const auto read = findRecording(home, archive.string());
    QVERIFY(read.ok());
    QCOMPARE(read->tracks.front().run.id, std::string(Workshop::kLab));
    QVERIFY(!findRecording(home, "no-such-run").ok());
    QVERIFY(!checkRecording(home, "no-such-run").ok());
    QVERIFY(checkRecording(home, archive.string()).ok());
    QVERIFY(!findRecording(home, (workshop.course() / "course.toml").string()).ok());
  }

  void aLabsRecordCountsAsNoMeasurement() {
    Workshop workshop;
    LearnModel model(workshop.parts());
    model.goTo(1);
    auto& replay = model.replay();
    QVERIFY(replay.offers(LearnReplay::Record::Lab));
    QVERIFY(!replay.offers(LearnReplay::Record::Own));
    replay.start(LearnReplay::Record::Lab);
    QTRY_VERIFY_WITH_TIMEOUT(replay.shown(), kPatience);
    replay.player().toEnd();
    QVERIFY(replay.outcome().has_value());
    QCOMPARE(model.runs().size(), 1);
    QCOMPARE(model.runs().first()->samplesPerSecond().y.size(), 9);
    const auto& session = *model.session();
    QVERIFY(!session.progress("baseline").outcome);
    QVERIFY(!session.done("baseline"));
    for (const auto& check : session.checks("baseline")) {
      QVERIFY(check.state == lab::CheckState::NotRun || check.state == lab::CheckState::NotPredicted);
    }
    const auto said = replay.checks();
    QVERIFY(std::any_of(said.begin(), said.end(), [](const auto& check) { return check.state == lab::CheckState::Passed; }));
    QVERIFY(model.canPredict());
    model.go(1);
    QVERIFY(!replay.shown());
    LearnModel again(workshop.parts());
    QVERIFY(!again.session()->progress("baseline").outcome);
  }

  void aReportMarksWhatWasReplayed() {
    const auto recording = assemble({archivedRun("20261130-104512-aaaaaa")});
    const Words words("en");
    const auto experiment = replayedExperiment(*recording, QStringLiteral("Title"), words);
    QVERIFY(experiment.mark.startsWith(QLatin1String("REPLAY")));
    QVERIFY(experiment.mark.contains(QLatin1String("Example GPU")));
    const auto content = replayReport(*recording, QString(), words);
    QCOMPARE(content.experiments.size(), 1);
    QVERIFY(content.checks.empty() && content.predictions.empty());
    const QTemporaryDir folder;
    QVERIFY(writeReport(content, folder.filePath(QStringLiteral("replay.pdf"))).ok());
  }

  void theLearnViewMarksAReplay() {
    Workshop workshop;
    LearnModel model(workshop.parts());
    Theme theme(Theme::Mode::Light);
    const auto desktop = workshop.desktop(theme, model);
    MainWindow window(desktop);
    window.resize(1440, 900);
    window.show();
    model.goTo(1);
    QVERIFY(!saysReplay(window));
    QPushButton* offer = nullptr;
    for (auto* button : window.findChildren<QPushButton*>())
      if (button->text() == workshop.words().text("replay.lab")) offer = button;
    QVERIFY(offer && offer->isVisible());
    QTest::mouseClick(offer, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(model.replay().shown(), kPatience);
    QVERIFY(saysReplay(window));
    model.replay().player().toEnd();
    auto* column = window.view("learn")->findChild<PlotColumn*>();
    const QTemporaryDir folder;
    QVERIFY(dataOf(column->plot(PlotKind::Throughput), folder).contains("REPLAY"));
    model.replay().close();
    QVERIFY(!saysReplay(window));
    QVERIFY(!dataOf(column->plot(PlotKind::Throughput), folder).contains("REPLAY"));
    QVERIFY(model.runs().isEmpty());
  }

  void thePanelPlays() {
    Workshop workshop;
    QVERIFY(recordRun(workshop.home().toStdString(), Workshop::kOwn));
    LearnModel model(workshop.parts());
    Theme theme(Theme::Mode::Light);
    const auto desktop = workshop.desktop(theme, model);
    ReplayPanel panel(desktop, nullptr);
    panel.resize(900, 700);
    panel.show();
    panel.load(QLatin1String(Workshop::kOwn));
    QVERIFY(panel.loading());
    QTRY_VERIFY_WITH_TIMEOUT(panel.player().recording() != nullptr, kPatience);
    QVERIFY(saysReplay(panel));
    auto& replay = panel.player();
    auto* bar = panel.findChild<ReplayBar*>();
    const auto playing = replay.state() == Replay::State::Playing;
    QTest::mouseClick(bar->playButton(), Qt::LeftButton);
    QCOMPARE(replay.state() == Replay::State::Playing, !playing);
    replay.pause();
    replay.seek(0);
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    QTest::keyClick(bar->playButton(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(replay.position(), 4 * kSecond);
    auto* slider = bar->findChild<QSlider*>();
    slider->setValue(slider->maximum());
    QCOMPARE(replay.state(), Replay::State::Ended);
    const QTemporaryDir folder;
    QVERIFY(dataOf(panel.findChild<PlotColumn*>()->plot(PlotKind::Throughput), folder).contains("not measured here"));
    workshop.words().setLanguage("fr");
    for (const auto* label : panel.findChildren<QLabel*>()) {
      QVERIFY2(!label->text().startsWith(QLatin1String("replay.")), qPrintable(label->text()));
    }
  }

  void thePanelSaysWhyThereIsNothing() {
    Workshop workshop;
    LearnModel model(workshop.parts());
    Theme theme(Theme::Mode::Light);
    const auto desktop = workshop.desktop(theme, model);
    ReplayPanel panel(desktop, nullptr);
    panel.show();
    panel.load(QStringLiteral("no-such-run"));
    QTRY_VERIFY_WITH_TIMEOUT(!panel.loading(), kPatience);
    QVERIFY(panel.problem().contains(QLatin1String("no-such-run")));
  }
};

QTEST_MAIN(ReplayTest)
#include "replay_test.moc"
