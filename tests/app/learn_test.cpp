// The Learn view on the real first lab with an engine that replays prepared events: a run from prediction to verdict, progress
// that is kept, a failure that is told, both languages, both themes, the drawer, presenter mode.
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTreeView>
#include <QWheelEvent>
#include <QtTest>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/run/engine_client.h"
#include "app/shell/main_window.h"
#include "app/shell/theme.h"
#include "app/views/learn/learn_view.h"
#include "app/views/learn/result_card.h"
#include "app/views/learn/step_card.h"
#include "tests/labs/profile_json.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr int kPatience = 10'000;

wire::Schema schemaOfLab() {
  auto schema =
      wire::Schema::build({wire::integerOption("batch", 128, 1, 4096), wire::integerOption("threads", 0, 0, 256),
                           wire::booleanOption("channels_last", false), wire::choiceOption("precision", {"fp32", "bf16"}),
                           wire::choiceOption("optimizer", {"adamw", "adam", "sgd"}), wire::booleanOption("fused", false),
                           wire::numberOption("learning_rate", 1e-3, 0, 10)});
  return schema ? *schema : wire::Schema();
}

// An engine that says what is in its file, whatever it is asked, once it has read its spec.
class FakeEngine {
 public:
  FakeEngine() : m_client(program(), m_folder.path()), m_desk(m_client) {}
  QString home() const { return m_folder.path(); }
  RunDesk& desk() { return m_desk; }
  Words& words() { return m_words; }
  void says(const std::vector<wire::EventBody>& bodies) {
    QFile file(m_folder.filePath(QStringLiteral("events")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    std::int64_t time = 0;
    for (const auto& body : bodies) {
      wire::RunEvent event;
      event.t = time += 100'000'000;
      event.body = body;
      file.write(QByteArray::fromStdString(wire::encodeEvent(event)) + '\n');
    }
  }

 private:
  QString program() {
    const auto path = m_folder.filePath(QStringLiteral("engine"));
    QFile script(path);
    if (script.open(QIODevice::WriteOnly)) script.write("#!/bin/sh\nread -r spec\ncat \"$(dirname \"$0\")/events\"\n");
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
  }

  QTemporaryDir m_folder;
  EngineClient m_client;
  RunDesk m_desk;
  Words m_words{"en"};
};

LearnModel::Parts partsOf(FakeEngine& engine) {
  return {engine.desk(), engine.words(), std::filesystem::path(ATELIER_SOURCE_DIR) / "labs/course", engine.home().toStdString(),
          QString()};
}

struct WindowParts {
  WindowParts(Theme& theme, FakeEngine& engine, LearnModel& model)
      : settings(QString()), desktop{theme, engine.words(), engine.desk(), model, settings, engine.home().toStdString()} {}
  Settings settings;
  Desktop desktop;
};

std::vector<wire::EventBody> goodRun() {
  std::vector<wire::EventBody> bodies;
  wire::RunStarted started;
  started.run_id = "20261130-104512-3f9a1c";
  started.environment = {{"cpu", "Example CPU"},     {"threads", 2}, {"gpus", nlohmann::json::array()},
                         {"gpu_reason", "gpu.none"}, {"driver", ""}, {"device", "cpu"}};
  started.planned_steps = 10;
  bodies.emplace_back(started);
  wire::RunFinished finished;
  finished.summary.id = started.run_id;
  finished.summary.blocks = 10;
  finished.summary.samples_per_second = wire::Interval{2000, 1950, 2050, 10};
  for (int step = 1; step <= 10; ++step) {
    wire::Progress progress;
    progress.step = step;
    progress.planned_steps = 10;
    progress.samples_per_second = 2000;
    bodies.emplace_back(progress);
  }
  bodies.emplace_back(finished);
  return bodies;
}

void runToItsEnd(LearnModel& model) {
  model.run();
  QTRY_VERIFY_WITH_TIMEOUT(!model.running(), kPatience);
}

}  // namespace

class LearnTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fromPredictionToVerdict() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    QVERIFY(model.session());
    model.goTo(1);
    QVERIFY(model.canPredict());
    model.predict(1000);
    engine.says(goodRun());
    runToItsEnd(model);
    const auto& progress = model.session()->progress(model.session()->step().id);
    QVERIFY(progress.outcome.has_value());
    QVERIFY(!model.canPredict());
    QCOMPARE(model.runs().size(), 1);
    QCOMPARE(model.runs().first()->samplesPerSecond().y.size(), 10);
    QCOMPARE(model.machine()["cpu"].get<std::string>(), std::string("Example CPU"));
    const LearnModel again(partsOf(engine));
    QCOMPARE(again.session()->progress("baseline").prediction.value_or(0), 1000.0);
    QVERIFY(again.session()->progress("baseline").outcome.has_value());
  }

  void aProfilesTablesReachTheChecks() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    QVERIFY(model.open("profile"));
    model.goTo(1);
    QVERIFY(model.session()->step().prediction->isChoice());
    model.predict(0);
    QCOMPARE(model.session()->chosen("healthy"), std::string("convolution"));
    const auto run = engine.home() + QStringLiteral("/runs/20261130-104512-3f9a1c");
    QVERIFY(QDir().mkpath(run));
    QFile profile(run + QStringLiteral("/profile.json"));
    QVERIFY(profile.open(QIODevice::WriteOnly));
    profile.write(QByteArray::fromStdString(lab::profileJson().dump()));
    profile.close();
    engine.says(goodRun());
    runToItsEnd(model);
    const auto& outcome = model.session()->progress("healthy").outcome;
    QVERIFY(outcome.has_value());
    QCOMPARE(outcome->verb, std::string("profile"));
    QVERIFY(!model.canPredict());
    Theme theme(Theme::Mode::Light);
    const WindowParts parts(theme, engine, model);
    MainWindow window(parts.desktop);
    window.show();
    auto* card = window.findChild<ResultCard*>();
    QSignalSpy asked(card, &ResultCard::evidenceAsked);
    for (auto* button : card->findChildren<QPushButton*>())
      if (button->isVisibleTo(card)) button->click();
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.first().first().toString(), QStringLiteral("20261130-104512-3f9a1c"));
    for (const auto& check : model.session()->checks("healthy"))
      if (check.kind == "breakdown_sums" || check.kind == "names_operator") QCOMPARE(check.state, lab::CheckState::Passed);
  }

  void aStepThatAppliesAPlanWaitsForItsProfile() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    QVERIFY(model.open("profile"));
    model.goTo(3);
    QCOMPARE(model.session()->step().id, std::string("workers"));
    QVERIFY(!model.canRun());
    Theme theme(Theme::Mode::Light);
    const WindowParts parts(theme, engine, model);
    MainWindow window(parts.desktop);
    window.show();
    QStringList texts;
    for (const auto* label : window.findChild<StepCard*>()->findChildren<QLabel*>()) texts << label->text();
    const auto title = QString::fromStdString(model.session()->lab().find("input")->title);
    QVERIFY2(!texts.filter(title).isEmpty(), "it says which step comes first");
    model.run();
    QVERIFY(!model.running());
  }

  void whereANaNWasBornIsKept() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    QVERIFY(model.open("hooks"));
    model.goTo(2);
    auto bodies = goodRun();
    wire::Health health;
    health.step = health.first_bad_step = 3;
    health.first_bad_module = "1.0";
    health.first_bad_operator = "aten::div";
    health.first_bad_stage = "forward";
    bodies.insert(bodies.end() - 1, wire::HealthSampled{health});
    engine.says(bodies);
    runToItsEnd(model);
    for (const auto& check : model.session()->checks("nan"))
      if (check.kind == "finding_origin") QCOMPARE(check.state, lab::CheckState::Passed);
    QVERIFY(model.session()->progress("nan").outcome->result.contains("origin"));
  }

  void aFailureIsToldAndNothingRecorded() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    model.goTo(1);
    engine.says({});
    runToItsEnd(model);
    QVERIFY(model.failure() != nullptr);
    QVERIFY(!model.session()->progress(model.session()->step().id).outcome);
    QVERIFY(model.canRun());
  }

  void whatASummaryNoticedIsTold() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    model.goTo(1);
    auto bodies = goodRun();
    std::get<wire::RunFinished>(bodies.back()).summary.notices.push_back({"busy.all_blocks"});
    engine.says(bodies);
    runToItsEnd(model);
    QCOMPARE(model.notices().size(), std::size_t{1});
    QCOMPARE(model.notices().front().id, std::string("busy.all_blocks"));
  }

  void aFailureKeepsWhatWasAskedFor() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    model.goTo(1);
    model.setKnob("batch", 64, false);
    engine.says({});
    runToItsEnd(model);
    model.setKnob("batch", 32, false);
    QVERIFY(model.failedRequest() != nullptr);
    QCOMPARE(model.failedRequest()->spec["batch"].get<int>(), 64);
  }

  void anEngineThatDoesNotAnswerCanBeAskedAgain() {
    FakeEngine engine;
    engine.says({});
    LearnModel model(partsOf(engine));
    model.askSchema();
    QTRY_VERIFY_WITH_TIMEOUT(model.schemaError() != nullptr, kPatience);
    QVERIFY(!model.canRun());
    model.setSchema(schemaOfLab());
    QVERIFY(model.schemaError() == nullptr);
  }

  void theOldRunsAreThereUntilTheViewsWereTold() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    model.goTo(1);
    engine.says(goodRun());
    runToItsEnd(model);
    const auto* old = model.runs().first();
    qsizetype kept = -1;
    connect(&model, &LearnModel::runChanged, this, [&] {
      if (kept < 0) kept = old->samplesPerSecond().y.size();
    });
    model.resetLab();
    QCOMPARE(kept, 10);
    QVERIFY(model.runs().isEmpty());
  }

  void aDamagedProgressFileIsTold() {
    FakeEngine engine;
    {
      LearnModel model(partsOf(engine));
      model.goTo(1);
    }
    const auto path = engine.home() + QStringLiteral("/course/measure-first.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{ not a file");
    file.close();
    const LearnModel again(partsOf(engine));
    QCOMPARE(again.notices().size(), std::size_t{1});
    QCOMPARE(again.notices().front().id, std::string("lab.progress_damaged"));
  }

  void theWheelLeavesAFieldWithoutFocusAlone() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    model.goTo(1);
    Theme theme(Theme::Mode::Light);
    const WindowParts parts(theme, engine, model);
    MainWindow window(parts.desktop);
    window.show();
    auto* spin = window.findChild<QSpinBox*>();
    QVERIFY(spin);
    const int before = spin->value();
    QWheelEvent turn({5, 5}, spin->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                     false);
    QCoreApplication::sendEvent(spin, &turn);
    QCOMPARE(spin->value(), before);
  }

  void nothingIsWiderThanItsPlaceInASmallWindow() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    engine.words().setLanguage("fr");
    Theme theme(Theme::Mode::Light);
    const WindowParts parts(theme, engine, model);
    MainWindow window(parts.desktop);
    window.resize(1280, 720);
    window.show();
    auto* scroll = window.findChild<StepCard*>()->findChild<QScrollArea*>();
    for (int step = 0; step < static_cast<int>(model.session()->lab().steps.size()); ++step) {
      model.goTo(step);
      QCoreApplication::processEvents();
      QVERIFY2(scroll->widget()->width() <= scroll->viewport()->width(), model.session()->step().id.c_str());
    }
    QCOMPARE(window.size(), QSize(1280, 720));
  }

  void theWindowShowsEveryStepInBothLanguagesAndThemes() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    model.setSchema(schemaOfLab());
    Theme theme(Theme::Mode::Light);
    const WindowParts parts(theme, engine, model);
    MainWindow window(parts.desktop);
    window.resize(1440, 860);
    window.show();
    for (const char* language : {"en", "fr"}) {
      engine.words().setLanguage(language);
      for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Light}) {
        theme.setMode(mode);
        for (int step = 0; step < static_cast<int>(model.session()->lab().steps.size()); ++step) {
          model.goTo(step);
          QCoreApplication::processEvents();
        }
      }
      // An id on the screen is a text that is missing.
      for (const auto* label : window.findChildren<QLabel*>())
        QVERIFY2(!label->text().startsWith(QLatin1String("app.")), qPrintable(label->text()));
      for (const auto* button : window.findChildren<QAbstractButton*>())
        QVERIFY2(!button->text().startsWith(QLatin1String("app.")), qPrintable(button->text()));
    }
  }

  void theCourseBecomesADrawer() {
    FakeEngine engine;
    LearnModel model(partsOf(engine));
    Theme theme(Theme::Mode::Light);
    const WindowParts parts(theme, engine, model);
    MainWindow window(parts.desktop);
    window.resize(1440, 860);
    window.show();
    QCoreApplication::processEvents();
    auto* view = window.findChild<LearnView*>();
    auto* tree = window.findChild<QTreeView*>();
    QVERIFY(!view->drawer() && tree->isVisible());
    window.resize(1280, 720);
    QCoreApplication::processEvents();
    QVERIFY(view->drawer() && !tree->isVisible());
    window.resize(1440, 860);
    QCoreApplication::processEvents();
    QVERIFY(!view->drawer() && tree->isVisible());
    window.setPresenting(true);
    QCOMPARE(theme.scale(), Theme::kPresenterScale);
    QVERIFY(view->drawer());
    window.setPresenting(false);
    QVERIFY(!view->drawer());
  }
};

QTEST_MAIN(LearnTest)
#include "learn_test.moc"
