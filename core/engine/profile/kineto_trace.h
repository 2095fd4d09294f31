// KinetoTrace: what Kineto saw in the windows of a profile, as the events of one trace, window behind window: the time between
// two windows is left out. Operators, modules, stages and steps come from Kineto's tree of results, runtime calls and what ran
// on a device from its activities, batches from the loader's spans. The trace's zero is the first event.
// The trace is not finish()ed here. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/profiler/collection.h>

#include "core/trace/trace.h"
#include "detail_table.h"
#include "memory_ledger.h"

namespace atelier::engine {

// The name of a step's range: this and the step's number.
inline constexpr std::string_view kStepMark = "step ";

// One moment on two clocks, in ns: the steady one, and the Unix time that Kineto speaks.
struct ClockPair {
  std::int64_t steady = 0, wall = 0;
  static ClockPair now();
};

// A batch that a worker made, on the steady clock.
struct LoaderSpan {
  std::int64_t worker = 0, begin = 0, end = 0;
};

// What is known of a window beside Kineto's results.
struct Window {
  ClockPair begin{}, end{};
  std::vector<LoaderSpan> loader{};
  // Before each step, on a GPU before the first alone; none: memory is not profiled.
  std::vector<trace::MemoryAtStart> live{};
  std::unordered_set<const void*> weights{};  // storages of the model's parameters and buffers
};

class KinetoTrace {
 public:
  // `mainThread`: the system's id of the thread that steps. `device`: −1, or the GPU that the work runs on.
  KinetoTrace(trace::Trace& trace, std::int64_t mainThread, int device);

  void add(const torch::autograd::profiler::ProfilerResult& result, const Window& window);
  bool sawDevice() const { return m_sawDevice; }

 private:
  using Result = torch::profiler::impl::Result;
  using Activity = torch::autograd::profiler::KinetoEvent;
  // What holds below a result in the tree.
  struct Place {
    const Result* result = nullptr;
    bool backward = false;
    trace::Stage stage = trace::Stage::None;
  };
  void addTree(const torch::autograd::profiler::ProfilerResult& result, const Window& window);
  void addOperator(const DetailTable::Operator& op, Place& place);
  void addAllocation(const Place& place, const Window& window);
  void addActivity(const Activity& activity);
  void addLoader(const Window& window, std::int64_t first);
  std::vector<MemoryBorder> bordersOf(const Window& window);
  void keep(const trace::Event& event);
  std::int32_t hostTrack(std::int64_t thread, bool backward);
  std::int32_t deviceTrack(int device, std::int64_t stream);
  std::int32_t newTrack(std::string name, std::int64_t process, std::int64_t id, int device);

  trace::Trace& m_trace;
  const std::int64_t m_mainThread;
  DetailTable m_details;
  MemoryLedger m_ledger;
  std::unordered_map<std::int64_t, std::int32_t> m_threads, m_workers;
  std::map<std::pair<int, std::int64_t>, std::int32_t> m_streams;
  // Of the window that is being added: its allocations, and when its steps began.
  std::vector<trace::Allocation> m_allocations;
  std::vector<std::int64_t> m_steps;
  std::int64_t m_shift = 0;  // Unix time less the trace's
  std::int64_t m_end = 0;    // of the last event so far
  bool m_sawDevice = false;
};

}  // namespace atelier::engine
