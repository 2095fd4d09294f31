#include "run_desk.h"

#include <algorithm>
#include <utility>

#include "app/run/engine_client.h"

namespace atelier::app {

RunDesk::RunDesk(EngineClient& engine, QObject* parent) : QObject(parent), m_engine(engine) {
  connect(&m_engine, &EngineClient::event, this, &RunDesk::take);
  connect(&m_engine, &EngineClient::ended, this, &RunDesk::finish);
}

int RunDesk::submit(Job job) {
  const int id = ++m_last;
  m_waiting.push_back({id, std::move(job)});
  if (m_held || busy()) Q_EMIT changed();
  else startNext();
  return id;
}

void RunDesk::cancel(int id) {
  if (busy() && m_current.id == id) return stop();
  const auto found = std::find_if(m_waiting.begin(), m_waiting.end(), [id](const Entry& entry) { return entry.id == id; });
  if (found == m_waiting.end()) return;
  m_waiting.erase(found);
  Q_EMIT changed();
}

void RunDesk::move(int id, int place) {
  const auto found = std::find_if(m_waiting.begin(), m_waiting.end(), [id](const Entry& entry) { return entry.id == id; });
  if (found == m_waiting.end()) return;
  auto entry = std::move(*found);
  m_waiting.erase(found);
  m_waiting.insert(m_waiting.begin() + std::clamp<std::ptrdiff_t>(place, 0, std::ssize(m_waiting)), std::move(entry));
  Q_EMIT changed();
}

void RunDesk::clear() {
  if (std::exchange(m_waiting, {}).empty()) return;
  Q_EMIT changed();
}

void RunDesk::setHeld(bool held) {
  if (held == m_held) return;
  m_held = held;
  if (!m_held && !busy() && !m_waiting.empty()) startNext();
  else Q_EMIT changed();
}

void RunDesk::startNext() {
  if (m_waiting.empty() || m_engine.running()) return;
  m_current = std::move(m_waiting.front());
  m_waiting.erase(m_waiting.begin());
  m_state = State::Starting;
  Q_EMIT started(m_current.id);
  Q_EMIT changed();
  m_engine.start(m_current.job.command);
}

void RunDesk::setState(State state) {
  if (state == m_state) return;
  m_state = state;
  Q_EMIT changed();
}

void RunDesk::pause() {
  if (m_state != State::Running) return;
  m_engine.pause();
  setState(State::Paused);
}

void RunDesk::resume() {
  if (m_state != State::Paused) return;
  m_engine.resume();
  setState(State::Running);
}

void RunDesk::stop() {
  if (!busy() || m_state == State::Stopping) return;
  m_engine.stop();
  setState(State::Stopping);
}

void RunDesk::set(const QString& key, double value) {
  if (busy()) m_engine.set(key, value);
}

void RunDesk::ask(const QStringList& arguments, Answer answer) {
  m_engine.ask(arguments, std::move(answer));
}

void RunDesk::take(const wire::RunEvent& told) {
  if (!busy()) return;
  if (m_state == State::Starting) setState(State::Running);
  Q_EMIT event(m_current.id, told);
}

void RunDesk::finish(int exitCode) {
  if (!busy()) return;
  const int id = m_current.id;
  m_state = State::Idle;
  Q_EMIT ended(id, exitCode);
  // Whoever heard of the end may have submitted already.
  if (!busy() && !m_held && !m_waiting.empty()) startNext();
  else Q_EMIT changed();
}

}  // namespace atelier::app
