#include "timeline_links.h"

#include <algorithm>

#include "core/trace/index.h"
#include "core/trace/links.h"

namespace atelier::app {

using trace::at;
using trace::idOf;

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;
using Pairs = std::vector<Pair>;

Pairs turned(const Pairs& pairs) {
  Pairs other;
  other.reserve(pairs.size());
  for (const auto& [from, to] : pairs) other.emplace_back(to, from);
  std::sort(other.begin(), other.end());
  return other;
}

}  // namespace

TimelineLinks::TimelineLinks(const trace::Trace& trace) {
  const trace::Launches launches(trace);
  const trace::Forwards forwards(trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (trace.onDevice(event)) {
      if (const auto call = launches.of(event); call >= 0) m_started.emplace_back(call, idOf(i));
    } else if (event.backward && forwards.isNode(event)) {
      const auto forward = forwards.of(event);
      // The engine's call of a node has the number of the node in it: one of them is enough.
      const bool isInner = event.parent >= 0 && trace.events[at(event.parent)].sequence == event.sequence;
      if (forward >= 0 && forward != idOf(i) && !isInner) m_backward.emplace_back(forward, idOf(i));
    }
  }
  std::sort(m_started.begin(), m_started.end());
  std::sort(m_backward.begin(), m_backward.end());
  m_starts = turned(m_started);
  m_forward = turned(m_backward);
}

std::vector<TimelineLink> TimelineLinks::of(const trace::Trace& trace, std::int32_t event, std::size_t most) const {
  std::vector<TimelineLink> links;
  const auto add = [&](std::int32_t from, std::int32_t to, bool backward) {
    const TimelineLink link{from, to, backward};
    if (links.size() < most && std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
  };
  const auto each = [&](const Pairs& pairs, std::int32_t first, std::int32_t end, const auto& take) {
    auto pair = std::lower_bound(pairs.begin(), pairs.end(), Pair(first, INT32_MIN));
    for (; pair != pairs.end() && pair->first < end && links.size() < most; ++pair) take(*pair);
  };
  each(m_starts, event, event + 1, [&](const Pair& pair) { add(pair.second, pair.first, false); });
  each(m_forward, event, event + 1, [&](const Pair& pair) { add(pair.second, pair.first, true); });
  each(m_backward, event, event + 1, [&](const Pair& pair) { add(pair.first, pair.second, true); });
  const auto& chosen = trace.events[at(event)];
  // What is below an event follows it, until the first one that begins after its end.
  const auto below = std::partition_point(
      trace.events.begin() + event + 1, trace.events.end(),
      [&chosen](const trace::Event& other) { return other.track == chosen.track && other.start < chosen.end(); });
  const auto end = trace.onDevice(chosen) ? event + 1 : static_cast<std::int32_t>(below - trace.events.begin());
  each(m_started, event, end, [&](const Pair& pair) { add(pair.first, pair.second, false); });
  each(m_backward, event + 1, end, [&](const Pair& pair) { add(pair.first, pair.second, true); });
  return links;
}

}  // namespace atelier::app
