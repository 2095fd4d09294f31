// Session: a run of one variant, or a race of two to four by interleaved blocks in mirrored order (A B C C B A …), from plan
// to summary. Says everything as events. Whatever it has measured when it is stopped or an exception passes through run() can
// still be had from summaries(). One session at a time; run() on one thread, `emit` may be called from the monitor's thread
// too.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/trace/machine.h"
#include "core/trace/trace.h"
#include "core/wire/run_event.h"
#include "core/wire/run_spec.h"
#include "measure.h"
#include "race_tally.h"

namespace atelier::engine {

class Checkpoint;

// What a run goes on from, and what is to be said of it.
struct Resumption {
  std::shared_ptr<const Checkpoint> from{};
  std::vector<wire::Message> notices{};
};

// Called with the variant ("" in a single run) and the event's body; must be thread-safe.
using EventSink = std::function<void(const std::string& variant, wire::EventBody body)>;

struct Variant {
  std::string run_id, name;  // name: "a" to "d" in a race, the point's number in a sweep, else ""
  wire::RunSpec spec;
  std::filesystem::path folder{};  // where its checkpoints go, there when the first is written; empty: none are written
  Resumption resume{};
};

// What the steps after a run's measurement showed under the profiler.
struct ProfileMade {
  std::string variant;
  trace::Trace trace;
  trace::Peaks peaks;
  wire::Health health{};        // of one step after the profiled ones
  double others_percent = -1;   // mean processor time of other processes while the run was measured; < 0 not known
  double bf16_over_fp32 = 0;    // of matmul rates here
};

class Session {
 public:
  // One variant is a run; of more the first is a, which each of the others is compared with.
  Session(std::vector<Variant> variants, TensorMemory& memory, Control& control, EventSink emit);
  ~Session();

  // Throws what LibTorch throws (c10::OutOfMemoryError for the budget); returns plan errors.
  wire::Status run();
  // One a variant, whatever happened; `status` of those that did not end by themselves.
  std::vector<wire::RunSummary> summaries(const std::string& status) const;
  // The comparisons, from what was measured so far, of variants that ended as these summaries say. REQUIRES: a race.
  wire::RaceSummary race(const std::vector<wire::RunSummary>& summaries) const;
  bool interrupted() const { return m_interrupted; }
  // REQUIRES: there is such a variant.
  const wire::RunSpec& specOf(const std::string& variant) const;
  // Profiles that the specs asked for, in the variants' order; once.
  std::vector<ProfileMade> takeProfiles() { return std::move(m_profiles); }

 private:
  struct Runner;
  wire::Status prepare();
  std::pair<double, double> naiveSteps(Runner& runner);
  void naiveBefore(Runner& runner);
  void naiveAfter(Runner& runner);
  void warmUp(Runner& runner);
  void measureOne(Runner& runner);
  void measureRace();
  bool raceBlock(Runner& runner, std::int64_t round, std::int64_t rounds);
  bool raceOver();
  void takePairs();
  bool sameQuality(const wire::RunSummary& a, const wire::RunSummary& other, std::size_t which) const;
  bool block(Runner& runner, std::int64_t steps);
  void evaluate(Runner& runner, Split split);
  void profile(Runner& runner);
  wire::Health lookAtOneStep(Runner& runner);
  void phase(const std::string& variant, const std::string& name);
  void hear(std::size_t index, wire::EventBody body);
  StepWatch watch(Runner& runner, const StepFigures& figures, bool measured);
  void makeCurrent(Runner& runner, bool settle);
  void settleDown(Runner& runner);
  void obeySettings();
  void sayNotFinite(Runner& runner);
  wire::Status begin(Runner& runner);
  bool rollBack(Runner& runner, const StepFigures& figures);
  void keepWhenDue(Runner& runner, StepWatch& watch);
  void keepLast(Runner& runner);
  void keepState(Runner& runner, bool weights);

  std::vector<Variant> m_variants;
  TensorMemory& m_memory;
  Control& m_control;
  EventSink m_emit;
  std::vector<std::unique_ptr<Runner>> m_runners;
  std::atomic<Runner*> m_current{nullptr};
  bool m_interrupted = false;
  std::optional<wire::Error> m_failure;  // that a step made: the run can't go on
  std::chrono::steady_clock::time_point m_begin;
  std::unique_ptr<class SystemMonitor> m_monitor;
  std::vector<RaceTally> m_tallies;  // of each variant after the first, in their order
  int m_plannedPairs = 0;
  bool m_stoppedEarly = false;
  std::int64_t m_peakRss = 0;
  std::vector<ProfileMade> m_profiles;
};

}  // namespace atelier::engine
