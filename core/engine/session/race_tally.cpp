#include "race_tally.h"

#include "statistics.h"

namespace atelier::engine {

void RaceTally::add(double ratio, bool disturbed) {
  m_all.push_back(ratio);
  if (disturbed) ++m_discarded;
  else m_calm.push_back(ratio);
}

std::optional<wire::Interval> RaceTally::ratio() const {
  if (m_all.empty()) return std::nullopt;
  return medianInterval(m_calm.empty() ? m_all : m_calm);
}

std::string RaceTally::verdict() const {
  return raceVerdict(ratio().value_or(wire::Interval{}), pairs(), m_discarded);
}

bool RaceTally::decided() const {
  return raceDecided(m_calm) && verdict() != "machine-busy";
}

}  // namespace atelier::engine
