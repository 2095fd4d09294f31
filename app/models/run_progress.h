// RunProgress: how far a run (all variants of a race, all points of a sweep) has come and how long it will take, from its
// events. Time spent paused does not count, nor do the steps of the naive stopwatch, which come before the plan's first and
// after its last. Logic only. GUI thread.
#pragma once

#include <QString>

#include <map>
#include <optional>
#include <string>

#include "core/wire/run_event.h"

namespace atelier::app {

class RunProgress {
 public:
  // `variants`: 1 for a run, 2 to 4 for a race, the points and the drift check of a sweep; `seconds`: about how long it
  // takes, before anything is known; 0: not known.
  void start(int variants, int seconds);
  void take(const wire::RunEvent& event);

  double share() const;                       // 0 … 1; a race's variants and a sweep's points count alike
  std::optional<double> secondsLeft() const;  // of a run or race only in warm-up and measurement
  // Not while the naive stopwatch, the evaluation or the profiler goes: none of them waits.
  bool canPause() const {
    return m_phase != QLatin1String("naive") && m_phase != QLatin1String("evaluating") &&
           m_phase != QLatin1String("profiling");
  }
  const QString& phase() const { return m_phase; }  // loading, naive, warmup, measuring, evaluating, profiling, paused

 private:
  struct Variant {
    std::int64_t done = 0, planned = 0;
    bool naive = false;                // its naive stopwatch was read
    bool ended = false;                // a sweep's point, done or failed
    std::optional<std::int64_t> base;  // steps made before the plan's first
  };
  void takeStep(const wire::Progress& progress, Variant& variant, std::int64_t at);
  void takePhase(const std::string& phase, Variant& variant, std::int64_t at);

  int m_count = 1;
  int m_expected = 0;
  std::map<std::string, Variant> m_variants;
  bool m_sweep = false;
  std::int64_t m_begin = 0;  // a sweep's clock when its present point's clock began
  QString m_phase, m_before;
  std::int64_t m_last = 0, m_pausedAt = 0;  // nanoseconds
  std::int64_t m_active = 0;                // nanoseconds of stepping, pauses left out
  std::int64_t m_firstStep = -1;            // event time of the first progress
  std::int64_t m_paused = 0;
};

}  // namespace atelier::app
