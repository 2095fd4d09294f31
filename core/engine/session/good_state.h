// GoodState: the last state of a training that was sound, and the judgement of each step that tells when to go back to it.
// What is taken back is all but the place in the data: the batches since then, and the one that did the harm, are not seen
// again. Thread: the session's, between steps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "memory_archive.h"

namespace atelier::engine {

class GoodState {
 public:
  static constexpr std::size_t kLosses = 50;  // that a spike is measured against
  static constexpr std::size_t kFewest = 10;  // below as many nothing is a spike
  static constexpr int kMostReturns = 10;

  // `every`: steps between two kept states; `spikeFactor`: a loss above it times the median of the last ones is a spike, 0:
  // none is.
  GoodState(std::int64_t every, double spikeFactor);

  // Keeps the state after `step` steps. The first is taken to be sound; a later one is once the next step was, since a loss
  // says nothing of the update that followed it. Until then the former one is kept beside it.
  void keep(std::int64_t step, const StateVisit& visit);
  bool due(std::int64_t step) const { return step - (m_waiting ? m_waitingStep : m_step) >= m_every; }

  // What is wrong with a step: "rollback.loss", "rollback.gradient", "rollback.spike", or "" when nothing is. Where the loss is
  // not known (on a GPU it stays there), spikes are looked for in the gradients' norm, which is.
  std::string judge(std::optional<double> loss, std::optional<double> norm);

  // Puts the last sound state back and returns its step. Throws StateMismatch.
  // REQUIRES: something was kept.
  std::int64_t goBack(const StateVisit& visit);
  int returns() const { return m_returns; }

 private:
  std::string harm(std::optional<double> loss, std::optional<double> norm) const;
  bool isSpike(double value) const;

  std::int64_t m_every;
  double m_spikeFactor;
  std::int64_t m_step = 0, m_waitingStep = 0;
  bool m_kept = false, m_waiting = false;  // a state waits for the step that shows it to be sound
  int m_returns = 0;
  std::size_t m_sound = 0;  // which archive
  std::deque<double> m_recent;
  std::array<MemoryArchive, 2> m_archives;
};

}  // namespace atelier::engine
