#include "trace_bound.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace atelier::engine {
namespace {

using trace::Event;

// When each event was begun by the host: on a device, its launch.
std::vector<std::int64_t> begins(const trace::Trace& trace) {
  std::unordered_map<std::int64_t, std::int64_t> launches;
  for (const auto& event : trace.events)
    if (event.correlation != 0 && !trace.onDevice(event)) launches.try_emplace(event.correlation, event.start);
  std::vector<std::int64_t> all;
  all.reserve(trace.events.size());
  for (const auto& event : trace.events) {
    const auto launch = trace.onDevice(event) ? launches.find(event.correlation) : launches.end();
    all.push_back(launch == launches.end() ? event.start : launch->second);
  }
  return all;
}

// The time from which nothing is kept, so that at most `most` events are left.
std::int64_t cutTime(const trace::Trace& trace, const std::vector<std::int64_t>& begins, std::size_t most) {
  auto sorted = begins;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> steps;
  for (const auto& event : trace.events)
    if (event.kind == trace::Kind::Step) steps.push_back(event.start);
  std::sort(steps.begin(), steps.end());
  for (auto step = steps.size(); step-- > 1;) {
    const auto before = std::lower_bound(sorted.begin(), sorted.end(), steps[step]) - sorted.begin();
    if (static_cast<std::size_t>(before) <= most) return steps[step];
  }
  return sorted[most];
}

void cutMemory(trace::Trace& trace, std::int64_t from, std::size_t most) {
  auto& memory = trace.memory;
  std::stable_sort(memory.begin(), memory.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  const auto kept =
      std::lower_bound(memory.begin(), memory.end(), from, [](const auto& a, auto time) { return a.time < time; });
  const auto size = std::min(static_cast<std::size_t>(kept - memory.begin()), most);
  trace.memory_cut += static_cast<std::int64_t>(memory.size() - size);
  memory.resize(size);
}

}  // namespace

void boundTrace(trace::Trace& trace, std::int64_t most) {
  const auto bound = static_cast<std::size_t>(most);
  auto from = std::numeric_limits<std::int64_t>::max();
  if (trace.events.size() > bound) {
    const auto all = begins(trace);
    from = cutTime(trace, all, bound);
    std::vector<Event> kept;
    kept.reserve(bound);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] < from) kept.push_back(trace.events[i]);
    trace.events_cut += static_cast<std::int64_t>(trace.events.size() - kept.size());
    trace.events = std::move(kept);
  }
  cutMemory(trace, from, bound);
}

}  // namespace atelier::engine
