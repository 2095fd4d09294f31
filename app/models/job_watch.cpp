#include "job_watch.h"

#include <algorithm>
#include <utility>

namespace atelier::app {

namespace {

JobWatch::State stateOf(RunDesk::State state) {
  switch (state) {
    case RunDesk::State::Running:
      return JobWatch::State::Running;
    case RunDesk::State::Paused:
      return JobWatch::State::Paused;
    case RunDesk::State::Stopping:
      return JobWatch::State::Stopping;
    default:
      return JobWatch::State::Starting;
  }
}

}  // namespace

JobWatch::JobWatch(RunDesk& desk, QObject* parent) : QObject(parent), m_desk(desk) {
  connect(&m_desk, &RunDesk::started, this, [this](int job) {
    // A job that starts at once does so before its number is handed back.
    if (m_submitting) m_job = job;
  });
  connect(&m_desk, &RunDesk::event, this, [this](int job, const wire::RunEvent& told) {
    if (m_job != 0 && job == m_job) take(told);
  });
  connect(&m_desk, &RunDesk::ended, this, [this](int job) {
    if (m_job != 0 && job == m_job) finish();
  });
  connect(&m_desk, &RunDesk::changed, this, &JobWatch::follow);
  connect(&m_live, &LiveTick::look, this, &JobWatch::tick);
}

void JobWatch::submit(Job job, int seconds) {
  Q_ASSERT(idle());
  m_progress.start(job.command.runs(), seconds);
  m_live.start();
  m_submitting = true;
  setState(State::Waiting);
  const int id = m_desk.submit(std::move(job));
  // It may have ended within the start.
  if (!std::exchange(m_submitting, false)) return;
  m_job = id;
  follow();
}

void JobWatch::stop() {
  if (m_job != 0 && m_state != State::Stopping) m_desk.cancel(m_job);
}

bool JobWatch::canPause() const {
  if (m_state == State::Paused) return true;
  return m_state == State::Running && m_progress.canPause();
}

void JobWatch::togglePause() {
  if (!canPause()) return;
  if (m_state == State::Paused) m_desk.resume();
  else m_desk.pause();
}

void JobWatch::take(const wire::RunEvent& told) {
  m_progress.take(told);
  m_live.note();
  Q_EMIT event(told);
}

void JobWatch::follow() {
  if (m_job == 0) return;
  const auto* current = m_desk.current();
  if (current && current->id == m_job) return setState(stateOf(m_desk.state()));
  const auto& waiting = m_desk.waiting();
  const bool waits =
      std::any_of(waiting.begin(), waiting.end(), [this](const RunDesk::Entry& entry) { return entry.id == m_job; });
  if (waits) setState(State::Waiting);
  // What went ends by itself; what waited and is gone was taken out.
  else if (m_state == State::Waiting) finish();
}

void JobWatch::finish() {
  m_job = 0;
  m_submitting = false;
  if (m_live.stop()) Q_EMIT tick();
  setState(State::Idle);
  Q_EMIT ended();
}

void JobWatch::setState(State state) {
  if (std::exchange(m_state, state) != state) Q_EMIT stateChanged();
}

}  // namespace atelier::app
