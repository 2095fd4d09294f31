#include <algorithm>
#include <utility>

#include "finish.h"
#include "index.h"
#include "tables.h"
#include "timeline.h"

namespace atelier::trace {
namespace {

// What the host does that can keep a device waiting, in stretches that don't overlap.
struct Doing {
  std::int64_t from = 0, to = 0;
  std::int32_t event = -1;
};
using Doings = std::vector<Doing>;

Doings doings(const Trace& trace, const Which& which) {
  Doings all;
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (which(trace.events[i])) all.push_back({trace.events[i].start, trace.events[i].end(), idOf(i)});
  std::stable_sort(all.begin(), all.end(), [](const Doing& a, const Doing& b) { return a.from < b.from; });
  Doings apart;
  for (auto doing : all) {
    if (!apart.empty()) doing.from = std::max(doing.from, apart.back().to);
    if (doing.from < doing.to) apart.push_back(doing);
  }
  return apart;
}

Intervals momentsIn(const Doings& all) {
  Intervals moments;
  for (const auto& doing : all) moments.push_back({doing.from, doing.to});
  return united(std::move(moments));
}

Doings outside(const Doings& all, const Intervals& other) {
  Doings left;
  std::size_t next = 0;
  for (auto doing : all) {
    while (next < other.size() && other[next].to <= doing.from) ++next;
    for (auto k = next; k < other.size() && other[k].from < doing.to; ++k) {
      if (other[k].from > doing.from) left.push_back({doing.from, other[k].from, doing.event});
      doing.from = std::min(other[k].to, doing.to);
    }
    if (doing.from < doing.to) left.push_back(doing);
  }
  return left;
}

// One kind of doing, asked for gap after gap in order.
class Layer {
 public:
  Layer(const char* cause, Doings doings) : m_cause(cause), m_doings(std::move(doings)) {}
  const char* cause() const { return m_cause; }

  // Time of the gap spent in it, and the event that takes most of it.
  std::pair<std::int64_t, std::int32_t> in(const Interval& gap) {
    while (m_next < m_doings.size() && m_doings[m_next].to <= gap.from) ++m_next;
    std::int64_t time = 0, longest = 0;
    std::int32_t event = -1;
    for (auto k = m_next; k < m_doings.size() && m_doings[k].from < gap.to; ++k) {
      const auto shared = std::min(gap.to, m_doings[k].to) - std::max(gap.from, m_doings[k].from);
      time += shared;
      if (shared > longest) event = m_doings[k].event;
      longest = std::max(longest, shared);
    }
    return {time, event};
  }

 private:
  const char* m_cause;
  Doings m_doings;
  std::size_t m_next = 0;
};

class DeviceGaps {
 public:
  DeviceGaps(const Trace& trace, const Span& span, std::int32_t main)
      : m_trace(trace), m_main(main), m_launches(trace.tracks.size(), false), m_steps(united(stepsIn(trace, span))) {
    for (const auto& event : trace.events)
      if (event.kind == Kind::Runtime || event.kind == Kind::Synchronize) m_launches[at(event.track)] = true;
    for (const auto& event : trace.events)
      if (event.kind == Kind::Loader || trace.onDevice(event)) m_launches[at(event.track)] = false;
    m_launches[at(main)] = true;
    addLayers();
  }

  std::vector<Idle> explain(const Intervals& gaps) {
    std::vector<Idle> all;
    all.reserve(gaps.size());
    for (const auto& gap : gaps) all.push_back(explain(gap));
    return all;
  }

 private:
  bool launches(const Event& event) const { return m_launches[at(event.track)]; }

  void addLayers() {
    auto data = doings(m_trace, [&](const Event& e) { return e.track == m_main && e.stage == Stage::Data; });
    const auto inData = momentsIn(data);
    const auto waits = doings(m_trace, [&](const Event& e) { return e.kind == Kind::Synchronize && launches(e); });
    const auto calls =
        doings(m_trace, [&](const Event& e) { return (e.kind == Kind::Operator || e.kind == Kind::Runtime) && launches(e); });
    const auto inWaits = momentsIn(waits);
    m_layers.emplace_back("data", std::move(data));
    m_layers.emplace_back("synchronise", outside(waits, inData));
    m_layers.emplace_back("launch", outside(outside(calls, inData), inWaits));
  }

