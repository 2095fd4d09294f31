#include "histogram_source.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "background.h"
#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/registry/run_folder.h"
#include "core/registry/run_id.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestSpec = 1 << 20, kLargestLog = 256 << 20;
constexpr std::string_view kMark = "\"histograms\"";
constexpr auto kEventsFile = "events.jsonl";

// A run that nobody looked into has nothing to say, and its log need not be read.
bool isLookedInto(const nlohmann::json& spec) {
  const auto watch = wire::memberAt(spec, "watch");
  const auto profile = wire::textAt(spec, "profile");
  return (watch.is_number() && watch.get<double>() > 0) || (!profile.empty() && profile != "off");
}

// The last step of the log that was counted. Lines without the mark are not decoded.
bool takeLast(std::string_view log, CountedRun& run) {
  for (auto at = log.rfind(kMark); at != std::string_view::npos;) {
    const auto before = log.rfind('\n', at), after = log.find('\n', at);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    const auto event = wire::decodeEvent(log.substr(begin, after == std::string_view::npos ? after : after - begin));
    const auto* sampled = event ? std::get_if<wire::HealthSampled>(&event->body) : nullptr;
    if (sampled && !sampled->health.histograms.empty()) {
      run.step = sampled->health.step;
      run.histograms = sampled->health.histograms;
      return true;
    }
    if (begin == 0) return false;
    at = log.substr(0, begin).rfind(kMark);
  }
  return false;
}

}  // namespace

HistogramSource::HistogramSource(fs::path home, RunDesk& desk, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_desk(desk), m_watch(desk), m_job(desk) {
  connect(&m_desk, &RunDesk::ended, this, &HistogramSource::refresh);
  connect(&m_watch, &HealthWatch::changed, this, &HistogramSource::changed);
  connect(&m_job, &JobWatch::stateChanged, this, &HistogramSource::jobChanged);
}

std::optional<CountedRun> HistogramSource::read(const fs::path& folder, const std::string& id) {
  const auto text = registry::readWhole(folder / registry::kSpecFile, kLargestSpec);
  if (!text) return std::nullopt;
  const auto spec = wire::parseJson(*text);
  if (!spec || !isLookedInto(*spec)) return std::nullopt;
  const auto log = registry::readWhole(folder / kEventsFile, kLargestLog);
  CountedRun run;
  if (!log || !takeLast(*log, run)) return std::nullopt;
  run.run = {id, wire::textAt(*spec, "model"), wire::textAt(*spec, "data"), registry::idMilliseconds(id).value_or(0), folder};
  return run;
}

std::vector<CountedRun> HistogramSource::find(const fs::path& home, std::size_t most) {
  const auto folder = home / "runs";
  std::vector<CountedRun> runs;
  for (const auto& id : registry::idsIn(folder)) {
    if (runs.size() >= most) break;
    if (auto run = read(folder / id, id)) runs.push_back(std::move(*run));
  }
  return runs;
}

void HistogramSource::refresh() {
  if (std::exchange(m_looking, true)) {
    m_again = true;
    return;
  }
  inBackground(
      this, [home = m_home] { return find(home); },
      [this](std::vector<CountedRun> runs) {
        m_looking = false;
        m_loaded = true;
        // One that was asked for by its id stays, however old.
        const auto* asked = known(m_chosen);
        if (asked && std::none_of(runs.begin(), runs.end(), [&](const CountedRun& run) { return run.run.id == m_chosen; }))
          runs.push_back(*asked);
        m_runs = std::move(runs);
        Q_EMIT changed();
        if (std::exchange(m_again, false)) refresh();
      });
}

bool HistogramSource::live() const {
  return m_watch.live() && !m_watch.health().histograms.empty();
}

const CountedRun* HistogramSource::known(const std::string& id) const {
  const auto found = std::find_if(m_runs.begin(), m_runs.end(), [&](const CountedRun& run) { return run.run.id == id; });
  return found == m_runs.end() ? nullptr : &*found;
}

void HistogramSource::choose(const QString& run) {
  if (m_chosen == run.toStdString()) return;
  m_chosen = run.toStdString();
  Q_EMIT changed();
}

bool HistogramSource::show(const QString& run) {
  const auto id = run.toStdString();
  if (!registry::validId(id)) return false;
  if (!known(id)) {
    auto counted = read(m_home / "runs" / id, id);
    if (!counted) return false;
    m_runs.push_back(std::move(*counted));
  }
  m_chosen = id;
  Q_EMIT changed();
  return true;
}

const CountedRun* HistogramSource::shown() const {
  if (showsLive()) return nullptr;
  if (const auto* chosen = known(m_chosen)) return chosen;
  return m_runs.empty() ? nullptr : &m_runs.front();
}

const wire::ValueHistograms* HistogramSource::histograms() const {
  if (showsLive()) return &m_watch.health().histograms;
  const auto* run = shown();
  return run ? &run->histograms : nullptr;
}

std::int64_t HistogramSource::step() const {
  if (showsLive()) return m_watch.health().step;
  const auto* run = shown();
  return run ? run->step : -1;
}

void HistogramSource::count(nlohmann::json base, const QString& label) {
  if (!base.is_object()) base = nlohmann::json::object();
  base.update(nlohmann::json{{"model", "cnn"}, {"steps", kSteps}, {"watch", kEvery}});
  m_chosen.clear();
  Job job;
  job.command.spec = std::move(base);
  job.label = label;
  job.origin = QStringLiteral("formats");
  m_job.submit(std::move(job));
}

QString HistogramSource::command() {
  return QStringLiteral("atelier-engine run --model cnn --steps %1 --watch %2").arg(kSteps).arg(kEvery);
}

}  // namespace atelier::app
