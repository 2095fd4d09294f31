#include "run_progress.h"

#include <algorithm>

namespace atelier::app {

void RunProgress::start(int variants, int seconds) {
  *this = RunProgress();
  m_count = std::max(1, variants);
  m_expected = seconds;
}

void RunProgress::take(const wire::RunEvent& event) {
  if (const auto* sweep = std::get_if<wire::SweepStarted>(&event.body)) {
    m_sweep = true;
    m_count = std::max(m_count, sweep->points);
  }
  // What is said of a sweep as a whole has a clock of its own, and each point's begins at zero again.
  if (m_sweep && event.variant.empty()) return;
  const auto* started = std::get_if<wire::RunStarted>(&event.body);
  if (m_sweep && started) m_begin = m_last;
  const auto at = m_begin + event.t;
  m_last = std::max(m_last, at);
  auto& variant = m_variants[event.variant];
  if (started) variant.planned = started->planned_steps + started->warmup_steps;
  if (const auto* progress = std::get_if<wire::Progress>(&event.body)) takeStep(*progress, variant, at);
  if (const auto* phase = std::get_if<wire::PhaseChanged>(&event.body)) takePhase(phase->phase, variant, at);
  const bool last =
      std::holds_alternative<wire::RunFinished>(event.body) || std::holds_alternative<wire::RunFailed>(event.body);
  variant.ended = variant.ended || (m_sweep && last);
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

double RunProgress::share() const {
  double sum = 0;
  for (const auto& [name, variant] : m_variants) {
    if (variant.ended) sum += 1;
    else if (variant.planned > 0)
      sum += std::clamp(static_cast<double>(variant.done) / static_cast<double>(variant.planned), 0.0, 1.0);
  }
  return std::clamp(sum / m_count, 0.0, 1.0);
}

std::optional<double> RunProgress::secondsLeft() const {
  constexpr double kEnoughToTell = 0.05;
  const bool steps =
      m_sweep || m_phase.isEmpty() || m_phase == QLatin1String("warmup") || m_phase == QLatin1String("measuring");
  if (!steps || share() >= 1) return std::nullopt;
  if (share() < kEnoughToTell || m_active <= 0) {
    return m_expected > 0 ? std::optional<double>(m_expected) : std::nullopt;
  }
  return static_cast<double>(m_active) * 1e-9 * (1 - share()) / share();
}

}  // namespace atelier::app
