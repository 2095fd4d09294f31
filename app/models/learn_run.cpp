// The part of LearnModel that runs a step's experiment and records what came of it.
#include <utility>

#include "app/run/engine_client.h"
#include "learn_model.h"

namespace atelier::app {

namespace {

// The label that a run carries in plots and tables.
QString labelOf(std::size_t index) { return QString(QLatin1Char(index == 0 ? 'A' : 'B')); }

}  // namespace

bool LearnModel::canRun() const {
  return m_session && m_session->step().experiment && !m_schema.options().empty() && !running() && !m_engine.running();
}

void LearnModel::run() {
  if (!canRun()) return;
  m_runStep = stepId();
  const auto request = m_session->request(m_runStep);
  m_runVerb = request.verb;
  const bool race = request.verb == "race";
  auto& runs = m_runs[m_runStep];
  runs.clear();
  for (std::size_t i = 0; i < (race ? 2U : 1U); ++i)
    runs.push_back(std::make_unique<RunSeries>(labelOf(i), static_cast<int>(i)));
  m_failures.erase(m_runStep);
  m_restored.insert(m_runStep);
  m_notices.clear();
  m_race.reset();
  m_progress.start(race ? 2 : 1, m_session->step().experiment->seconds);
  m_state = RunState::Starting;
  m_tick.start();
  // Told before the start: an engine that is missing fails within start().
  Q_EMIT runChanged();
  Q_EMIT changed();
  m_engine.start(request.verb, request.spec, request.b);
}

void LearnModel::stop() {
  if (m_state == RunState::Idle || m_state == RunState::Stopping) return;
  m_state = RunState::Stopping;
  m_engine.stop();
  Q_EMIT runChanged();
}

void LearnModel::togglePause() {
  if (m_state == RunState::Running) {
    m_engine.pause();
    m_state = RunState::Paused;
  } else if (m_state == RunState::Paused) {
    m_engine.resume();
    m_state = RunState::Running;
  } else {
    return;
  }
  Q_EMIT runChanged();
}

QVector<const RunSeries*> LearnModel::runs() const {
  QVector<const RunSeries*> all;
  if (!m_session) return all;
  const auto found = m_runs.find(stepId());
  if (found == m_runs.end()) return all;
  for (const auto& series : found->second) all.append(series.get());
  return all;
}

const wire::RunFailed* LearnModel::failure() const {
  if (!m_session) return nullptr;
  const auto found = m_failures.find(stepId());
  return found == m_failures.end() ? nullptr : &found->second;
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
  m_fresh = true;
  seriesOf(event).take(event);
  m_progress.take(event);
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) {
    setMachine(started->environment);
    for (const auto& message : started->notices) tell(message);
    Q_EMIT changed();
  } else if (const auto* noticed = std::get_if<wire::Noticed>(&event.body)) {
    tell(noticed->message);
    Q_EMIT changed();
  } else if (const auto* race = std::get_if<wire::RaceUpdated>(&event.body)) {
    m_race = *race;
  } else if (const auto* finished = std::get_if<wire::RunFinished>(&event.body)) {
    takeSummary(*finished);
  } else if (const auto* raced = std::get_if<wire::RaceFinished>(&event.body)) {
    takeRace(*raced);
  } else if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) {
    takeFailure(*failed);
  }
}

void LearnModel::takeSummary(const wire::RunFinished& finished) {
  if (m_runVerb == "race") return;
  if (finished.summary.status != "done") {
    tell(wire::Message{"app.learn.interrupted"});
    return;
  }
  record(lab::Outcome{m_runVerb, wire::toJson(finished.summary), {finished.summary.id}});
}

void LearnModel::takeRace(const wire::RaceFinished& finished) {
  const auto& race = finished.race;
  if (race.a.status != "done" || race.b.status != "done") {
    tell(wire::Message{"app.learn.interrupted"});
    return;
  }
  record(lab::Outcome{m_runVerb, wire::toJson(race), {race.a.id, race.b.id}});
}

void LearnModel::takeFailure(const wire::RunFailed& failed) {
  if (failed.code == wire::ExitCode::Interrupted)
    tell(wire::Message{"app.learn.interrupted"});
  else
    m_failures[m_runStep] = failed;
}

void LearnModel::record(lab::Outcome outcome) {
  m_session->record(m_runStep, std::move(outcome));
  save();
}

void LearnModel::ended() {
  if (m_state == RunState::Idle) return;
  m_state = RunState::Idle;
  m_tick.stop();
  m_fresh = false;
  Q_EMIT liveTick();
  Q_EMIT runChanged();
  Q_EMIT changed();
}

void LearnModel::restoreRuns() {
  const auto step = stepId();
  const auto& outcome = m_session->progress(step).outcome;
  if (!outcome || outcome->run_ids.empty() || !m_restored.insert(step).second) return;
  if (!m_registry) {
    auto opened = registry::Registry::open(m_home);
    if (!opened) {
      for (const auto& message : opened.error().messages) tell(message);
      return;
    }
    m_registry = std::move(*opened);
  }
  Runs runs;
  for (const auto& id : outcome->run_ids) {
    const auto events = m_registry->events(id);
    // A run deleted since then leaves its figures in the lab, and no curves.
    if (!events) return;
    auto series = std::make_unique<RunSeries>(labelOf(runs.size()), static_cast<int>(runs.size()));
    for (const auto& event : *events) series->take(event);
    runs.push_back(std::move(series));
  }
  m_runs[step] = std::move(runs);
}

}  // namespace atelier::app
