// RunProgress: how far a run (or both variants of a race) has come and how long it will take, from its events. Time spent
// paused does not count, nor do the steps of the naive stopwatch, which come before the plan's first and after its last.
// Logic only. GUI thread.
#pragma once

#include <QString>

#include <array>
#include <optional>

#include "core/wire/run_event.h"

namespace atelier::app {

class RunProgress {
 public:
  // `variants`: 1 for a run, 2 for a race; `seconds`: about how long it takes, before anything is known.
  void start(int variants, int seconds);
  void take(const wire::RunEvent& event);

  double share() const;                             // 0 … 1
  std::optional<double> secondsLeft() const;        // only of warm-up and measurement
  const QString& phase() const { return m_phase; }  // loading, naive, warmup, measuring, evaluating, paused

 private:
  struct Variant {
    std::int64_t done = 0, planned = 0;
    bool naive = false;                // its naive stopwatch was read
    std::optional<std::int64_t> base;  // steps made before the plan's first
  };
  void takeStep(const wire::Progress& progress, Variant& variant, std::int64_t at);
  void takePhase(const std::string& phase, Variant& variant, std::int64_t at);
  std::int64_t done() const;
  std::int64_t planned() const;

  int m_count = 1;
  int m_expected = 0;
  std::array<Variant, 2> m_variants{};
  QString m_phase, m_before;
  std::int64_t m_last = 0, m_pausedAt = 0;  // nanoseconds
  std::int64_t m_active = 0;                // nanoseconds of stepping, pauses left out
  std::int64_t m_firstStep = -1;            // event time of the first progress
  std::int64_t m_paused = 0;
};

}  // namespace atelier::app
