#include "script_model.h"

#include <QPointer>

#include <utility>

#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "core/wire/run_spec.h"

namespace atelier::app {

namespace {

// A run of the script is recorded like any other, but says where it came from.
bool ranInPython(const registry::RunRecord& run) {
  const auto text = registry::readWhole(run.folder / "environment.json");
  const auto environment = text ? wire::parseJson(*text) : std::nullopt;
  return environment && environment->is_object() && environment->value("source", nlohmann::json()) == "python";
}

}  // namespace

ScriptModel::ScriptModel(RunDesk& desk, const wire::Schema& schema, std::filesystem::path home, QObject* parent)
    : QObject(parent), m_desk(desk), m_schema(schema), m_home(std::move(home)), m_job(desk) {
  connect(&m_job, &JobWatch::event, this, &ScriptModel::take);
  connect(&m_job, &JobWatch::tick, this, &ScriptModel::tick);
  connect(&m_job, &JobWatch::stateChanged, this, &ScriptModel::runsChanged);
}

QStringList ScriptModel::arguments(const nlohmann::json& spec) {
  QStringList all{QStringLiteral("script")};
  if (!spec.is_object()) return all;
  for (const auto& [key, value] : spec.items()) {
    const auto text =
        value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    all << QStringLiteral("--set") << QString::fromStdString(key + "=" + text);
  }
  return all;
}

void ScriptModel::setSpec(const nlohmann::json& spec) {
  if (!m_job.idle()) return;
  m_spec = spec.is_object() ? spec : nlohmann::json::object();
  m_script.clear();
  m_error.reset();
  m_failure.reset();
  // The views still show the old runs: these go when the views were told.
  const auto oldNative = std::exchange(m_native, nullptr), oldPython = std::exchange(m_python, nullptr);
  m_live = nullptr;
  m_asking = true;
  findNative();
  Q_EMIT runsChanged();
  Q_EMIT scriptChanged();
  m_desk.ask(arguments(m_spec),
             [self = QPointer<ScriptModel>(this), question = ++m_question](const wire::Result<nlohmann::json>& answer) {
               if (!self || question != self->m_question) return;
               self->m_asking = false;
               if (!answer) self->m_error = answer.error();
               else if (answer->is_object() && answer->contains("script") && (*answer)["script"].is_string())
                 self->m_script = QString::fromStdString((*answer)["script"].get<std::string>());
               else self->m_error = wire::Error{wire::ExitCode::Failed, {"scriptview.no_script"}};
               Q_EMIT self->scriptChanged();
             });
}

void ScriptModel::findNative() {
  m_recorded = false;
  const auto wanted = wire::RunSpec::parse(m_schema, m_spec);
  std::error_code none;
  if (!wanted || !std::filesystem::is_directory(m_home / "runs", none)) return;
  auto opened = registry::Registry::open(m_home);
  if (!opened) return;
  const auto runs = (*opened)->list(500);
  if (!runs) return;
  for (const auto& run : *runs) {
    if (run.summary.status != "done") continue;
    const auto spec = wire::RunSpec::parse(m_schema, run.spec);
    if (!spec || !(*spec == *wanted) || ranInPython(run)) continue;
    const auto events = (*opened)->events(run.id);
    if (!events) continue;
    m_native = std::make_unique<RunSeries>(m_nativeLabel, 0);
    for (const auto& event : *events) m_native->take(event);
    m_recorded = true;
    return;
  }
}

bool ScriptModel::canRun() const {
  return m_job.idle() && !m_script.isEmpty();
}

void ScriptModel::submit(std::unique_ptr<RunSeries>& slot, RunSeries fresh, const std::string& verb, const QString& label) {
  const auto old = std::exchange(slot, std::make_unique<RunSeries>(std::move(fresh)));
  m_live = slot.get();
  m_failure.reset();
  Q_EMIT runsChanged();
  m_job.submit({{verb, m_spec, {}, {}}, label, QStringLiteral("experiments")});
}

void ScriptModel::runScript(const QString& label, const QString& series) {
  if (canRun()) submit(m_python, RunSeries(series, 1), "script", label);
}

void ScriptModel::runNative(const QString& label, const QString& series) {
  if (!m_job.idle()) return;
  m_recorded = false;
  submit(m_native, RunSeries(series, 0), "run", label);
}

void ScriptModel::take(const wire::RunEvent& event) {
  if (m_live) m_live->take(event);
  const auto* failed = std::get_if<wire::RunFailed>(&event.body);
  if (failed && failed->code != wire::ExitCode::Interrupted) m_failure = *failed;
}

QVector<const RunSeries*> ScriptModel::series() const {
  QVector<const RunSeries*> all;
  for (const auto* run : {m_native.get(), m_python.get()})
    if (run) all.append(run);
  return all;
}

}  // namespace atelier::app