  Idle explain(const Interval& gap) {
    Idle idle{gap.from, gap.to, "host"};
    std::int64_t rest = gap.to - gap.from, most = 0;
    for (auto& layer : m_layers) {
      const auto [time, event] = layer.in(gap);
      rest -= time;
      if (time <= most) continue;
      most = time;
      idle.cause = layer.cause();
      idle.event = event;
    }
    if (rest <= most) return idle;
    const bool between = !m_steps.empty() && inSteps(gap) < (gap.to - gap.from) / 2;
    return {gap.from, gap.to, between ? "between-steps" : "host"};
  }

  std::int64_t inSteps(const Interval& gap) {
    while (m_nextStep < m_steps.size() && m_steps[m_nextStep].to <= gap.from) ++m_nextStep;
    std::int64_t time = 0;
    for (auto k = m_nextStep; k < m_steps.size() && m_steps[k].from < gap.to; ++k)
      time += std::min(gap.to, m_steps[k].to) - std::max(gap.from, m_steps[k].from);
    return time;
  }

  const Trace& m_trace;
  std::int32_t m_main;
  std::vector<bool> m_launches;  // by track: threads that give the device its work
  Intervals m_steps;
  std::vector<Layer> m_layers;
  std::size_t m_nextStep = 0;
};

void append(std::vector<Idle>& all, const Intervals& moments, const char* cause) {
  for (const auto& moment : moments) all.push_back({moment.from, moment.to, cause});
}

// Without a device: the main thread in no operator.
std::vector<Idle> hostGaps(const Trace& trace, const Span& span, std::int32_t main, const Interval& region) {
  const auto working = momentsOf(trace, [main](const Event& event) {
    const bool call = event.kind == Kind::Runtime || event.kind == Kind::Synchronize;
    return event.track == main && (event.kind == Kind::Operator || call);
  });
  const auto idle = without(Intervals{region}, working);
  const auto data = common(idle, stageMoments(trace, main)[static_cast<std::size_t>(Stage::Data)]);
  const auto rest = without(idle, data);
  const auto steps = united(stepsIn(trace, span));
  std::vector<Idle> all;
  append(all, data, "data");
  append(all, steps.empty() ? rest : common(rest, steps), "host");
  if (!steps.empty()) append(all, without(rest, steps), "between-steps");
  return all;
}

// The innermost event of the track at that moment; −1 none.
std::int32_t eventAt(const Trace& trace, const std::vector<std::size_t>& bounds, std::int32_t track, std::int64_t time) {
  const auto first = trace.events.begin() + static_cast<std::ptrdiff_t>(bounds[at(track)]);
  const auto last = trace.events.begin() + static_cast<std::ptrdiff_t>(bounds[at(track) + 1]);
  const auto after = std::upper_bound(first, last, time, [](std::int64_t t, const Event& event) { return t < event.start; });
  if (after == first) return -1;
  auto event = idOf(static_cast<std::size_t>(after - trace.events.begin()) - 1);
  while (event >= 0 && trace.events[at(event)].end() <= time) event = trace.events[at(event)].parent;
  return event;
}

}  // namespace

std::vector<Idle> idleTimes(const Trace& trace, Span span, std::size_t most, std::int64_t* total) {
  if (total) *total = 0;
  const auto main = mainTrack(trace);
  auto region = extentOf(trace, span);
  region.to = std::min(region.to, span.to);
  if (main < 0 || region.from >= region.to) return {};
  const auto device = busiestDevice(trace);
  std::vector<Idle> all;
  if (device >= 0) {
    const auto busy = momentsOf(trace, [&](const Event& event) { return trace.tracks[at(event.track)].device == device; });
    all = DeviceGaps(trace, span, main).explain(without(Intervals{region}, busy));
  } else {
    all = hostGaps(trace, span, main, region);
  }
  if (total)
    for (const auto& idle : all) *total += idle.to - idle.from;
  std::sort(all.begin(), all.end(), [](const Idle& a, const Idle& b) {
    const auto longA = a.to - a.from, longB = b.to - b.from;
    return longA != longB ? longA > longB : a.from < b.from;
  });
  if (all.size() > most) all.resize(most);
  const auto bounds = trackBounds(trace);
  for (auto& idle : all)
    if (idle.event < 0) idle.event = eventAt(trace, bounds, main, idle.from + (idle.to - idle.from) / 2);
  return all;
}

}  // namespace atelier::trace
