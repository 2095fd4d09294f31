#include "good_state.h"

#include <cmath>
#include <utility>
#include <vector>

#include "statistics.h"

namespace atelier::engine {

GoodState::GoodState(std::int64_t every, double spikeFactor) : m_every(every), m_spikeFactor(spikeFactor) {
  for (auto& archive : m_archives) archive.leave("loader.");
}

void GoodState::keep(std::int64_t step, const StateVisit& visit) {
  if (!std::exchange(m_kept, true)) {
    m_archives[m_sound].save(visit);
    m_step = step;
    return;
  }
  m_archives[1 - m_sound].save(visit);
  m_waitingStep = step;
  m_waiting = true;
}

bool GoodState::isSpike(double value) const {
  if (m_spikeFactor <= 0 || m_recent.size() < kFewest) return false;
  return value > m_spikeFactor * median(std::vector<double>(m_recent.begin(), m_recent.end()));
}

std::string GoodState::harm(std::optional<double> loss, std::optional<double> norm) const {
  if (loss && !std::isfinite(*loss)) return "rollback.loss";
  if (norm && !std::isfinite(*norm)) return "rollback.gradient";
  const auto looked = loss ? loss : norm;
  return looked && isSpike(*looked) ? "rollback.spike" : "";
}

std::string GoodState::judge(std::optional<double> loss, std::optional<double> norm) {
  auto found = harm(loss, norm);
  const auto looked = loss ? loss : norm;
  if (!found.empty() || !looked) return found;
  m_recent.push_back(*looked);
  if (m_recent.size() > kLosses) m_recent.pop_front();
  if (std::exchange(m_waiting, false)) {
    m_sound = 1 - m_sound;
    m_step = m_waitingStep;
  }
  return found;
}

std::int64_t GoodState::goBack(const StateVisit& visit) {
  m_waiting = false;
  m_archives[m_sound].load(visit);
  ++m_returns;
  return m_step;
}

}  // namespace atelier::engine
