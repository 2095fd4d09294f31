#include "recording.h"

#include <QStringList>

#include <algorithm>
#include <utility>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "labs/event_notes.h"

namespace atelier::app {

namespace {

// A record of unknown origin may say any time: beyond a week nothing is believed, so that no sum of times overflows.
constexpr std::int64_t kLongest = 7LL * 24 * 3600 * 1'000'000'000;

std::string raceOf(const registry::ArchivedRun& run) {
  return run.record.race.empty() ? wire::textAt(run.environment, "race") : run.record.race;
}

// The id that all runs have, or "".
template <class Of>
std::string shared(const std::vector<registry::ArchivedRun>& runs, Of of) {
  const auto first = of(runs.front());
  const bool all = std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return of(run) == first; });
  return all ? first : std::string();
}

Recording::Kind kindOf(const std::vector<registry::ArchivedRun>& runs) {
  if (runs.size() == 1) return Recording::Kind::Run;
  if (!shared(runs, raceOf).empty()) return Recording::Kind::Race;
  const auto sweep = shared(runs, [](const auto& run) { return wire::textAt(run.environment, "sweep"); });
  return sweep.empty() ? Recording::Kind::Several : Recording::Kind::Sweep;
}

QString plainName(const registry::RunRecord& run) {
  return QString::fromStdString(run.labels.name.empty() ? run.id : run.labels.name);
}

