// A window's objects over a home of their own and the real course, with an engine that is not there: for what needs no run.
#pragma once

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/run/engine_client.h"
#include "app/shell/theme.h"
#include "app/shell/view.h"
#include "core/registry/run_id.h"
#include "core/wire/summary.h"
#include "labs/class/results.h"
#include "labs/load.h"
#include "labs/session.h"

namespace atelier::app {

inline constexpr int kPatience = 10'000;

// Environment that would let a test see, or change, what belongs to the person who runs it.
inline void isolate(const QTemporaryDir& folder) {
  qputenv("XDG_CONFIG_HOME", folder.filePath(QStringLiteral("config")).toUtf8());
  qunsetenv("ATELIER_HOME");
}

struct Workplace {
  // "" remembers nothing.
  explicit Workplace(const QString& ini = {}, std::filesystem::path course = ATELIER_COURSE_DIR)
      : engine(folder.filePath(QStringLiteral("no-engine")), folder.path()),
        desk(engine),
        settings(ini),
        learn({desk, words, std::move(course), folder.path().toStdString(), QString()}),
        desktop{theme, words, desk, learn, settings, folder.path().toStdString()} {
    isolate(folder);
  }
  QString file(const char* name) const { return folder.filePath(QLatin1String(name)); }

  QTemporaryDir folder;
  EngineClient engine;
  RunDesk desk;
  Theme theme{Theme::Mode::Light};
  Words words{"en"};
  Settings settings;
  LearnModel learn;
  Desktop desktop;
};

// The first step of the lab that asks what a race will come to; "" when there is none.
inline std::string predictedRace(const lab::Lab& lab) {
  for (const auto& step : lab.steps)
    if (step.prediction && step.experiment && step.experiment->verb == "race") return step.id;
  return {};
}

inline lab::Outcome raceOutcome(double ratio, const std::string& verdict, const std::string& run) {
  wire::RaceSummary race;
  race.ratio = wire::Interval{ratio, ratio - 0.05, ratio + 0.05, 10};
  race.verdict = verdict;
  return {"race", wire::toJson(race), {run}};
}

inline std::string runAt(std::int64_t unix_ms) {
  return registry::utcStamp(unix_ms / 1000) + "-000abc";
}

// Results of one learner in the first lab, active at that time, as their own window would leave them. `ahead`: with the first
// run done, which the others stand at.
inline bool putResults(const QString& folder, const std::string& learner, double ratio, const std::string& verdict,
                       std::int64_t unix_ms, bool ahead) {
  const auto course = lab::loadCourse(ATELIER_COURSE_DIR, "en");
  const auto* first = course.find("1.1");
  if (!first) return false;
  lab::LabSession session(*first);
  const auto race = predictedRace(*first);
  const auto run = std::find_if(first->steps.begin(), first->steps.end(),
                                [](const lab::Step& step) { return step.experiment && step.experiment->verb == "run"; });
  if (race.empty() || run == first->steps.end()) return false;
  session.predict(race, ratio * 1.1);
  session.record(race, raceOutcome(ratio, verdict, runAt(unix_ms)));
  wire::RunSummary summary;
  summary.id = runAt(unix_ms);
  summary.samples_per_second = wire::Interval{2000, 1950, 2050, 10};
  if (ahead) session.record(run->id, {"run", wire::toJson(summary), {summary.id}});
  const nlohmann::json machine{{"cpu", "Example CPU of " + learner}, {"cores", 4}};
  const lab::ResultsAbout about{learner, "", machine, unix_ms};
  return lab::writeResults(folder.toStdString(), session, about).ok();
}

}  // namespace atelier::app
