// The part of LearnModel for authors: a course that changes while it is shown.
#include <algorithm>

#include "labs/reload.h"
#include "learn_model.h"
#include "learn_replay.h"

namespace atelier::app {

void LearnModel::reloadCourse() {
  if (running()) return;
  m_course = lab::reloadCourse(m_courseFolder, language(), m_course);
  m_notices.clear();
  for (const auto& refused : m_course.refused) tell(refused.messages);
  reopen();
  findDone();
  Q_EMIT languageChanged();
  Q_EMIT runChanged();
  Q_EMIT changed();
}

// The open lab in its new form. What was answered and measured is kept where it still fits, as over a change of version; a lab
// that is gone stays on the screen until another is opened.
void LearnModel::reopen() {
  const auto* found = m_session ? m_course.find(m_session->lab().id) : nullptr;
  if (!found) return;
  if (found->outdated) tell(wire::Message{"course.outdated", {{"file", found->folder.string()}}});
  const auto step = stepId();
  const int index = m_session->index();
  m_session.emplace(*found);
  if (!scratch()) tell(m_session->load(m_home));
  const auto& steps = m_session->lab().steps;
  const auto same = std::find_if(steps.begin(), steps.end(), [&](const lab::Step& candidate) { return candidate.id == step; });
  const auto last = static_cast<int>(steps.size()) - 1;
  m_session->goTo(same == steps.end() ? std::min(index, last) : static_cast<int>(same - steps.begin()));
  ++m_visit;
  restoreRuns();
  m_replays->follow();
}

}  // namespace atelier::app
