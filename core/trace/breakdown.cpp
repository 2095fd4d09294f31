#include <algorithm>
#include <string_view>

#include "finish.h"
#include "index.h"
#include "tables.h"
#include "timeline.h"

namespace atelier::trace {
namespace {

// A loader of Python whose workers are processes: none of their work is in the trace, and what the main thread does is wait.
bool waitsForProcesses(const Trace& trace, const Event& event) {
  if (event.kind != Kind::Range) return false;
  std::string_view name = trace.nameOf(event);
  if (!name.starts_with(kPythonLoader)) return false;
  name.remove_prefix(kPythonLoader.size());
  return name.starts_with("_MultiProcessing");
}

class Accounts {
 public:
  Accounts(const Trace& trace, const Span& span) : m_trace(trace), m_main(mainTrack(trace)) {
    const auto steps = stepsIn(trace, span);
    for (const auto& step : steps) m_result.step_ns.push_back(step.to - step.from);
    m_result.steps = static_cast<std::int64_t>(steps.size());
    m_wall = united(steps.empty() ? Intervals{extentOf(trace, span)} : steps);
    m_result.wall_ns = lengthOf(m_wall);
  }

  Breakdown take() {
    addHost();
    addDevice();
    return std::move(m_result);
  }

 private:
  std::int64_t within(const Intervals& moments) const { return lengthOf(common(moments, m_wall)); }

  Intervals onMain(Kind kind) const {
    return momentsOf(m_trace, [&](const Event& event) { return event.track == m_main && event.kind == kind; });
  }

  void addHost() {
    const auto stages = stageMoments(m_trace, m_main);
    const auto operators = onMain(Kind::Operator);
    auto between = m_result.wall_ns;
    for (std::size_t stage = 1; stage < kStages; ++stage) {
      m_result.stage_ns[stage] = within(stages[stage]);
      between -= m_result.stage_ns[stage];
      m_result.overhead_ns += within(without(stages[stage], operators));
    }
    m_result.stage_ns[static_cast<std::size_t>(Stage::None)] = between;
    m_result.operators_ns = within(operators);
    m_result.synchronise_ns = within(onMain(Kind::Synchronize));
    m_result.data_wait_ns = within(without(waits(stages), operators));
  }

  // For batches that others make meanwhile.
  Intervals waits(const StageMoments& stages) const {
    const auto making =
        momentsOf(m_trace, [&](const Event& event) { return event.kind == Kind::Loader && event.track != m_main; });
    auto all = common(stages[static_cast<std::size_t>(Stage::Data)], making);
    const auto processes =
        momentsOf(m_trace, [&](const Event& event) { return event.track == m_main && waitsForProcesses(m_trace, event); });
    all.insert(all.end(), processes.begin(), processes.end());
    return united(std::move(all));
  }

  void addDevice() {
    const auto device = busiestDevice(m_trace);
    if (device < 0) return;
    m_result.device_busy_ns =
        within(momentsOf(m_trace, [&](const Event& event) { return m_trace.tracks[at(event.track)].device == device; }));
    m_result.device_idle_ns = m_result.wall_ns - m_result.device_busy_ns;
    m_result.copy_ns = within(momentsOf(m_trace, [&](const Event& event) { return crossesDevices(m_trace, event); }));
  }

  const Trace& m_trace;
  std::int32_t m_main;
  Intervals m_wall;
  Breakdown m_result;
};

}  // namespace

Breakdown breakdownOf(const Trace& trace, const Times& /*times*/, Span span) {
  return Accounts(trace, span).take();
}

}  // namespace atelier::trace
