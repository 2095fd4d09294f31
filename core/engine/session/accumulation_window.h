// AccumulationWindow: the micro-batches whose gradients add up to one optimizer step. Each micro-batch's mean loss is weighted by
// what it counts over what the window was expected to count; where the window counted something else in the end, its gradients
// are corrected once. So the step is that of the mean over all that was counted, Σ loss ÷ Σ counted, however unequal the
// micro-batches: one token at a loss of 4 and nine at 1 are 1.3, not the mean of means 2.5.
// Thread: the session's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "state_archive.h"

namespace atelier::engine {

class AccumulationWindow {
 public:
  // `expected`: samples or tokens that a whole window counts when no micro-batch is short.
  AccumulationWindow(std::int64_t length, std::int64_t expected)
      : m_length(std::max<std::int64_t>(1, length)), m_expected(static_cast<double>(std::max<std::int64_t>(1, expected))) {}

  // One micro-batch is a window by itself: nothing is weighted.
  bool single() const { return m_length == 1; }
  bool atBegin() const { return m_taken == 0; }
  bool endsWithNext() const { return m_taken + 1 >= m_length; }

  // Takes a micro-batch; returns the weight of its mean loss.
  double take(std::int64_t counted) {
    ++m_taken;
    m_counted += counted;
    return single() ? 1 : static_cast<double>(counted) / m_expected;
  }
  // Nothing at all was counted: there is no gradient to step by.
  bool empty() const { return m_counted == 0; }
  // What the window's gradients must be multiplied by; exactly 1 where it counted what was expected.
  double correction() const { return single() || empty() ? 1 : m_expected / static_cast<double>(m_counted); }
  void close() { m_taken = m_counted = 0; }

  void state(StateArchive& archive) {
    archive.integer("taken", m_taken);
    archive.integer("counted", m_counted);
  }

 private:
  std::int64_t m_length;
  double m_expected;
  std::int64_t m_taken = 0, m_counted = 0;
};

}  // namespace atelier::engine
