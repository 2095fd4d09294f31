#include "race_model.h"

#include <algorithm>
#include <utility>

#include "core/registry/registry.h"
#include "core/registry/run_folder.h"
#include "core/wire/run_spec.h"
#include "spec_edit.h"

namespace atelier::app {

namespace {

constexpr std::size_t kKeptNotices = 4;

std::string variantName(std::size_t index) {
  return std::string(1, static_cast<char>('a' + index));
}

bool ofTheRace(const wire::EventBody& body) {
  return std::holds_alternative<wire::RaceUpdated>(body) || std::holds_alternative<wire::RaceFinished>(body);
}

}  // namespace

RaceModel::RaceModel(RunDesk& desk, std::filesystem::path home, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_specs(kFewest, nlohmann::json::object()), m_job(desk) {
  connect(&m_job, &JobWatch::event, this, &RaceModel::take);
  connect(&m_job, &JobWatch::tick, this, &RaceModel::tick);
  connect(&m_job, &JobWatch::stateChanged, this, &RaceModel::changed);
}

void RaceModel::setSpecs(std::vector<nlohmann::json> specs) {
  if (specs.empty()) specs.emplace_back(nlohmann::json::object());
  if (specs.size() > kMost) specs.resize(kMost);
  while (specs.size() < kFewest) {
    auto same = specs.front();
    specs.push_back(std::move(same));
  }
  m_specs = std::move(specs);
  Q_EMIT setupChanged();
}

void RaceModel::setSpec(std::size_t variant, const nlohmann::json& spec) {
  if (variant >= m_specs.size() || m_specs[variant] == spec) return;
  std::vector<nlohmann::json> differences;
  for (std::size_t i = 0; i < m_specs.size(); ++i) differences.push_back(difference(i));
  m_specs[variant] = spec;
  // The others go on to do otherwise what they did otherwise than A, and nothing else.
  for (std::size_t i = 1; variant == 0 && i < m_specs.size(); ++i) {
    m_specs[i] = spec;
    m_specs[i].update(differences[i]);
  }
  Q_EMIT setupChanged();
}

void RaceModel::setShared(const std::string& key, const nlohmann::json& value) {
  for (auto& spec : m_specs) spec[key] = value;
  Q_EMIT setupChanged();
}

wire::Value RaceModel::shared(const std::string& key) const {
  const auto* option = m_schema.find(key);
  const auto& a = m_specs.front();
  if (!a.contains(key)) return option->fallback;
  const auto read = wire::readValue(*option, a[key]);
  return read ? *read : option->fallback;
}

void RaceModel::add() {
  if (m_specs.size() >= kMost) return;
  auto last = m_specs.back();
  m_specs.push_back(std::move(last));
  Q_EMIT setupChanged();
}

void RaceModel::remove(std::size_t variant) {
  if (variant == 0 || variant >= m_specs.size() || m_specs.size() <= kFewest) return;
  m_specs.erase(m_specs.begin() + static_cast<std::ptrdiff_t>(variant));
  Q_EMIT setupChanged();
}

nlohmann::json RaceModel::difference(std::size_t variant) const {
  return specDifference(m_schema, m_specs.front(), m_specs.at(variant));
}

std::vector<wire::Message> RaceModel::mistakes() const {
  std::vector<wire::Message> all;
  for (const auto& spec : m_specs) {
    const auto parsed = wire::RunSpec::parse(m_schema, spec);
    if (parsed) continue;
    for (const auto& message : parsed.error().messages)
      if (std::find(all.begin(), all.end(), message) == all.end()) all.push_back(message);
  }
  return all;
}

EngineCommand RaceModel::command() const {
  EngineCommand command;
  command.verb = "race";
  command.spec = m_specs.front();
  for (std::size_t i = 1; i < m_specs.size(); ++i) {
    auto other = difference(i);
    // A variant that does nothing otherwise is still one: without a word of its own it would be no variant at all.
    if (other.empty() && m_specs.size() > kFewest && m_schema.find("model")) other["model"] = wire::valueJson(shared("model"));
    command.others.push_back(std::move(other));
  }
  return command;
}

bool RaceModel::canRun() const {
  return m_job.idle() && !m_schema.options().empty() && mistakes().empty();
}

void RaceModel::run(const QString& label) {
  if (!canRun()) return;
  begin(m_specs.size());
  m_job.submit({command(), label, QStringLiteral("experiments")});
}

void RaceModel::begin(std::size_t variants) {
  // The views still show the old runs: these go when the views were told.
  auto old = std::exchange(m_runs, {});
  for (std::size_t i = 0; i < variants; ++i)
    m_runs.push_back(std::make_unique<RunSeries>(QString(QLatin1Char(static_cast<char>('A' + i))), static_cast<int>(i)));
  m_tracks.clear();
  m_result.reset();
  m_failure.reset();
  m_notices.clear();
  m_interrupted = m_past = false;
  Q_EMIT changed();
}

RunSeries* RaceModel::seriesOf(const std::string& variant) {
  if (variant.size() != 1 || variant[0] < 'a') return nullptr;
  const auto index = static_cast<std::size_t>(variant[0] - 'a');
  return index < m_runs.size() ? m_runs[index].get() : nullptr;
}

void RaceModel::take(const wire::RunEvent& event) {
  if (auto* series = seriesOf(event.variant)) series->take(event);
  if (const auto* updated = std::get_if<wire::RaceUpdated>(&event.body)) takeRatio(*updated);
  else if (const auto* finished = std::get_if<wire::RaceFinished>(&event.body)) m_result = finished->race;
  else if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) {
    m_interrupted = failed->code == wire::ExitCode::Interrupted;
    if (!m_interrupted) m_failure = *failed;
    // It ends the race, not one variant: no curve goes on.
    for (auto& run : m_runs)
      if (event.variant.empty()) run->take(event);
  }
  std::vector<wire::Message> told;
  if (const auto* noticed = std::get_if<wire::Noticed>(&event.body)) told = {noticed->message};
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) told = started->notices;
  if (const auto* done = std::get_if<wire::RunFinished>(&event.body)) {
    told = done->summary.notices;
    m_interrupted = m_interrupted || done->summary.status == "interrupted";
  }
  for (const auto& message : told)
    if (m_notices.size() < kKeptNotices && std::find(m_notices.begin(), m_notices.end(), message) == m_notices.end())
      m_notices.push_back(message);
}

