#include "good_state.h"

#include <cmath>
#include <vector>

#include "statistics.h"

namespace atelier::engine {

GoodState::GoodState(std::int64_t every, double spikeFactor) : m_every(every), m_spikeFactor(spikeFactor) {
  m_archive.leave("loader.");
}

void GoodState::keep(std::int64_t step, const StateVisit& visit) {
  m_archive.save(visit);
  m_step = step;
}

bool GoodState::isSpike(double value) const {
  if (m_spikeFactor <= 0 || m_recent.size() < kFewest) return false;
  return value > m_spikeFactor * median(std::vector<double>(m_recent.begin(), m_recent.end()));
}

std::string GoodState::judge(std::optional<double> loss, std::optional<double> norm) {
  if (loss && !std::isfinite(*loss)) return "rollback.loss";
  if (norm && !std::isfinite(*norm)) return "rollback.gradient";
  const auto looked = loss ? loss : norm;
  if (!looked) return "";
  if (isSpike(*looked)) return "rollback.spike";
  m_recent.push_back(*looked);
  if (m_recent.size() > kLosses) m_recent.pop_front();
  return "";
}

std::int64_t GoodState::goBack(const StateVisit& visit) {
  m_archive.load(visit);
  ++m_returns;
  return m_step;
}

}  // namespace atelier::engine
