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
  if (const auto* progress = std::get_if<wire::Progress>(&event.body)) takeStep(*progress, variant, event.t);
  if (const auto* phase = std::get_if<wire::PhaseChanged>(&event.body)) takePhase(phase->phase, variant, event.t);
}

void RunProgress::takeStep(const wire::Progress& progress, Variant& variant, std::int64_t at) {
  if (m_phase == QLatin1String("naive")) return;
  if (m_firstStep < 0) m_firstStep = at;
  if (!variant.base) variant.base = variant.naive ? progress.step : 0;
  variant.done = std::max<std::int64_t>(0, progress.step - *variant.base);
  variant.planned = std::max(progress.planned_steps, variant.done);
  m_active = m_last - m_firstStep - m_paused;
}

void RunProgress::takePhase(const std::string& phase, Variant& variant, std::int64_t at) {
  if (phase == "paused") {
    m_before = m_phase;
    m_pausedAt = at;
    m_phase = QStringLiteral("paused");
  } else if (phase == "resumed") {
    if (m_firstStep >= 0) m_paused += at - m_pausedAt;
    m_phase = m_before;
  } else {
    m_phase = QString::fromStdString(phase);
    variant.naive = variant.naive || phase == "naive";
  }
}

std::int64_t RunProgress::done() const {
  return m_variants[0].done + m_variants[1].done;
}

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
  const bool steps = m_phase.isEmpty() || m_phase == QLatin1String("warmup") || m_phase == QLatin1String("measuring");
  if (!steps || share() >= 1) return std::nullopt;
  if (share() < kEnoughToTell || m_active <= 0) {
    return m_expected > 0 ? std::optional<double>(m_expected) : std::nullopt;
  }
  return static_cast<double>(m_active) * 1e-9 * (1 - share()) / share();
}

}  // namespace atelier::app
