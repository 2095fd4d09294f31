#include "sweep_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/registry/registry.h"
#include "core/registry/run_folder.h"
#include "core/wire/run_spec.h"
#include "sweep_axes.h"

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;

std::optional<double> finite(std::optional<double> value, double factor = 1) {
  return value && std::isfinite(*value) ? std::optional(*value * factor) : std::nullopt;
}

bool over(const wire::SweepPoint& point) {
  return point.summary.status != "not_run" && point.summary.status != "running";
}

}  // namespace

std::optional<double> figureOf(const wire::RunSummary& run, SweepFigure figure) {
  switch (figure) {
    case SweepFigure::Rate:
      return run.samples_per_second ? finite(run.samples_per_second->median) : std::nullopt;
    case SweepFigure::Memory: {
      const auto bytes = run.peak_memory_bytes.total;
      return bytes > 0 ? std::optional(static_cast<double>(bytes) / kMebi) : std::nullopt;
    }
    case SweepFigure::StepTime:
      return finite(run.step_p50);
    case SweepFigure::Accuracy:
      return finite(run.accuracy, 100);
    case SweepFigure::Loss:
      return finite(run.loss);
  }
  return std::nullopt;
}

const char* figureId(SweepFigure figure) {
  switch (figure) {
    case SweepFigure::Rate:
      return "rate";
    case SweepFigure::Memory:
      return "memory";
    case SweepFigure::StepTime:
      return "step";
    case SweepFigure::Accuracy:
      return "accuracy";
    case SweepFigure::Loss:
      break;
  }
  return "loss";
}