// "batch=64 precision=bf16": as the command line writes a point.
QString pointName(const registry::ArchivedRun& run) {
  QStringList parts;
  const auto found = run.environment.find("sweep_point");
  if (found != run.environment.end() && found->is_object())
    for (const auto& [key, value] : found->items())
      parts << QString::fromStdString(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  return parts.isEmpty() ? plainName(run.record) : parts.join(QLatin1Char(' '));
}

QString labelOf(const registry::ArchivedRun& run, Recording::Kind kind) {
  if (kind == Recording::Kind::Sweep) return pointName(run);
  const auto& variant = run.record.summary.variant;
  if (kind == Recording::Kind::Race && !variant.empty()) return QString::fromStdString(variant).toUpper();
  return kind == Recording::Kind::Run ? QStringLiteral("A") : plainName(run.record);
}

void sortRuns(std::vector<registry::ArchivedRun>& runs, Recording::Kind kind) {
  std::sort(runs.begin(), runs.end(), [kind](const auto& one, const auto& other) {
    const auto& a = one.record;
    const auto& b = other.record;
    if (kind == Recording::Kind::Race && a.summary.variant != b.summary.variant) return a.summary.variant < b.summary.variant;
    return std::pair(a.created_ms, a.id) < std::pair(b.created_ms, b.id);
  });
}

// What a race said as a whole stands in the records of all its runs: it is taken once.
bool belongs(const wire::RunEvent& event, const registry::ArchivedRun& run, std::size_t track, Recording::Kind kind) {
  if (event.variant.empty()) return kind != Recording::Kind::Race || track == 0 || run.record.summary.variant.empty();
  return run.record.summary.variant.empty() || event.variant == run.record.summary.variant;
}

void takeEvents(Recording& recording, registry::ArchivedRun& run, std::size_t track, std::int64_t offset) {
  for (auto& event : run.events) {
    if (!belongs(event, run, track, recording.kind)) continue;
    event.t = std::clamp<std::int64_t>(event.t, 0, kLongest);
    if (const auto* raced = std::get_if<wire::RaceFinished>(&event.body); raced && recording.kind == Recording::Kind::Race)
      recording.race = raced->race;
    recording.events.push_back({offset + event.t, track, std::move(event)});
  }
}

std::int64_t lengthOf(const registry::ArchivedRun& run) {
  std::int64_t last = 0;
  for (const auto& event : run.events) last = std::max(last, std::clamp<std::int64_t>(event.t, 0, kLongest));
  return last;
}

wire::Result<registry::ArchivedRun> archivedRun(registry::Registry& store, const std::string& id) {
  auto record = store.find(id);
  if (!record) return record.error();
  auto events = store.events(record->id);
  if (!events) return events.error();
  registry::ArchivedRun run;
  if (const auto text = registry::readWhole(record->folder / "environment.json"))
    if (const auto environment = wire::parseJson(*text)) run.environment = *environment;
  run.record = std::move(*record);
  run.events = std::move(*events);
  return run;
}

wire::Result<Recording> recorded(registry::Registry& store, const std::vector<std::string>& ids) {
  std::vector<registry::ArchivedRun> runs;
  for (const auto& id : ids) {
    auto run = archivedRun(store, id);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  if (!runs.empty() && !runs.front().record.race.empty())
    if (const auto race = store.race(runs.front().record.race)) runs.front().race = *race;
  return assemble(std::move(runs));
}

// Those of the runs that are still there: a race of which one run was deleted is still worth seeing.
wire::Result<Recording> whatIsLeft(registry::Registry& store, const std::vector<std::string>& ids) {
  std::vector<std::string> left;
  for (const auto& id : ids)
    if (!id.empty() && store.find(id)) left.push_back(id);
  if (left.empty()) return wire::Error{wire::ExitCode::Usage, wire::Message{"replay.runs_gone"}};
  return recorded(store, left);
}

std::vector<std::string> idsOf(const wire::RaceSummary& race) {
  std::vector<std::string> ids;
  for (const auto* run : race.runs()) ids.push_back(run->id);
  return ids;
}

std::vector<std::string> idsOf(const wire::SweepSummary& sweep) {
  std::vector<std::string> ids;
  for (const auto& point : sweep.points) ids.push_back(point.summary.id);
  return ids;
}

}  // namespace

wire::Result<Recording> assemble(std::vector<registry::ArchivedRun> runs) {
  const wire::Error nothing{wire::ExitCode::Failed, wire::Message{"replay.no_events"}};
  if (runs.empty()) return nothing;
  Recording recording;
  recording.kind = kindOf(runs);
  sortRuns(runs, recording.kind);
  std::int64_t offset = 0;
  for (std::size_t track = 0; track < runs.size(); ++track) {
    auto& run = runs[track];
    const auto length = lengthOf(run);
    if (run.race && recording.kind == Recording::Kind::Race) recording.race = run.race;
    takeEvents(recording, run, track, offset);
    if (recording.kind == Recording::Kind::Sweep) offset += length;
    recording.tracks.push_back({labelOf(run, recording.kind), std::move(run.record), std::move(run.environment)});
  }
  if (recording.events.empty()) return nothing;
  std::stable_sort(recording.events.begin(), recording.events.end(),
                   [](const RecordedEvent& a, const RecordedEvent& b) { return a.at < b.at; });
  return recording;
}

wire::Result<Recording> recordingIn(const std::filesystem::path& file) {
  auto runs = registry::readArchive(file);
  if (!runs) return runs.error();
  return assemble(std::move(*runs));
}

wire::Result<Recording> recordingOf(const std::filesystem::path& home, const std::vector<std::string>& ids) {
  auto store = registry::Registry::open(home);
  if (!store) return store.error();
  return recorded(**store, ids);
}

wire::Result<Recording> findRecording(const std::filesystem::path& home, const std::string& what) {
  std::error_code none;
  if (std::filesystem::exists(what, none)) return recordingIn(what);
  auto opened = registry::Registry::open(home);
  if (!opened) return opened.error();
  auto& store = **opened;
  auto run = store.find(what);
  if (!run) {
    if (const auto race = store.race(what)) return whatIsLeft(store, idsOf(*race));
    if (const auto sweep = store.sweep(what)) return whatIsLeft(store, idsOf(*sweep));
    return run.error();
  }
  if (!run->race.empty())
    if (const auto race = store.race(run->race)) return whatIsLeft(store, idsOf(*race));
  return recorded(store, {run->id});
}

wire::Status checkRecording(const std::filesystem::path& home, const std::string& what) {
  std::error_code none;
  if (std::filesystem::exists(what, none)) return wire::success();
  auto store = registry::Registry::open(home);
  if (!store) return store.error();
  const auto run = (*store)->find(what);
  if (run || (*store)->race(what) || (*store)->sweep(what)) return wire::success();
  return run.error();
}

std::optional<lab::Outcome> outcomeOf(const Recording& recording) {
  lab::Outcome outcome;
  lab::EventNotes notes;
  for (const auto& recorded : recording.events) notes.take(recorded.event);
  bool done = true;
  for (const auto& track : recording.tracks) {
    outcome.run_ids.push_back(track.run.id);
    done = done && track.run.summary.status == "done";
  }
  if (!done) return std::nullopt;
  if (recording.kind == Recording::Kind::Run) {
    outcome.verb = "run";
    outcome.result = wire::toJson(recording.tracks.front().run.summary);
    notes.addTo(outcome.result);
    return outcome;
  }
  if (recording.kind != Recording::Kind::Race || !recording.race) return std::nullopt;
  outcome.verb = "race";
  outcome.result = wire::toJson(*recording.race);
  notes.addTo(outcome.result);
  return outcome;
}

RunSeries seriesOf(const Recording& recording, std::size_t track) {
  RunSeries series(recording.tracks[track].label, static_cast<int>(track));
  for (const auto& recorded : recording.events)
    if (recorded.track == track) series.take(recorded.event);
  return series;
}

}  // namespace atelier::app
