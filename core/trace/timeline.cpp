#include "timeline.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "finish.h"
#include "index.h"

namespace atelier::trace {
namespace {

struct Stretch {
  std::int64_t from = 0, to = 0;
  Stage stage = Stage::None;
};

// The stage of the innermost event that has one, all along a track. Steps and Python's frames say nothing of their own.
class Painter {
 public:
  std::vector<Stretch> paint(const Trace& trace, std::int32_t track) {
    for (const auto& event : trace.events) {
      if (event.track != track) continue;
      closeUntil(event.start);
      advance(event.start);
      const bool silent = event.kind == Kind::Step || event.kind == Kind::Python;
      const auto outer = m_open.empty() ? Stage::None : m_open.back().stage;
      m_open.push_back({event.end(), silent ? outer : event.stage});
    }
    closeUntil(INT64_MAX);
    return std::move(m_stretches);
  }

 private:
  struct Open {
    std::int64_t end = 0;
    Stage stage = Stage::None;
  };

  void closeUntil(std::int64_t time) {
    for (; !m_open.empty() && m_open.back().end <= time; m_open.pop_back()) advance(m_open.back().end);
  }

  void advance(std::int64_t to) {
    if (to <= m_at) return;
    const auto stage = m_open.empty() ? Stage::None : m_open.back().stage;
    auto* last = m_stretches.empty() ? nullptr : &m_stretches.back();
    if (stage != Stage::None && last && last->stage == stage && last->to == m_at) last->to = to;
    else if (stage != Stage::None) m_stretches.push_back({m_at, to, stage});
    m_at = to;
  }

  std::vector<Open> m_open;
  std::vector<Stretch> m_stretches;
  std::int64_t m_at = INT64_MIN;
};

// Where autograd has a thread of its own the main one waits for it.
void addBackwardElsewhere(const Trace& trace, std::int32_t main, std::vector<Stretch>& stretches) {
  const auto backward = momentsOf(trace, [&](const Event& event) {
    return event.track != main && event.stage == Stage::Backward && !trace.onDevice(event);
  });
  for (const auto& moment : backward) stretches.push_back({moment.from, moment.to, Stage::Backward});
  std::stable_sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
}

// Without marks a stage is known where something of it runs; what lies between two such moments of one stage is its own too.
std::vector<Stretch> bridged(const std::vector<Stretch>& sorted) {
  std::vector<Stretch> all;
  for (const auto& stretch : sorted) {
    const auto from = all.empty() ? stretch.from : std::max(stretch.from, all.back().to);
    if (stretch.to <= from) continue;
    if (!all.empty() && all.back().stage == stretch.stage) all.back().to = stretch.to;
    else all.push_back({from, stretch.to, stretch.stage});
  }
  return all;
}

}  // namespace

std::int32_t mainTrack(const Trace& trace) {
  // Steps, time in operators of the forward pass, in any, events: the first that differs decides.
  std::vector<std::array<std::int64_t, 4>> weights(trace.tracks.size());
  for (const auto& event : trace.events) {
    if (trace.onDevice(event)) continue;
    auto& [steps, forward, operators, events] = weights[at(event.track)];
    ++events;
    if (event.kind == Kind::Step) ++steps;
    if (event.kind != Kind::Operator || (event.parent >= 0 && trace.events[at(event.parent)].kind == Kind::Operator)) continue;
    operators += event.duration;
    if (!event.backward && event.stage != Stage::Data) forward += event.duration;
  }
  const auto best = std::max_element(weights.begin(), weights.end());
  return best == weights.end() || best->back() == 0 ? -1 : idOf(static_cast<std::size_t>(best - weights.begin()));
}

int busiestDevice(const Trace& trace) {
  std::map<int, std::int64_t> work;
  for (const auto& event : trace.events)
    if (trace.onDevice(event)) work[trace.tracks[at(event.track)].device] += event.duration;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto busiest = std::max_element(work.begin(), work.end(), less);
  return busiest == work.end() ? -1 : busiest->first;
}

Intervals momentsOf(const Trace& trace, const Which& which) {
  Intervals stretches;
  for (const auto& event : trace.events)
    if (which(event)) stretches.push_back({event.start, event.end()});
  return united(std::move(stretches));
}

Intervals stepsIn(const Trace& trace, const Span& span) {
  Intervals steps;
  for (const auto& event : trace.events)
    if (event.kind == Kind::Step && span.has(event)) steps.push_back({event.start, event.end()});
  std::stable_sort(steps.begin(), steps.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  for (std::size_t i = 1; i < steps.size(); ++i) {
    steps[i].from = std::max(steps[i].from, steps[i - 1].to);
    steps[i].to = std::max(steps[i].to, steps[i].from);
  }
  return steps;
}

Interval extentOf(const Trace& trace, const Span& span) {
  Interval extent{INT64_MAX, INT64_MIN};
  for (const auto& event : trace.events) {
    if (!span.has(event)) continue;
    extent.from = std::min(extent.from, event.start);
    extent.to = std::max(extent.to, event.end());
  }
  return extent.from == INT64_MAX ? Interval{} : extent;
}

StageMoments stageMoments(const Trace& trace, std::int32_t main) {
  auto stretches = Painter().paint(trace, main);
  if (!marksStages(trace)) {
    addBackwardElsewhere(trace, main, stretches);
    stretches = bridged(stretches);
  }
  StageMoments moments;
  for (const auto& stretch : stretches) moments[static_cast<std::size_t>(stretch.stage)].push_back({stretch.from, stretch.to});
  for (auto& stage : moments) stage = united(std::move(stage));
  return moments;
}

bool crossesDevices(const Trace& trace, const Event& event) {
  if (event.kind != Kind::Copy) return false;
  const std::string_view name = trace.nameOf(event);
  const auto says = [name](std::string_view way) { return name.find(way) != std::string_view::npos; };
  return !says("DtoD") && !says("PtoP") && !says("HtoH");
}

}  // namespace atelier::trace
