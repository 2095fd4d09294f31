// The part of LearnModel that runs a step's experiment and records what came of it.
#include <algorithm>
#include <utility>

#include "learn_model.h"
#include "learn_replay.h"
#include "run_desk.h"

namespace atelier::app {

namespace {

// The label that a run carries in plots and tables.
QString labelOf(std::size_t index) {
  return QString(QLatin1Char(index == 0 ? 'A' : 'B'));
}

// A key that the lab's author set, or whose knob the learner has before their eyes, is theirs.
void takeDefaults(lab::Request& request, const lab::Experiment& experiment, const nlohmann::json& defaults) {
  if (!defaults.is_object()) return;
  const auto offers = [](const std::vector<std::string>& knobs, const std::string& key) {
    return std::find(knobs.begin(), knobs.end(), key) != knobs.end();
  };
  for (const auto& [key, value] : defaults.items()) {
    const bool taken = request.spec.contains(key) || (request.b.is_object() && request.b.contains(key));
    if (!taken && !offers(experiment.knobs, key) && !offers(experiment.knobs_b, key)) request.spec[key] = value;
  }
}

}  // namespace

bool LearnModel::canRun() const {
  if (!m_session || !m_session->step().experiment || m_session->obstacle(stepId())) return false;
  return !m_schema.options().empty() && !running() && !m_desk.busy();
}

bool LearnModel::busyElsewhere() const {
  return m_desk.busy() && !running();
}

void LearnModel::run() {
  if (!canRun()) return;
  m_replays->close();
  m_runStep = stepId();
  m_request = m_session->request(m_runStep);
  takeDefaults(m_request, *m_session->step().experiment, m_runDefaults);
  const bool race = m_request.verb == "race";
  auto& runs = m_runs[m_runStep];
  // The views still show the old runs: these go when the views were told.
  const auto old = std::exchange(runs, {});
  for (std::size_t i = 0; i < (race ? 2U : 1U); ++i)
    runs.push_back(std::make_unique<RunSeries>(labelOf(i), static_cast<int>(i)));
  m_failures.erase(m_runStep);
  m_restored.insert(m_runStep);
  m_origin.reset();
  m_notes = {};
  m_notices.clear();
  m_race.reset();
  m_progress.start(race ? 2 : 1, m_session->step().experiment->seconds);
  m_state = RunState::Starting;
  m_live.start();
  // Told before the start: an engine that is missing fails within start().
  Q_EMIT runChanged();
  Q_EMIT changed();
  Job job{{m_request.verb, m_request.spec, {}, {}},
          QString::fromStdString(m_session->lab().number + " " + m_session->step().title),
          QStringLiteral("learn")};
  if (race && m_request.b.is_object()) job.command.others.push_back(m_request.b);
  // Known before the desk speaks of it: the state above answers for it until then.
  m_job = m_desk.submit(std::move(job));
}

void LearnModel::stop() {
  if (m_state == RunState::Idle || m_state == RunState::Stopping) return;
  m_state = RunState::Stopping;
  m_desk.stop();
  Q_EMIT runChanged();
}

bool LearnModel::canPause() const {
  if (m_state == RunState::Paused) return true;
  return m_state == RunState::Running && m_progress.canPause();
}

void LearnModel::togglePause() {
  if (!canPause()) return;
  if (m_state == RunState::Running) {
    m_desk.pause();
    m_state = RunState::Paused;
  } else {
    m_desk.resume();
    m_state = RunState::Running;
  }
  Q_EMIT runChanged();
}

const lab::Step* LearnModel::runningStep() const {
  return running() && m_session ? m_session->lab().find(m_runStep) : nullptr;
}

QVector<const RunSeries*> LearnModel::runs() const {
  QVector<const RunSeries*> all;
  if (!m_session) return all;
  if (m_replays->shown()) return m_replays->player().series();
  const auto found = m_runs.find(stepId());
  if (found == m_runs.end()) return all;
  for (const auto& series : found->second) all.append(series.get());
  return all;
}

const LearnModel::Failure* LearnModel::lastFailure() const {
  if (!m_session) return nullptr;
  const auto found = m_failures.find(stepId());
  return found == m_failures.end() ? nullptr : &found->second;
}

const wire::RunFailed* LearnModel::failure() const {
  const auto* last = lastFailure();
  return last ? &last->why : nullptr;
}

const lab::Request* LearnModel::failedRequest() const {
  const auto* last = lastFailure();
  return last ? &last->request : nullptr;
}

RunSeries& LearnModel::seriesOf(const wire::RunEvent& event) {
  auto& runs = m_runs[m_runStep];
  return event.variant == "b" && runs.size() > 1 ? *runs[1] : *runs[0];
}

void LearnModel::take(const wire::RunEvent& event) {
  if (m_state == RunState::Idle || m_runs[m_runStep].empty()) return;
  if (m_state == RunState::Starting) {
    m_state = RunState::Running;
    Q_EMIT runChanged();
  }
  m_live.note();
  seriesOf(event).take(event);
  m_progress.take(event);
  m_notes.take(event);
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) {
    if (event.variant != "b") setMachine(started->environment);
    tell(started->notices);
    Q_EMIT changed();
  } else if (const auto* noticed = std::get_if<wire::Noticed>(&event.body)) {
    tell(noticed->message);
    Q_EMIT changed();
  } else if (const auto* looked = std::get_if<wire::HealthSampled>(&event.body)) {
    lab::noteOrigin(m_origin, looked->health);
  } else if (const auto* race = std::get_if<wire::RaceUpdated>(&event.body)) {
    m_race = *race;
  } else if (const auto* finished = std::get_if<wire::RunFinished>(&event.body)) {
    takeSummary(*finished);
  } else if (const auto* raced = std::get_if<wire::RaceFinished>(&event.body)) {
    takeRace(*raced);
  } else if (const auto* answered = std::get_if<wire::Answered>(&event.body)) {
    takeAnswer(*answered);
  } else if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) {
    takeFailure(*failed);
  }
}

