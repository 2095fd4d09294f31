// Recorded runs made for tests: in memory, in a home, and as the record that a lab brings.
#pragma once

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <string>
#include <vector>

#include "app/models/learn_model.h"
#include "app/models/recording.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/run/engine_client.h"
#include "app/shell/theme.h"
#include "app/shell/view.h"
#include "core/registry/archive.h"
#include "core/registry/registry.h"

namespace atelier::app {

inline constexpr std::int64_t kSecond = 1'000'000'000;

inline wire::RunEvent eventAt(double seconds, wire::EventBody body, const std::string& variant = {}) {
  wire::RunEvent event;
  event.t = static_cast<std::int64_t>(seconds * static_cast<double>(kSecond));
  event.variant = variant;
  event.body = std::move(body);
  return event;
}

inline wire::Progress progressOf(std::int64_t step, double rate) {
  wire::Progress progress;
  progress.step = step;
  progress.planned_steps = 10;
  progress.samples_per_second = rate;
  return progress;
}

inline wire::RunSummary summaryOf(const std::string& id, const std::string& variant = {}) {
  wire::RunSummary summary;
  summary.id = id;
  summary.variant = variant;
  summary.blocks = 10;
  summary.samples_per_second = wire::Interval{2000, 1950, 2050, 10};
  summary.stages = {100, 400, 300, 190, 10, 1000};
  return summary;
}

// Ten seconds: a step each, a block at 4 and at 8.
inline std::vector<wire::RunEvent> tenSeconds(const std::string& id, const std::string& variant = {}) {
  std::vector<wire::RunEvent> events;
  wire::RunStarted started;
  started.run_id = id;
  events.push_back(eventAt(0, started, variant));
  for (int second = 1; second <= 9; ++second) {
    events.push_back(eventAt(second, progressOf(second, 2000), variant));
    wire::BlockDone block;
    block.block = second / 4;
    block.seconds = 4;
    block.samples_per_second = 2000;
    if (second % 4 == 0) events.push_back(eventAt(second, block, variant));
  }
  events.push_back(eventAt(10, wire::RunFinished{summaryOf(id, variant)}, variant));
  return events;
}

inline registry::ArchivedRun archivedRun(const std::string& id, const std::string& variant = {}) {
  registry::ArchivedRun run;
  run.record.id = id;
  run.record.created_ms = 1'796'000'000'000;
  run.record.summary = summaryOf(id, variant);
  run.environment = {{"cpu", "Example CPU"}, {"gpus", nlohmann::json::array({"Example GPU"})}};
  run.events = tenSeconds(id, variant);
  return run;
}

// Writes the run into a home as the engine would.
inline bool recordRun(const std::filesystem::path& home, const std::string& id) {
  auto writer = registry::RunWriter::create(home, id, {{"batch", 128}},
                                            {{"cpu", "Example CPU"}, {"gpus", nlohmann::json::array({"Example GPU"})}});
  if (!writer) return false;
  for (const auto& event : tenSeconds(id))
    if (!(*writer)->append(wire::encodeEvent(event))) return false;
  return (*writer)->finish(summaryOf(id)).ok();
}

// A home, a course that brings a record of the step "baseline", and an engine that says what its file says.
class Workshop {
 public:
  static constexpr auto kOwn = "20261130-104512-3f9a1c";
  static constexpr auto kLab = "20261129-104512-3f9a1c";

  Workshop() : m_client(program(), home()), m_desk(m_client), m_settings(QString()) {
    namespace fs = std::filesystem;
    fs::copy(fs::path(ATELIER_COURSE_DIR), course(), fs::copy_options::recursive);
    const auto folder = course() / "day1-morning/measure-first/recorded";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const fs::path elsewhere = path("elsewhere").toStdString();
    if (!recordRun(elsewhere, kLab)) qFatal("no run could be recorded");
    auto store = registry::Registry::open(elsewhere);
    if (!store || !registry::exportRuns(**store, {kLab}, folder / "baseline.atelier")) qFatal("no archive could be written");
  }

  QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
  QString home() const { return path("home"); }
  std::filesystem::path course() const { return path("course").toStdString(); }
  RunDesk& desk() { return m_desk; }
  Words& words() { return m_words; }
  LearnModel::Parts parts() { return {m_desk, m_words, course(), home().toStdString(), QString()}; }
  Desktop desktop(Theme& theme, LearnModel& learn) { return {theme, m_words, m_desk, learn, m_settings, home().toStdString()}; }
  void engineSays(const wire::EventBody& body) {
    QFile file(path("events"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no file for the engine");
    file.write(QByteArray::fromStdString(wire::encodeEvent(eventAt(0.1, body))) + '\n');
  }

 private:
  QString program() {
    const auto engine = path("engine");
    QFile script(engine);
    if (script.open(QIODevice::WriteOnly)) script.write("#!/bin/sh\nread -r spec\ncat \"$(dirname \"$0\")/events\"\n");
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return engine;
  }

  QTemporaryDir m_folder;
  EngineClient m_client;
  RunDesk m_desk;
  Words m_words{"en"};
  Settings m_settings;
};

inline wire::Schema schemaOfLab() {
  auto schema = wire::Schema::build({wire::integerOption("batch", 128, 1, 4096), wire::integerOption("threads", 0, 0, 256)});
  return schema ? *schema : wire::Schema();
}

}  // namespace atelier::app