std::string valueWords(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string pointWords(const nlohmann::json& values) {
  std::string words;
  if (!values.is_object()) return words;
  for (const auto& [key, value] : values.items())
    words += (words.empty() ? "" : " · ") + key + "\u00a0=\u00a0" + valueWords(value);
  return words;
}

SweepModel::SweepModel(RunDesk& desk, std::filesystem::path home, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_job(desk) {
  connect(&m_job, &JobWatch::event, this, &SweepModel::take);
  connect(&m_job, &JobWatch::stateChanged, this, &SweepModel::changed);
}

void SweepModel::setAxes(std::vector<AxisEdit> axes) {
  if (axes.size() > kMostAxes) axes.resize(kMostAxes);
  if (axes == m_axes) return;
  m_axes = std::move(axes);
  Q_EMIT setupChanged();
}

void SweepModel::setSpec(const nlohmann::json& spec) {
  if (spec == m_spec) return;
  m_spec = spec.is_object() ? spec : nlohmann::json::object();
  Q_EMIT setupChanged();
}

wire::Result<std::vector<wire::SweepAxis>> SweepModel::readAxes() const {
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  std::vector<std::string> words;
  for (const auto& axis : m_axes) {
    const auto* option = m_schema.find(axis.key);
    if (!option) continue;
    const auto values = axisValues(*option, axis.typed);
    if (!values) {
      mistakes.messages.insert(mistakes.messages.end(), values.error().messages.begin(), values.error().messages.end());
      continue;
    }
    std::string word;
    for (const auto& value : *values) word += (word.empty() ? axis.key + "=" : ",") + value;
    words.push_back(word);
  }
  if (!mistakes.messages.empty()) return mistakes;
  if (words.empty()) return wire::Error{wire::ExitCode::Usage, {"sweepview.no_axis"}};
  return wire::readAxes(m_schema, words);
}

std::vector<wire::Message> SweepModel::mistakes() const {
  std::vector<wire::Message> all;
  if (const auto axes = readAxes(); !axes) all = axes.error().messages;
  if (const auto base = wire::RunSpec::parse(m_schema, m_spec); !base)
    all.insert(all.end(), base.error().messages.begin(), base.error().messages.end());
  return all;
}

std::size_t SweepModel::points() const {
  const auto axes = readAxes();
  return axes ? wire::gridPoints(*axes).size() : 0;
}

void SweepModel::learnPace() {
  m_pace.clear();
  auto opened = registry::Registry::open(m_home);
  if (!opened) return;
  const auto runs = (*opened)->list(200);
  if (!runs) return;
  for (const auto& run : *runs) {
    const auto& summary = run.summary;
    if (!run.spec.is_object() || summary.status != "done" || !summary.samples_per_second) continue;
    const auto model = run.spec.value("model", nlohmann::json());
    if (!model.is_string() || !(summary.samples_per_second->median > 0)) continue;
    // The newest run of each model counts.
    m_pace.try_emplace(model.get<std::string>(),
                       Pace{summary.samples_per_second->median, summary.startup_milliseconds.value_or(0) / 1000});
  }
}

std::optional<double> SweepModel::secondsExpected() const {
  const auto axes = readAxes();
  if (!axes) return std::nullopt;
  double seconds = 0;
  for (const auto& values : wire::gridPoints(*axes)) {
    auto keys = m_spec;
    keys.update(values);
    const auto spec = wire::RunSpec::parse(m_schema, keys);
    for (const char* key : {"model", "batch", "steps", "warmup"})
      if (!spec || !m_schema.find(key)) return std::nullopt;
    const auto pace = m_pace.find(spec->text("model"));
    if (pace == m_pace.end()) return std::nullopt;
    const auto steps = static_cast<double>(spec->integer("steps") + spec->integer("warmup"));
    seconds += pace->second.startup + steps * static_cast<double>(spec->integer("batch")) / pace->second.samples_per_second;
  }
  return seconds;
}

EngineCommand SweepModel::command() const {
  EngineCommand command;
  command.verb = "sweep";
  command.spec = m_spec;
  for (const auto& axis : m_axes) {
    const auto* option = m_schema.find(axis.key);
    const auto values = option ? axisValues(*option, axis.typed) : wire::Result<std::vector<std::string>>(wire::Error());
    if (values) command.grid.emplace_back(axis.key, *values);
  }
  return command;
}

bool SweepModel::canRun() const {
  return m_job.idle() && !m_schema.options().empty() && mistakes().empty();
}

void SweepModel::run(const QString& label) {
  if (!canRun()) return;
  begin();
  m_ranSpec = m_spec;
  const auto seconds = secondsExpected();
  m_job.submit({command(), label, QStringLiteral("experiments")}, seconds ? static_cast<int>(std::ceil(*seconds)) : 0);
}

void SweepModel::begin() {
  m_sweep.reset();
  m_failure.reset();
  m_notices.clear();
  m_ranSpec = nlohmann::json::object();
  m_past = false;
  Q_EMIT changed();
}

wire::SweepPoint* SweepModel::pointOf(const std::string& variant) {
  if (!m_sweep || variant.empty()) return nullptr;
  // The drift check has a number of its own, beyond the points.
  for (auto& point : m_sweep->points)
    if (point.variant == variant) return &point;
  return nullptr;
}

void SweepModel::start(const wire::SweepStarted& started) {
  wire::SweepSummary sweep;
  sweep.id = started.id;
  sweep.name = m_name.toStdString();
  sweep.axes = started.axes;
  for (const auto& values : wire::gridPoints(sweep.axes)) {
    wire::SweepPoint point{std::to_string(sweep.points.size() + 1), values};
    point.summary.status = "not_run";
    sweep.points.push_back(std::move(point));
  }
  m_sweep = std::move(sweep);
}

void SweepModel::take(const wire::RunEvent& event) {
  auto* point = pointOf(event.variant);
  if (const auto* started = std::get_if<wire::SweepStarted>(&event.body)) {
    start(*started);
    Q_EMIT changed();
  } else if (const auto* finished = std::get_if<wire::SweepFinished>(&event.body)) {
    m_sweep = finished->sweep;
    Q_EMIT changed();
  } else if (const auto* noticed = std::get_if<wire::Noticed>(&event.body)) {
    if (event.variant.empty()) m_notices.push_back(noticed->message);
  } else if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) {
    if (point) {
      point->summary.status = failed->code == wire::ExitCode::Interrupted ? "interrupted" : "failed";
      point->summary.failure = failed->messages;
      Q_EMIT pointChanged();
    } else if (event.variant.empty()) {
      m_failure = *failed;
    }
  } else if (const auto* begun = std::get_if<wire::RunStarted>(&event.body)) {
    if (!point) return;
    point->summary.id = begun->run_id;
    point->summary.status = "running";
    Q_EMIT pointChanged();
  } else if (const auto* done = std::get_if<wire::RunFinished>(&event.body)) {
    if (!point) return;
    point->summary = done->summary;
    wire::judge(*m_sweep);
    Q_EMIT pointChanged();
  }
}

std::size_t SweepModel::measured() const {
  return m_sweep ? static_cast<std::size_t>(std::count_if(m_sweep->points.begin(), m_sweep->points.end(), over)) : 0;
}

nlohmann::json SweepModel::specOf(std::size_t index) const {
  if (!m_sweep || index >= m_sweep->points.size()) return nlohmann::json::object();
  const auto& point = m_sweep->points[index];
  auto spec = m_ranSpec;
  if (m_past && !point.summary.id.empty()) {
    auto opened = registry::Registry::open(m_home);
    if (opened)
      if (const auto run = (*opened)->find(point.summary.id); run && run->spec.is_object()) spec = run->spec;
  }
  if (point.values.is_object()) spec.update(point.values);
  return spec;
}

std::vector<std::string> SweepModel::pastSweeps(std::size_t most) const {
  auto ids = registry::idsIn(m_home / "sweeps", ".json");
  if (ids.size() > most) ids.resize(most);
  return ids;
}

wire::Result<wire::SweepSummary> SweepModel::look(const std::string& id) const {
  auto opened = registry::Registry::open(m_home);
  if (!opened) return opened.error();
  return (*opened)->sweep(id);
}

wire::Status SweepModel::open(const std::string& id) {
  if (!m_job.idle()) return wire::Error{wire::ExitCode::Usage, {"sweepview.busy"}};
  auto found = look(id);
  if (!found) return found.error();
  begin();
  m_sweep = std::move(*found);
  m_past = true;
  Q_EMIT changed();
  return wire::success();
}

}  // namespace atelier::app
