#include "learn_model.h"

#include <QPointer>

#include <algorithm>

#include "app/report/replay_report.h"
#include "app/report/report.h"
#include "app/run/described_schema.h"
#include "core/wire/number.h"
#include "labs/load.h"
#include "learn_replay.h"
#include "run_desk.h"

namespace atelier::app {

namespace {

constexpr std::size_t kKeptNotices = 3;

}  // namespace

LearnModel::LearnModel(Parts parts, QObject* parent)
    : QObject(parent),
      m_desk(parts.desk),
      m_words(parts.words),
      m_courseFolder(std::move(parts.course)),
      m_home(std::move(parts.home)),
      m_learner(std::move(parts.learner)),
      m_replays(std::make_unique<LearnReplay>(*this, m_desk)) {
  connect(&m_desk, &RunDesk::event, this, [this](int job, const wire::RunEvent& event) {
    if (job == m_job) take(event);
  });
  connect(&m_desk, &RunDesk::ended, this, [this](int job) {
    if (job == m_job) ended();
  });
  connect(&m_desk, &RunDesk::changed, this, [this] {
    if (!running()) Q_EMIT runChanged();
  });
  connect(&m_words, &Words::changed, this, &LearnModel::translate);
  connect(m_replays.get(), &LearnReplay::changed, this, [this] {
    Q_EMIT runChanged();
    Q_EMIT changed();
  });
  connect(m_replays.get(), &LearnReplay::advanced, this, &LearnModel::liveTick);
  connect(m_replays.get(), &LearnReplay::failed, this, [this](const wire::Error& why) { inform(why.messages); });
  connect(&m_live, &LiveTick::look, this, &LearnModel::liveTick);
  readCourse();
  findDone();
  findMachine();
  for (const auto& half : m_course.half_days)
    for (const auto& candidate : half.labs)
      if (!m_session && !m_done.contains(candidate.id)) open(candidate.id);
  if (!m_session && !m_course.half_days.empty() && !m_course.half_days.front().labs.empty())
    open(m_course.half_days.front().labs.front().id);
}

LearnModel::~LearnModel() = default;

void LearnModel::readCourse() {
  m_course = lab::loadCourse(m_courseFolder, language());
  for (const auto& refused : m_course.refused) tell(refused.messages);
}

void LearnModel::findDone() {
  m_done.clear();
  for (const auto& half : m_course.half_days) {
    for (const auto& candidate : half.labs) {
      lab::LabSession session(candidate);
      // A damaged file is set aside here and never seen again: this is the time to say so.
      const auto loaded = session.load(m_home);
      tell(loaded);
      if (loaded && session.finished()) m_done.insert(candidate.id);
    }
  }
}

void LearnModel::setSchema(const wire::Result<wire::Schema>& schema) {
  m_schemaError.reset();
  if (schema) m_schema = *schema;
  else m_schemaError = schema.error();
  Q_EMIT changed();
}

void LearnModel::askSchema() {
  m_schemaError.reset();
  Q_EMIT changed();
  m_desk.ask({QStringLiteral("describe")}, [self = QPointer<LearnModel>(this)](const wire::Result<nlohmann::json>& described) {
    if (!self) return;
    self->setSchema(describedSchema(described));
  });
}

void LearnModel::findMachine() {
  std::error_code none;
  if (!std::filesystem::is_directory(m_home / "runs", none)) return;
  auto* registry = openRegistry();
  const auto newest = registry ? registry->list(1) : std::vector<registry::RunRecord>();
  if (!newest || newest->empty()) return;
  const auto text = registry::readWhole(newest->front().folder / "environment.json");
  if (!text) return;
  const auto environment = wire::parseJson(*text);
  if (environment) setMachine(*environment);
}

void LearnModel::setMachine(const nlohmann::json& environment) {
  if (!environment.is_object() || environment == m_machine) return;
  m_machine = environment;
  Q_EMIT machineChanged();
}

void LearnModel::translate() {
  m_notices.clear();
  readCourse();
  if (m_session) {
    const auto* translated = m_course.find(m_session->lab().id);
    if (translated) m_session->translate(*translated);
  }
  Q_EMIT languageChanged();
  Q_EMIT changed();
}

bool LearnModel::open(const std::string& lab) {
  const auto* found = m_course.find(lab);
  if (!found) return false;
  if (running()) {
    tell(wire::Message{"app.learn.busy"});
    Q_EMIT changed();
    return false;
  }
  // The views still show the old runs: these go when the views were told.
  const auto old = std::exchange(m_runs, {});
  m_session.emplace(*found);
  ++m_visit;
  m_failures.clear();
  m_restored.clear();
  m_race.reset();
  if (!scratch()) tell(m_session->load(m_home));
  restoreRuns();
  m_replays->follow();
  Q_EMIT runChanged();
  Q_EMIT changed();
  return true;
}

bool LearnModel::canGo(int delta) const {
  if (!m_session) return false;
  const int target = m_session->index() + delta;
  return target >= 0 && target < static_cast<int>(m_session->lab().steps.size());
}

void LearnModel::go(int delta) {
  if (canGo(delta)) goTo(m_session->index() + delta);
}

void LearnModel::goTo(int index) {
  if (!m_session || !m_session->goTo(index)) return;
  m_notices.clear();
  restoreRuns();
  m_replays->follow();
  save();
  Q_EMIT runChanged();
  Q_EMIT changed();
}

void LearnModel::resetLab() {
  if (!m_session || running()) return;
  const auto old = std::exchange(m_runs, {});
  m_session->reset();
  ++m_visit;
  m_failures.clear();
  m_race.reset();
  m_notices.clear();
  if (!scratch()) m_done.erase(m_session->lab().id);
  m_replays->follow();
  save();
  Q_EMIT runChanged();
  Q_EMIT changed();
}

bool LearnModel::canPredict() const {
  if (!m_session || !m_session->step().prediction) return false;
  const auto& about = m_session->step().prediction->about;
  const bool goes = running() && m_runStep == about;
  return !goes && !m_session->progress(about).outcome;
}

void LearnModel::predict(std::optional<double> value) {
  if (!canPredict()) return;
  m_session->predict(stepId(), value);
  save();
  Q_EMIT changed();
}

void LearnModel::setKnob(const std::string& key, const nlohmann::json& value, bool variantB) {
  m_session->setKnob(stepId(), key, value, variantB);
  save();
}

void LearnModel::nextHint() {
  if (!m_session->nextHint(stepId())) return;
  save();
  Q_EMIT changed();
}

QStringList LearnModel::hintsShown() const {
  QStringList shown;
  const auto& step = m_session->step();
  const auto count =
      std::min<std::size_t>(step.hints.size(), static_cast<std::size_t>(m_session->progress(step.id).hints_shown));
  for (std::size_t i = 0; i < count; ++i) shown.append(QString::fromStdString(step.hints[i]));
  return shown;
}

void LearnModel::showSolution() {
  m_session->showSolution(stepId());
  save();
  Q_EMIT changed();
}

void LearnModel::answer(const std::string& question, int choice) {
  m_session->answer(stepId(), question, choice);
  save();
  Q_EMIT changed();
}

void LearnModel::dismissNotices() {
  m_notices.clear();
  Q_EMIT changed();
}

void LearnModel::inform(const std::vector<wire::Message>& messages) {
  tell(messages);
  Q_EMIT changed();
}

void LearnModel::setLearner(const QString& name) {
  if (name == m_learner) return;
  m_learner = name;
  Q_EMIT learnerChanged();
}

void LearnModel::tell(const wire::Message& message) {
  if (std::find(m_notices.begin(), m_notices.end(), message) != m_notices.end()) return;
  m_notices.push_back(message);
  if (m_notices.size() > kKeptNotices) m_notices.erase(m_notices.begin());
}

void LearnModel::tell(const std::vector<wire::Message>& messages) {
  for (const auto& message : messages) tell(message);
}

void LearnModel::tell(const wire::Status& status) {
  if (!status) tell(status.error().messages);
}

void LearnModel::save() {
  if (scratch()) return;
  tell(m_session->save(m_home));
  if (m_session->finished()) m_done.insert(m_session->lab().id);
  else m_done.erase(m_session->lab().id);
}

wire::Result<int> LearnModel::writeReport(const QString& file) const {
  auto content = labReport(*m_session, m_learner, QString::fromStdString(language()), QString::fromStdString(m_home.string()));
  if (!m_schema.options().empty()) content.schema = m_schema;
  for (const auto& [id, recording] : m_replays->played())
    if (const auto* step = m_session->lab().find(id); step && !m_session->progress(id).outcome)
      content.experiments.append(replayedExperiment(*recording, QString::fromStdString(step->title), m_words));
  return app::writeReport(content, file);
}

}  // namespace atelier::app
