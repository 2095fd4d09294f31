#include "desk_watch.h"

namespace atelier::app {

DeskWatch::DeskWatch(RunDesk& desk, QObject* parent) : QObject(parent), m_desk(desk) {
  connect(&m_desk, &RunDesk::started, this, &DeskWatch::begin);
  connect(&m_desk, &RunDesk::event, this, [this](int, const wire::RunEvent& event) { take(event); });
  connect(&m_desk, &RunDesk::ended, this, &DeskWatch::end);
  connect(&m_live, &LiveTick::look, this, &DeskWatch::tick);
}

void DeskWatch::begin(int) {
  const auto* current = m_desk.current();
  if (!current) return;
  m_label = current->job.label;
  m_runs.clear();
  m_failure.clear();
  m_progress.start(current->job.command.runs(), 0);
  m_live.start();
}

void DeskWatch::take(const wire::RunEvent& event) {
  m_live.note();
  m_progress.take(event);
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) m_runs << QString::fromStdString(started->run_id);
  // A point of a sweep that fails ends itself, not the sweep.
  const auto* failed = std::get_if<wire::RunFailed>(&event.body);
  if (failed && failed->code != wire::ExitCode::Interrupted && event.variant.empty()) m_failure = failed->messages;
}

void DeskWatch::end() {
  m_live.stop();
  Q_EMIT tick();
  Q_EMIT ended();
}

bool DeskWatch::canPause() const {
  if (m_desk.state() == RunDesk::State::Paused) return true;
  return m_desk.state() == RunDesk::State::Running && m_progress.canPause();
}

void DeskWatch::togglePause() {
  if (!canPause()) return;
  if (m_desk.state() == RunDesk::State::Paused) m_desk.resume();
  else m_desk.pause();
}

}  // namespace atelier::app
