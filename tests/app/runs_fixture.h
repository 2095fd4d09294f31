// What the tests of the Experiments view share: runs with round figures, on disk or not, an engine that says what is in its
// file, and a desktop around it in a home that is removed afterwards.
#pragma once

#include <QFile>
#include <QTemporaryDir>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/run_library.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/run/engine_client.h"
#include "app/shell/theme.h"
#include "app/shell/view.h"
#include "core/registry/registry.h"

namespace atelier::app::testing {

constexpr int kPatience = 20'000;

inline wire::Schema runSchema() {
  auto schema =
      wire::Schema::build({wire::choiceOption("model", {"cnn", "mlp"}), wire::integerOption("batch", 128, 1, 4096),
                           wire::booleanOption("channels_last", false), wire::choiceOption("precision", {"fp32", "bf16"}),
                           wire::integerOption("seed", 0, 0, 1'000'000)});
  return schema ? *schema : wire::Schema();
}

inline nlohmann::json specOf(int batch = 128, const std::string& precision = "fp32") {
  return {{"model", "cnn"}, {"batch", batch}, {"channels_last", false}, {"precision", precision}, {"seed", 0}};
}

inline wire::RunSummary summaryOf(const std::string& id, double rate) {
  wire::RunSummary summary;
  summary.id = id;
  summary.steps = 20;
  summary.blocks = 10;
  summary.samples_per_second = wire::Interval{rate, rate - 10, rate + 10, 10};
  summary.step_p50 = 1000 * 128 / rate;
  summary.peak_memory_bytes.total = 412LL << 20;
  summary.peak_memory_bytes.weights = 12LL << 20;
  summary.accuracy = 0.881;
  summary.loss = 0.25;
  return summary;
}

inline wire::RunEvent eventAt(double seconds, wire::EventBody body) {
  wire::RunEvent event;
  event.t = static_cast<std::int64_t>(seconds * 1e9);
  event.body = std::move(body);
  return event;
}

inline std::vector<wire::RunEvent> eventsOf(const std::string& id, const nlohmann::json& spec, double rate) {
  wire::RunStarted started;
  started.run_id = id;
  started.spec = spec;
  started.environment = {{"cpu", "Example CPU"}, {"threads", 2}};
  started.planned_steps = 20;
  std::vector<wire::RunEvent> events{eventAt(0, started)};
  for (int step = 1; step <= 20; ++step) {
    wire::Progress progress;
    progress.step = step;
    progress.planned_steps = 20;
    progress.samples_per_second = rate;
    events.push_back(eventAt(0.1 * step, progress));
  }
  return events;
}

// A whole run, as the engine records it; its id.
inline std::string writeRun(const std::filesystem::path& home, const nlohmann::json& spec = specOf(), double rate = 2000) {
  const auto id = registry::makeRunId();
  auto writer = registry::RunWriter::create(home, id, spec, {{"cpu", "Example CPU"}});
  if (!writer) return "";
  for (const auto& event : eventsOf(id, spec, rate))
    if (!(*writer)->append(wire::encodeEvent(event))) return "";
  return (*writer)->finish(summaryOf(id, rate)) ? id : "";
}

// One that is on no disk.
inline RunPtr makeRun(const std::string& id, const nlohmann::json& spec = specOf(), double rate = 2000) {
  auto run = std::make_shared<registry::RunRecord>();
  run->id = id;
  run->created_ms = 1'700'000'000'000;
  run->spec = spec;
  run->summary = summaryOf(id, rate);
  return run;
}

// Keeps its arguments and its spec, and says what says() was told.
class FakeEngine {
 public:
  FakeEngine() : m_client(program(), m_folder.path()) {}
  std::filesystem::path home() const { return m_folder.path().toStdString(); }
  EngineClient& client() { return m_client; }
  void says(const std::vector<wire::RunEvent>& events) {
    QFile file(m_folder.filePath(QStringLiteral("events")));
    if (!file.open(QIODevice::WriteOnly)) return;
    for (const auto& event : events) file.write(QByteArray::fromStdString(wire::encodeEvent(event)) + '\n');
  }
  nlohmann::json spec() const {
    QFile file(m_folder.filePath(QStringLiteral("spec")));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return nlohmann::json::parse(file.readAll().toStdString(), nullptr, false);
  }

 private:
  QString program() {
    const auto path = m_folder.filePath(QStringLiteral("engine"));
    QFile script(path);
    if (script.open(QIODevice::WriteOnly))
      script.write(
          "#!/bin/sh\nhere=$(dirname \"$0\")\nread -r spec\nprintf '%s' \"$spec\" > \"$here/spec\"\ncat \"$here/events\"\n");
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
  }

  QTemporaryDir m_folder;
  EngineClient m_client;
};

struct Bench {
  FakeEngine engine;
  Theme theme{Theme::Mode::Light};
  Words words{"en"};
  Settings settings{QString()};
  RunDesk desk{engine.client()};
  LearnModel learn{{desk, words, std::filesystem::path(ATELIER_SOURCE_DIR) / "labs/course", engine.home(), QString()}};
  Desktop desktop{theme, words, desk, learn, settings, engine.home()};

  Bench() { learn.setSchema(runSchema()); }
  std::unique_ptr<registry::Registry> open() const {
    auto opened = registry::Registry::open(engine.home());
    return opened ? std::move(*opened) : nullptr;
  }
};

}  // namespace atelier::app::testing
