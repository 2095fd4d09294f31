#include "replay_texts.h"

#include <QDateTime>
#include <QStringList>

#include "words.h"

namespace atelier::app {

namespace {

std::string member(const nlohmann::json& environment, const char* key) {
  if (!environment.is_object()) return {};
  const auto found = environment.find(key);
  return found != environment.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string gpus(const nlohmann::json& environment) {
  QStringList names;
  if (!environment.is_object()) return {};
  const auto found = environment.find("gpus");
  if (found != environment.end() && found->is_array())
    for (const auto& name : *found)
      if (name.is_string()) names << QString::fromStdString(name.get<std::string>());
  return names.join(QStringLiteral(", ")).toStdString();
}

std::string day(std::int64_t milliseconds) {
  if (milliseconds <= 0) return "—";
  return QDateTime::fromMSecsSinceEpoch(milliseconds).date().toString(Qt::ISODate).toStdString();
}

}  // namespace

QString replayMark(const Words& words, double speed) {
  return words.text(wire::Message{"replay.mark", {{"speed", words.format().compact(speed)}}});
}

QString replayMark(const Words& words) {
  return words.text("replay.mark.still");
}

QString recordedOn(const Words& words, const Recording& recording) {
  const auto& track = recording.tracks.front();
  auto cpu = member(track.environment, "cpu");
  if (cpu.empty()) cpu = words.catalog().text("replay.unknown_machine");
  const auto gpu = gpus(track.environment);
  const auto date = day(track.run.created_ms);
  if (gpu.empty()) return words.text(wire::Message{"replay.recorded", {{"cpu", cpu}, {"date", date}}});
  return words.text(wire::Message{"replay.recorded_gpu", {{"cpu", cpu}, {"gpu", gpu}, {"date", date}}});
}

QString recordingTitle(const Words& words, const Recording& recording) {
  const auto& run = recording.tracks.front().run;
  const auto count = words.format().integer(static_cast<std::int64_t>(recording.tracks.size()));
  const auto name = run.labels.name.empty() ? run.id : run.labels.name;
  switch (recording.kind) {
    case Recording::Kind::Race:
      return words.text(wire::Message{"replay.title.race", {{"name", name}, {"count", count}}});
    case Recording::Kind::Sweep:
      return words.text(wire::Message{"replay.title.sweep", {{"count", count}}});
    case Recording::Kind::Several:
      return words.text(wire::Message{"replay.title.several", {{"count", count}}});
    case Recording::Kind::Run:
      break;
  }
  return QString::fromStdString(name);
}

QString replayTime(const Words& words, std::int64_t position, std::int64_t length) {
  const auto seconds = [](std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; };
  // Whole seconds: a tenth that changes ten times a second is no help to anybody.
  const auto at = words.format().integer(position / 1'000'000'000);
  return words.text(wire::Message{"replay.time", {{"at", at}, {"length", words.format().duration(seconds(length))}}});
}

}  // namespace atelier::app
