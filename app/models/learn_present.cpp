// The part of LearnModel for presenting: any step of any lab in a known state, in a session that leaves no trace, and the lab's
// recorded run in place of a measurement that this machine can't make.
#include <algorithm>
#include <utility>

#include "learn_model.h"
#include "learn_replay.h"
#include "run_desk.h"

namespace atelier::app {

namespace {

bool sameSteps(const lab::Lab& one, const lab::Lab& other) {
  return std::equal(one.steps.begin(), one.steps.end(), other.steps.begin(), other.steps.end(),
                    [](const lab::Step& a, const lab::Step& b) { return a.id == b.id; });
}

}  // namespace

void LearnModel::setPresenting(bool presenting) {
  if (presenting == m_presenting) return;
  m_presenting = presenting;
  if (!presenting) leaveScratch();
  Q_EMIT changed();
}

bool LearnModel::jump(const std::string& lab, int step) {
  const auto* found = m_course.find(lab);
  if (!m_presenting || !found || step < 0 || step >= static_cast<int>(found->steps.size())) return false;
  if (running()) {
    tell(wire::Message{"app.learn.busy"});
    Q_EMIT changed();
    return false;
  }
  if (!m_kept) m_kept = Kept{m_session};
  // The views still show the old runs: these go when the views were told.
  const auto old = std::exchange(m_runs, {});
  m_session.emplace(*found);
  m_session->goTo(step);
  m_notices.clear();
  enter();
  return true;
}

// What every other session than the one before has to begin with.
void LearnModel::enter() {
  ++m_visit;
  m_failures.clear();
  m_restored.clear();
  m_race.reset();
  if (m_session) restoreRuns();
  m_replays->follow();
  Q_EMIT runChanged();
  Q_EMIT changed();
}

void LearnModel::leaveScratch() {
  if (!m_kept) return;
  if (running()) {
    // It ends unseen; what it has measured stays among the recorded runs.
    m_desk.cancel(std::exchange(m_job, 0));
    m_state = RunState::Idle;
    m_live.stop();
  }
  const auto old = std::exchange(m_runs, {});
  m_session = std::exchange(m_kept, std::nullopt)->session;
  m_notices.clear();
  // The course may have been translated, or written anew, since.
  if (const auto* now = m_session ? m_course.find(m_session->lab().id) : nullptr; now) {
    if (sameSteps(*now, m_session->lab())) {
      m_session->translate(*now);
    } else {
      m_session.emplace(*now);
      tell(m_session->load(m_home));
    }
  }
  enter();
}

bool LearnModel::fallsBack() const {
  return m_presenting && !canRun() && !running() && m_replays->offers(LearnReplay::Record::Lab);
}

void LearnModel::start() {
  if (canRun()) return run();
  if (!fallsBack()) return;
  tell(wire::Message{m_desk.busy() ? "replay.fallback.busy" : "replay.fallback.engine"});
  m_replays->start(LearnReplay::Record::Lab);
}

// A run that has just failed because the device it asks for is not there, before an audience: the record takes its place.
void LearnModel::fallBack() {
  const auto failed = m_failures.find(m_runStep);
  const bool here = m_presenting && m_session && stepId() == m_runStep && failed != m_failures.end();
  if (!here || failed->second.why.code != wire::ExitCode::NoDevice) return;
  if (!m_replays->offers(LearnReplay::Record::Lab)) return;
  tell(failed->second.why.messages);
  tell(wire::Message{"replay.fallback.device"});
  m_failures.erase(failed);
  m_replays->start(LearnReplay::Record::Lab);
}

}  // namespace atelier::app