void LearnModel::takeSummary(const wire::RunFinished& finished) {
  if (m_request.verb == "race") return;
  tell(finished.summary.notices);
  if (finished.summary.status != "done") {
    tell(wire::Message{"app.learn.interrupted"});
    return;
  }
  record(lab::outcomeOf(m_request.verb, finished.summary, m_origin, m_home));
}

void LearnModel::takeRace(const wire::RaceFinished& finished) {
  const auto& race = finished.race;
  tell(race.a.notices);
  tell(race.b.notices);
  if (race.a.status != "done" || race.b.status != "done") {
    tell(wire::Message{"app.learn.interrupted"});
    return;
  }
  record(lab::Outcome{m_request.verb, wire::toJson(race), {race.a.id, race.b.id}});
}

void LearnModel::takeAnswer(const wire::Answered& answered) {
  auto outcome = lab::batchOutcome(answered.answer);
  if (outcome.result.empty()) return tell(wire::Message{"batch.nothing"});
  record(std::move(outcome));
}

void LearnModel::takeFailure(const wire::RunFailed& failed) {
  if (failed.code == wire::ExitCode::Interrupted) tell(wire::Message{"app.learn.interrupted"});
  else m_failures[m_runStep] = Failure{failed, m_request};
}

void LearnModel::record(lab::Outcome outcome) {
  m_notes.addTo(outcome.result);
  m_session->record(m_runStep, std::move(outcome));
  // What was built on an older plan went with it, and its curves go too.
  for (const auto& step : m_session->lab().steps)
    if (step.experiment && (step.experiment->appliesPlan() || step.experiment->climbs()) && step.id != m_runStep &&
        !m_session->progress(step.id).outcome)
      forgetRuns(step.id);
  save();
}

void LearnModel::forgetRuns(const std::string& step) {
  const auto found = m_runs.find(step);
  if (found == m_runs.end() || found->second.empty()) return;
  // The views still show them: these go when the views were told.
  const auto old = std::exchange(found->second, {});
  Q_EMIT runChanged();
}

void LearnModel::ended() {
  if (m_state == RunState::Idle) return;
  m_state = RunState::Idle;
  m_job = 0;
  m_live.stop();
  fallBack();
  Q_EMIT liveTick();
  Q_EMIT runChanged();
  Q_EMIT changed();
}

registry::Registry* LearnModel::openRegistry() {
  if (m_registry) return m_registry.get();
  auto opened = registry::Registry::open(m_home);
  if (opened) m_registry = std::move(*opened);
  else tell(opened.error().messages);
  return m_registry.get();
}

void LearnModel::restoreRuns() {
  const auto step = stepId();
  const auto& outcome = m_session->progress(step).outcome;
  if (!outcome || outcome->run_ids.empty() || !m_restored.insert(step).second) return;
  auto* registry = openRegistry();
  if (!registry) return;
  Runs runs;
  for (const auto& id : outcome->run_ids) {
    const auto events = registry->events(id);
    // A run deleted since then leaves its figures in the lab, and no curves.
    if (!events) return;
    auto series = std::make_unique<RunSeries>(labelOf(runs.size()), static_cast<int>(runs.size()));
    for (const auto& event : *events) series->take(event);
    runs.push_back(std::move(series));
  }
  m_runs[step] = std::move(runs);
}

}  // namespace atelier::app
