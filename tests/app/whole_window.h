// A window with something in every view, for the tests that look at all of it: the real course, the engine's real schema, and a
// home made up from fixed dates, figures and noise: three runs, two of them of a race, a sweep with a failed point, ten
// learners' results. Its engine answers what it is asked and replays prepared events. Nothing that belongs to the person who
// runs the tests is read, changed or opened.
#pragma once

#include <QAction>
#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QUrl>
#include <QtTest>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/run/described_schema.h"
#include "app/shell/main_window.h"
#include "app/views/checklist/checklist_view.h"
#include "app/views/class/class_view.h"
#include "app/views/experiments/experiments_view.h"
#include "app/views/experiments/race_page.h"
#include "app/views/experiments/runs_page.h"
#include "app/views/experiments/runs_table_view.h"
#include "app/views/experiments/sweep_page.h"
#include "app/views/formats/formats_view.h"
#include "comfort_fixture.h"
#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "core/wire/run_spec.h"
#include "core/wire/sweep.h"

namespace atelier::app::testing {

inline const QStringList kRunIds{QStringLiteral("20261130-104512-3f9a1c"), QStringLiteral("20261130-104612-3f9a1d"),
                                 QStringLiteral("20261130-104712-3f9a1e")};
inline constexpr const char* kRaceId = "20261130-105012-aaaaaa";
inline constexpr const char* kSweepId = "20261130-110012-bbbbbb";
inline constexpr std::int64_t kDay = 1'796'000'000'000;  // Unix milliseconds, of the learners' results

// What the engine that was built says of itself; its options are the schema.
inline QByteArray description() {
  static const QByteArray said = [] {
    QProcess engine;
    engine.start(QStringLiteral(ATELIER_BIN_DIR "/atelier-engine"), {QStringLiteral("describe"), QStringLiteral("--json")});
    return engine.waitForFinished(60'000) ? engine.readAllStandardOutput() : QByteArray();
  }();
  return said;
}

inline wire::Schema fullSchema() {
  const auto described = wire::parseJson(description().toStdString());
  if (!described) return {};
  const auto schema = describedSchema(wire::Result<nlohmann::json>(*described));
  return schema ? *schema : wire::Schema();
}

inline nlohmann::json fullSpec(const nlohmann::json& keys) {
  const auto spec = wire::RunSpec::parse(fullSchema(), keys);
  return spec ? spec->toJson() : keys;
}

inline nlohmann::json machineJson() {
  return {{"cpu", "Example CPU"},
          {"cores", 4},
          {"threads", 4},
          {"memory_bytes", 17'179'869'184},
          {"gpus", nlohmann::json::array()},
          {"gpu_reason", "gpu.none"},
          {"driver", ""},
          {"device", "cpu"},
          {"torch", "2.11.0"}};
}

// Noise from -1 to 1 that is the same everywhere.
inline double noise(int at, int seed) {
  return ((at * 7919 + seed * 104'729) % 2'003 - 1'001) / 1'001.0;
}

inline wire::RunSummary summaryOf(const std::string& id, double rate) {
  wire::RunSummary summary;
  summary.id = id;
  summary.seed = 7;
  summary.steps = 50;
  summary.optimizer_steps = 50;
  summary.samples = 6'400;
  summary.samples_per_second = wire::Interval{rate, rate * 0.98, rate * 1.03, 9};
  summary.step_p50 = 128e3 / rate;
  summary.step_p90 = 140e3 / rate;
  summary.step_p99 = 170e3 / rate;
  summary.first_step_milliseconds = 85.25;
  summary.startup_milliseconds = 3'149.5;
  summary.peak_memory_bytes = {76'119'528, 1'688'120, 19'273'260, 3'374'720, 51'380'996, 402'432};
  summary.rss_bytes = 319'803'392;
  summary.cpu_percent = 98.5;
  summary.stages = {14'608'065, 1'768'910'730, 3'553'518'258, 151'887'622, 24'768'182, 5'513'692'857};
  summary.loss = 0.4357505391;
  summary.accuracy = 0.861;
  summary.evaluated = 10'000;
  summary.blocks = 10;
  summary.disturbed_blocks = 1;
  return summary;
}

class Recording {
 public:
  Recording(std::string id, nlohmann::json spec, double rate, int seed, std::string variant = "")
      : m_variant(std::move(variant)), m_rate(rate), m_seed(seed) {
    wire::RunStarted started;
    started.run_id = id;
    started.spec = std::move(spec);
    started.environment = machineJson();
    started.planned_steps = 50;
    started.warmup_steps = 10;
    started.blocks = 10;
    say(0, started);
    say(0.1, wire::PhaseChanged{"warmup"});
    for (int step = 1; step <= 60; ++step) takeStep(step);
    wire::EpochDone epoch;
    epoch.epoch = 1;
    epoch.step = 60;
    epoch.samples = 6'400;
    epoch.accuracy = 0.861;
    say(6.4, epoch);
    auto summary = summaryOf(id, rate);
    summary.variant = m_variant;
    say(6.5, wire::RunFinished{summary});
  }
  const std::vector<wire::RunEvent>& events() const { return m_events; }

 private:
  void say(double seconds, wire::EventBody body) {
    m_events.push_back({0, static_cast<std::int64_t>(std::llround(seconds * 1e9)), m_variant, std::move(body)});
  }
  void takeStep(int step) {
    const double at = 0.1 * step + 0.1;
    if (step == 11) say(at - 0.01, wire::PhaseChanged{"measuring"});
    const double rate = m_rate * (1 + 0.03 * noise(step, m_seed));
    say(at, wire::Progress{step, 60, step > 10, rate, 2.3 * std::exp(-step / 30.0) + 0.05 * noise(step, m_seed + 1), 1e-3});
    if (step % 2 == 0) {
      say(at + 0.01,
          wire::MemorySampled{{60'000'000 + step * 200'000, 1'688'120, 19'273'260, 3'374'720, 35'000'000, 402'432}, {}, 0});
      say(at + 0.02, wire::SystemSampled{96 + 2 * noise(step, 3), 1.5, 0, 319'803'392});
    }
    if (step <= 10 || step % 5 != 0) return;
    wire::BlockDone block;
    block.block = step / 5 - 3;
    block.steps = 5;
    block.samples = 640;
    block.seconds = 0.5;
    block.samples_per_second = rate;
    block.disturbed = step == 30;
    if (block.disturbed) block.reason = "busy.others";
    say(at + 0.03, block);
  }

  std::string m_variant;
  double m_rate;
  int m_seed;
  std::vector<wire::RunEvent> m_events;
};

inline wire::RaceSummary raceOf() {
  wire::RaceSummary race{summaryOf(kRunIds[0].toStdString(), 1'676),
                         summaryOf(kRunIds[1].toStdString(), 2'107),
                         wire::Interval{1.26, 1.15, 1.34, 9},
                         "faster",
                         true,
                         9,
                         1};
  race.a.variant = "a";
  race.b.variant = "b";
  race.planned_pairs = 10;
  return race;
}

inline wire::SweepSummary sweepOf() {
  wire::SweepSummary sweep{kSweepId, "sizes", "done", {{"batch", {64, 128, 256}}, {"precision", {"fp32", "bf16"}}}};
  const auto values = wire::gridPoints(sweep.axes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    wire::SweepPoint point{std::to_string(i + 1), values[i]};
    point.summary = summaryOf("20261130-11001" + std::to_string(i) + "-bbbbbb", 1'500 + 140 * static_cast<double>(i));
    point.summary.peak_memory_bytes.total = 50'000'000 + 9'000'000 * static_cast<std::int64_t>(i * i);
    sweep.points.push_back(std::move(point));
  }
  auto& last = sweep.points.back().summary;
  last = wire::RunSummary();
  last.status = "failed";
  last.failure = {{"run.out_of_memory", {{"detail", "256"}}}};
  wire::judge(sweep);
  sweep.drift = 0.98;
  return sweep;
}

inline void putFile(const QString& path, const QByteArray& content) {
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) file.write(content);
}

inline QByteArray linesOf(const std::vector<wire::RunEvent>& events) {
  QByteArray lines;
  for (const auto& event : events) lines += QByteArray::fromStdString(wire::encodeEvent(event)) + '\n';
  return lines;
}

inline bool putRuns(const std::filesystem::path& home) {
  const double rates[] = {1'676, 2'107, 1'890};
  const nlohmann::json keys[] = {{{"model", "cnn"}, {"batch", 128}},
                                 {{"model", "cnn"}, {"batch", 128}, {"channels_last", true}},
                                 {{"model", "cnn"}, {"batch", 256}, {"precision", "bf16"}}};
  for (int i = 0; i < 3; ++i) {
    const auto id = kRunIds[i].toStdString();
    auto writer = registry::RunWriter::create(home, id, fullSpec(keys[i]), machineJson());
    if (!writer) return false;
    const Recording recording(id, fullSpec(keys[i]), rates[i], i);
    for (const auto& event : recording.events())
      if (!(*writer)->append(wire::encodeEvent(event))) return false;
    if (!(*writer)->finish(summaryOf(id, rates[i]))) return false;
  }
  auto registry = registry::Registry::open(home);
  return registry && (*registry)->putRace(kRaceId, raceOf()).ok() && (*registry)->putSweep(sweepOf()).ok() &&
         (*registry)->label(kRunIds[0].toStdString(), {"baseline", "as it comes", {"class"}, true}).ok();
}

inline bool putClass(const QString& folder) {
  const char* const names[] = {"Ada", "Grace", "Alan", "Barbara", "Edsger", "Margaret", "Donald", "Radia", "Ken", "Frances"};
  bool all = QDir().mkpath(folder);
  for (int i = 0; i < 10; ++i)
    all = putResults(folder, names[i], 1.1 + 0.09 * i, i < 2 ? "no-difference" : "faster", kDay + i * 60'000, i != 3) && all;
  return all;
}

// An engine that answers "describe" and "script", and says what is in events.<verb> once it has read its spec.
inline QString putEngine(const QString& folder) {
  const auto spec = fullSpec({{"model", "cnn"}});
  auto race = Recording(kRunIds[0].toStdString(), spec, 1'676, 1, "a").events();
  const auto b = Recording(kRunIds[1].toStdString(), spec, 2'107, 2, "b").events();
  race.insert(race.end(), b.begin(), b.end());
  race.push_back({0, 6'600'000'000, "", wire::RaceUpdated{{1.26, 1.15, 1.34, 9}, "faster", 9, 1, 10, "b", true}});
  race.push_back({0, 6'700'000'000, "", wire::RaceFinished{raceOf()}});
  const auto run = linesOf(Recording(kRunIds[0].toStdString(), spec, 1'676, 1).events());
  putFile(folder + "/describe.json", description());
  putFile(folder + "/script.json", R"({"script":"import torch\n\nBATCH = 128\n\nprint(torch.__version__)\n"})");
  putFile(folder + "/events.run", run);
  putFile(folder + "/events.script", run);
  putFile(folder + "/events.race", linesOf(race));
  putFile(folder + "/events.sweep", linesOf({{0, 0, "", wire::SweepStarted{kSweepId, sweepOf().axes, 6}},
                                             {0, 1'000'000'000, "", wire::SweepFinished{sweepOf()}}}));
  const auto path = folder + "/engine";
  putFile(path,
          "#!/bin/sh\n"
          "here=$(dirname \"$0\")\n"
          "case \"$1\" in describe) cat \"$here/describe.json\"; exit 0;; esac\n"
          "case \" $* \" in *\" --events \"*) ;; *) cat \"$here/$1.json\"; exit 0;; esac\n"
          "read -r spec\n"
          "cat \"$here/events.$1\"\n");
  QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return path;
}

// What would be shown by another program goes to the taker's slot takeUrl(QUrl).
inline void openNothing(QObject* taker) {
  for (const auto& scheme : {QStringLiteral("file"), QStringLiteral("http"), QStringLiteral("https")})
    QDesktopServices::setUrlHandler(scheme, taker, "takeUrl");
}

class WholeWindow {
 public:
  explicit WholeWindow(const std::string& language = "en", Theme::Mode mode = Theme::Mode::Light)
      : home(folder.filePath(QStringLiteral("home"))),
        ready(prepare()),
        engine(putEngine(folder.path()), home),
        desk(engine),
        theme(mode),
        words(language),
        learn({desk, words, std::filesystem::path(ATELIER_COURSE_DIR), home.toStdString(), QStringLiteral("Ada")}),
        desktop{theme, words, desk, learn, settings, home.toStdString()} {
    settings.set(QStringLiteral("class/folder"), folder.filePath(QStringLiteral("class")));
    learn.setSchema(fullSchema());
    learn.setMachine(machineJson());
    window = std::make_unique<MainWindow>(desktop);
  }

  void show(const QSize& size) {
    window->resize(size);
    window->show();
    QVERIFY(QTest::qWaitForWindowExposed(window.get()));
    settle();
  }
  // Until what was asked for stands there: layouts, and what is read on another thread.
  void settle(int rounds = 3) {
    for (int i = 0; i < rounds; ++i) {
      QTest::qWait(20);
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
  }
  // False when there is no such action, or it can't be used now.
  bool trigger(const char* id) {
    for (auto* action : window->findChildren<QAction*>(QLatin1String(id)))
      if (action->isEnabled()) {
        action->trigger();
        return true;
      }
    return false;
  }
  // Runs that were deleted, from the trash.
  void bringBack() {
    for (const auto& id : kRunIds) {
      if (QDir(home + "/runs/" + id).exists()) continue;
      auto opened = registry::Registry::open(home.toStdString());
      QVERIFY(opened && (*opened)->restore(id.toStdString()));
    }
  }
  ExperimentsView* experiments() { return window->findChild<ExperimentsView*>(); }

  QTemporaryDir folder;
  QString home;
  bool ready = false;
  EngineClient engine;
  RunDesk desk;
  Theme theme;
  Words words;
  Settings settings{QString()};
  LearnModel learn;
  Desktop desktop;
  std::unique_ptr<MainWindow> window;

 private:
  bool prepare() {
    isolate(folder);
    return QDir().mkpath(home) && putRuns(home.toStdString()) && putClass(folder.filePath(QStringLiteral("class")));
  }
};

// A place in the window, and how one gets there.
struct Place {
  const char* name;
  std::function<void(WholeWindow&)> go;
};

inline void goToPage(WholeWindow& whole, ExperimentsView::Page page) {
  QVERIFY(whole.window->showView("experiments"));
  whole.experiments()->setPage(page);
}

inline const std::vector<Place>& places() {
  static const std::vector<Place> all{{"learn-question",
                                       [](WholeWindow& whole) {
                                         QVERIFY(whole.window->showView("learn"));
                                         whole.learn.goTo(0);
                                       }},
                                      {"learn-experiment",
                                       [](WholeWindow& whole) {
                                         QVERIFY(whole.window->showView("learn"));
                                         whole.learn.goTo(1);
                                       }},
                                      {"runs",
                                       [](WholeWindow& whole) {
                                         goToPage(whole, ExperimentsView::Runs);
                                         auto& runs = whole.experiments()->runs();
                                         QTRY_VERIFY_WITH_TIMEOUT(runs.library().loaded() && !runs.library().loading(),
                                                                  kPatience);
                                         runs.table().choose(kRunIds);
                                       }},
                                      {"race",
                                       [](WholeWindow& whole) {
                                         goToPage(whole, ExperimentsView::Race);
                                         QVERIFY(whole.experiments()->race().openRace(QLatin1String(kRaceId)));
                                       }},
                                      {"sweep",
                                       [](WholeWindow& whole) {
                                         goToPage(whole, ExperimentsView::Sweep);
                                         QVERIFY(whole.window->findChild<SweepPage*>()->openSweep(QLatin1String(kSweepId)));
                                       }},
                                      {"class",
                                       [](WholeWindow& whole) {
                                         QVERIFY(whole.window->showView("class"));
                                         auto* view = whole.window->findChild<ClassView*>();
                                         QVERIFY(view);
                                         QTRY_VERIFY_WITH_TIMEOUT(view->book().loaded(), kPatience);
                                       }},
                                      {"checklist",
                                       [](WholeWindow& whole) {
                                         QVERIFY(whole.window->showView("checklist"));
                                         auto* view = whole.window->findChild<ChecklistView*>();
                                         QVERIFY(view);
                                         QTRY_VERIFY_WITH_TIMEOUT(view->book().loaded() && !view->book().reading(), kPatience);
                                         view->choose(2);
                                       }},
                                      {"formats", [](WholeWindow& whole) {
                                         QVERIFY(whole.window->showView("formats"));
                                         auto* view = whole.window->findChild<FormatsView*>();
                                         QVERIFY(view);
                                         QTRY_VERIFY_WITH_TIMEOUT(view->source().loaded(), kPatience);
                                       }}};
  return all;
}

}  // namespace atelier::app::testing