void RaceModel::takeRatio(const wire::RaceUpdated& updated) {
  auto found =
      std::find_if(m_tracks.begin(), m_tracks.end(), [&](const RaceTrack& track) { return track.variant == updated.variant; });
  if (found == m_tracks.end()) found = m_tracks.insert(found, RaceTrack{updated.variant, {}, {}, {}, {}});
  const double measured = updated.pairs + updated.discarded_pairs;
  if (updated.discarded_pairs > found->last.discarded_pairs) found->leftOut.append(measured);
  if (updated.ratio.count > 0) {
    found->median.add(measured, updated.ratio.median);
    found->band.x.append(measured);
    found->band.low.append(updated.ratio.low);
    found->band.high.append(updated.ratio.high);
  }
  found->last = updated;
}

QVector<const RunSeries*> RaceModel::series() const {
  QVector<const RunSeries*> all;
  for (const auto& run : m_runs) all.append(run.get());
  return all;
}

std::map<std::string, int> RaceModel::busyReasons() const {
  std::map<std::string, int> reasons;
  for (const auto& run : m_runs)
    for (const auto& block : run->disturbed())
      if (!block.reason.empty()) ++reasons[block.reason];
  return reasons;
}

bool RaceModel::machineBusy() const {
  if (!m_result)
    return std::any_of(m_tracks.begin(), m_tracks.end(), [](const RaceTrack& track) {
      return track.last.verdict == "machine-busy" && track.last.discarded_pairs > track.last.pairs;
    });
  const auto comparisons = m_result->comparisons();
  return std::any_of(comparisons.begin(), comparisons.end(),
                     [](const wire::Comparison& comparison) { return comparison.verdict == "machine-busy"; });
}

std::vector<nlohmann::json> RaceModel::ranSpecs() const {
  std::vector<nlohmann::json> all;
  for (const auto& run : m_runs)
    if (run->spec().is_object()) all.push_back(run->spec());
  return all;
}

QStringList RaceModel::runIds() const {
  QStringList ids;
  for (const auto& run : m_runs)
    if (!run->runId().isEmpty()) ids << run->runId();
  return ids;
}

std::vector<std::string> RaceModel::pastRaces(std::size_t most) const {
  auto ids = registry::idsIn(m_home / "races", ".json");
  if (ids.size() > most) ids.resize(most);
  return ids;
}

wire::Status RaceModel::open(const std::string& id) {
  if (!m_job.idle()) return wire::Error{wire::ExitCode::Usage, {"racepage.busy"}};
  auto opened = registry::Registry::open(m_home);
  if (!opened) return opened.error();
  auto& store = **opened;
  auto race = store.race(id);
  if (!race) {
    const auto run = store.find(id);
    if (!run || run->race.empty()) return race.error();
    race = store.race(run->race);
    if (!race) return race.error();
  }
  const auto runs = race->runs();
  begin(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // A run deleted since then leaves its figures in the race, and no curves.
    const auto events = store.events(runs[i]->id);
    if (!events) continue;
    for (auto event : *events) {
      // What is said of the whole race stands in the records of all of its runs.
      const bool whole = ofTheRace(event.body);
      if (whole && i > 0) continue;
      event.variant = whole ? std::string() : variantName(i);
      take(event);
    }
  }
  m_result = *race;
  m_past = true;
  // The cards say what raced: without them the letters on the curves would mean nothing.
  if (auto specs = ranSpecs(); specs.size() == runs.size()) setSpecs(std::move(specs));
  Q_EMIT changed();
  return wire::success();
}

}  // namespace atelier::app
