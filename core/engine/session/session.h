// Session: a run of one variant, or a race of two by interleaved blocks (A B B A …), from plan to summary. Says everything
// as events. Whatever it has measured when it is stopped or an exception passes through run() can still be had from
// summaries(). One session at a time; run() on one thread, `emit` may be called from the monitor's thread too.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/wire/run_event.h"
#include "core/wire/run_spec.h"
#include "measure.h"

namespace atelier::engine {

// Called with the variant ("" in a single run) and the event's body; must be thread-safe.
using EventSink = std::function<void(const std::string& variant, wire::EventBody body)>;

struct Variant {
  std::string run_id, name;  // name: "", "a", "b"
  wire::RunSpec spec;
};

class Session {
 public:
  Session(std::vector<Variant> variants, TensorMemory& memory, Control& control, EventSink emit);
  ~Session();

  // Throws what LibTorch throws (c10::OutOfMemoryError for the budget); returns plan errors.
  wire::Status run();
  // One a variant, whatever happened; `status` of those that did not end by themselves.
  std::vector<wire::RunSummary> summaries(const std::string& status) const;
  // Of a race, from what was measured so far.
  std::optional<wire::RaceSummary> race(const std::string& status) const;
  bool interrupted() const { return m_interrupted; }

 private:
  struct Runner;
  wire::Status prepare();
  std::pair<double, double> naiveSteps(Runner& runner);
  void naiveBefore(Runner& runner);
  void naiveAfter(Runner& runner);
  void warmUp(Runner& runner);
  void measureOne(Runner& runner);
  void measureRace();
  bool block(Runner& runner, std::int64_t steps);
  void evaluate(Runner& runner);
  void phase(const std::string& variant, const std::string& name);
  StepWatch watch(Runner& runner, const StepFigures& figures, bool measured);
  void makeCurrent(Runner& runner, bool settle);
  void settleDown(Runner& runner);
  void obeySettings();
  void sayNotFinite(Runner& runner);
  void updateRace(int planned);

  std::vector<Variant> m_variants;
  TensorMemory& m_memory;
  Control& m_control;
  EventSink m_emit;
  std::vector<std::unique_ptr<Runner>> m_runners;
  std::atomic<Runner*> m_current{nullptr};
  bool m_interrupted = false;
  std::chrono::steady_clock::time_point m_begin;
  std::unique_ptr<class SystemMonitor> m_monitor;
  std::optional<wire::Interval> m_ratio;
  int m_pairs = 0, m_discardedPairs = 0;
  std::int64_t m_peakRss = 0;
};

}  // namespace atelier::engine
