// Words that must not be missing: each phase that the engine tells has its text in the window, in the terminal and in the
// engine's own programs, in both languages; each check has its name; LearnTexts says what a summary holds.
#include <QtTest>

#include "app/models/learn_texts.h"
#include "core/wire/catalog.h"

using namespace atelier;
using namespace atelier::app;

class PhaseTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPhaseHasItsWords() {
    for (const char* language : {"en", "fr"}) {
      const auto catalog = wire::Catalog::builtIn(language);
      for (const std::string phase : {"loading", "naive", "warmup", "measuring", "evaluating", "profiling", "paused", "resumed"})
        for (const std::string prefix : {"app.phase.", "headless.phase.", "phase."})
          QVERIFY2(catalog.has(prefix + phase), (prefix + phase).c_str());
    }
  }

  void everyCheckAndStateHasItsWords() {
    const auto catalog = wire::Catalog::builtIn("fr");
    for (const auto& kind : lab::allCheckKinds()) QVERIFY2(catalog.has("check." + kind.id + ".name"), kind.id.c_str());
    for (const auto state : {lab::CheckState::Passed, lab::CheckState::Failed, lab::CheckState::Noise, lab::CheckState::NotRun,
                             lab::CheckState::NotPredicted})
      QVERIFY(catalog.has("check.state." + std::string(lab::stateName(state))));
  }

  void theMachineIsTheDeviceThatComputed() {
    const auto catalog = wire::Catalog::builtIn("en");
    const wire::Format format("en");
    const LearnTexts texts(catalog, format);
    nlohmann::json environment{{"cpu", "Example CPU"},
                               {"gpus", nlohmann::json::array({"First GPU", "Second GPU"})},
                               {"device", "cpu"},
                               {"threads", 2}};
    QCOMPARE(texts.machine(environment), QString::fromUtf8("CPU · 2 threads"));
    environment["device"] = "cuda:1";
    QVERIFY(texts.machine(environment).startsWith(QLatin1String("Second GPU")));
    environment["device"] = "cuda:7";
    QVERIFY(texts.machine(environment).startsWith(QLatin1String("cuda:7")));
    QVERIFY(texts.machine(nullptr).isEmpty());
  }

  void aRunSaysItsStagesAndWhatWasKept() {
    const auto catalog = wire::Catalog::builtIn("en");
    const wire::Format format("en");
    const LearnTexts texts(catalog, format);
    wire::RunSummary summary;
    summary.samples_per_second = wire::Interval{2000, 1950, 2050, 10};
    summary.blocks = 10;
    summary.disturbed_blocks = 2;
    summary.stages = {100, 300, 500, 80, 20, 1000};
    const auto calm = texts.result({"run", wire::toJson(summary), {}});
    QVERIFY2(calm.details.contains(QString::fromUtf8("forward 30\u202f%")), qPrintable(calm.details));
    QVERIFY2(calm.sentence.contains(QLatin1String("kept: 8")), qPrintable(calm.sentence));
    summary.disturbed_blocks = 10;
    const auto busy = texts.result({"run", wire::toJson(summary), {}});
    QVERIFY2(busy.sentence.contains(QLatin1String("all 10 blocks were kept")), qPrintable(busy.sentence));
  }

  void aRaceWithoutAPairYetTellsNoRatio() {
    const auto catalog = wire::Catalog::builtIn("en");
    const wire::Format format("en");
    const LearnTexts texts(catalog, format);
    wire::RaceUpdated race;
    race.planned_pairs = 10;
    race.discarded_pairs = 2;
    QVERIFY(!texts.raceSoFar(race).contains(QString::fromUtf8("×")));
    race.pairs = 3;
    race.ratio = wire::Interval{1.5, 1.4, 1.6, 3};
    QVERIFY2(texts.raceSoFar(race).contains(QString::fromUtf8("1.50×")), qPrintable(texts.raceSoFar(race)));
    QVERIFY2(texts.raceSoFar(race).contains(QLatin1String("[1.4, 1.6]")), qPrintable(texts.raceSoFar(race)));
  }

  void aCheckIsASignANameAndASentence() {
    const auto catalog = wire::Catalog::builtIn("fr");
    const wire::Format format("fr");
    const LearnTexts texts(catalog, format);
    lab::CheckResult check;
    check.kind = "interval_within";
    check.state = lab::CheckState::Passed;
    check.sentence = {"check.interval_within.passed", {{"width", "2.5"}, {"wanted", "10"}}};
    const auto shown = texts.checkText(check);
    QCOMPARE(shown.sign, QString::fromUtf8("✓"));
    QCOMPARE(shown.name, QString::fromUtf8("Connu assez précisément"));
    QVERIFY2(shown.sentence.contains(QLatin1String("2,5")), qPrintable(shown.sentence));
  }
};

QTEST_GUILESS_MAIN(PhaseTest)
#include "phase_test.moc"
