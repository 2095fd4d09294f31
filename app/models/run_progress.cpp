#include "run_progress.h"

#include <algorithm>

namespace atelier::app {

void RunProgress::start(int variants, int seconds) {
  *this = RunProgress();
  m_count = std::clamp(variants, 1, 2);
  m_expected = seconds;
}

void RunProgress::take(const wire::RunEvent& event) {
  auto& variant = m_variants[event.variant == "b" ? 1 : 0];
  m_last = std::max(m_last, event.t);
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body))
    variant.planned = started->planned_steps + started->warmup_steps;
  if (const auto* progress = std::get_if<wire::Progress>(&event.body)) {
    if (m_firstStep < 0) m_firstStep = event.t;
    variant.done = progress->step;
    variant.planned = std::max(progress->planned_steps, progress->step);
    m_active = m_last - m_firstStep - m_paused;
  }
  if (const auto* phase = std::get_if<wire::PhaseChanged>(&event.body)) {
    if (phase->phase == "paused") {
      m_before = m_phase;
      m_pausedAt = event.t;
      m_phase = QStringLiteral("paused");
    } else if (phase->phase == "resumed") {
      if (m_firstStep >= 0) m_paused += event.t - m_pausedAt;
      m_phase = m_before;
    } else {
      m_phase = QString::fromStdString(phase->phase);
    }
  }
}

std::int64_t RunProgress::done() const { return m_variants[0].done + m_variants[1].done; }

std::int64_t RunProgress::planned() const {
  // Before a race's second variant has spoken, it is taken to be as long as the first.
  if (m_count == 2 && m_variants[1].planned == 0) return 2 * m_variants[0].planned;
  return m_variants[0].planned + m_variants[1].planned;
}

double RunProgress::share() const {
  return planned() > 0 ? std::clamp(static_cast<double>(done()) / static_cast<double>(planned()), 0.0, 1.0) : 0.0;
}

std::optional<double> RunProgress::secondsLeft() const {
  constexpr double kEnoughToTell = 0.05;
  if (share() < kEnoughToTell || m_active <= 0) {
    return m_expected > 0 ? std::optional<double>(m_expected) : std::nullopt;
  }
  return static_cast<double>(m_active) * 1e-9 * (1 - share()) / share();
}

}  // namespace atelier::app
