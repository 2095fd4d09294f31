#include "tree.h"

#include <algorithm>

#include "index.h"
#include "links.h"

namespace atelier::trace {
namespace {

bool isCall(const Event& event) {
  return event.kind == Kind::Runtime || event.kind == Kind::Synchronize;
}

// What is charged with the work that a call starts: the operator, module or range that made the call. By event.
std::vector<std::int32_t> callers(const Trace& trace) {
  std::vector<std::int32_t> all(trace.events.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& event = trace.events[i];
    all[i] = isCall(event) && event.parent >= 0 ? all[at(event.parent)] : idOf(i);
  }
  return all;
}

}  // namespace

Times timesOf(const Trace& trace) {
  Times times;
  const auto count = trace.events.size();
  times.self.reserve(count);
  for (const auto& event : trace.events) times.self.push_back(event.duration);
  for (const auto& event : trace.events)
    if (event.parent >= 0) times.self[at(event.parent)] -= event.duration;
  times.device_self.assign(count, 0);
  if (trace.hasDevice()) {
    const Launches launches(trace);
    const auto charged = callers(trace);
    for (const auto& event : trace.events) {
      const auto call = trace.onDevice(event) ? launches.of(event) : -1;
      if (call >= 0) times.device_self[at(charged[at(call)])] += event.duration;
    }
  }
  times.device_total = times.device_self;
  for (std::size_t i = count; i-- > 0;)
    if (trace.events[i].parent >= 0) times.device_total[at(trace.events[i].parent)] += times.device_total[i];
  return times;
}

Span stepsSpan(const Trace& trace) {
  Span span{INT64_MAX, INT64_MIN};
  for (const auto& event : trace.events) {
    if (event.kind != Kind::Step) continue;
    span.from = std::min(span.from, event.start);
    span.to = std::max(span.to, event.end());
  }
  return span.from == INT64_MAX ? Span{} : span;
}

}  // namespace atelier::trace
