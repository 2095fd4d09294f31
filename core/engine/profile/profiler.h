// Profiler: Kineto around some steps of a trainer, after its schedule, turned into a trace::Trace: operators with their
// shapes, scalars, autograd numbers and modules, the stages that the trainer marks, batches made by the loader's workers,
// allocations with what they are for, and on a GPU the runtime's calls, kernels and copies. The active steps of all repeats
// stand one behind the other.
// REQUIRES: one Profiler at a time in the process; all calls on the thread that calls Trainer::step().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/session/trainer.h"
#include "core/trace/trace.h"
#include "schedule.h"

namespace atelier::engine {

struct ProfileOptions {
  ProfileSchedule schedule{};
  bool shapes = true, memory = true, modules = true;
  std::int64_t most_events = 1'000'000;  // of the trace; more are cut, latest first, and counted
};

class Profiler {
 public:
  Profiler(Trainer& trainer, const ProfileOptions& options);
  ~Profiler();  // ends a profile that is under way and drops it
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  bool done() const;  // the schedule is over, or the trace is full
  // Around each step of the trainer. Synchronises the device at the borders of active windows. Throws what Kineto throws.
  void beginStep();
  void endStep();
  // What was seen; finish()ed. Once. A window that is under way ends here.
  trace::Trace take();
  // What the reader should know; complete after take(): profile.no_device_events {device}, though one was asked for,
  // profile.ended_early {steps, planned, events}.
  const std::vector<wire::Message>& notices() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace atelier::engine
