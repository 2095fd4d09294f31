// RaceTally: the pairs of blocks of one variant of a race against a: their ratios, what they say so far, and whether more of
// them can still change it. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/wire/summary.h"

namespace atelier::engine {

class RaceTally {
 public:
  // The variant's samples/s over a's in one pair. A pair in which either block was disturbed is counted, and left out.
  void add(double ratio, bool disturbed);

  int pairs() const { return static_cast<int>(m_calm.size()); }
  int discarded() const { return m_discarded; }
  // Median with its 95 % interval over the undisturbed pairs; with none of those over all: the verdict says what it is worth.
  std::optional<wire::Interval> ratio() const;
  std::string verdict() const;
  // See raceDecided(). Never while the machine is too busy for a verdict.
  bool decided() const;

 private:
  std::vector<double> m_calm, m_all;
  int m_discarded = 0;
};

}  // namespace atelier::engine
