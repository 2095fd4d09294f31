#include "compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "index.h"

namespace atelier::trace {
namespace {

using Key = std::tuple<std::string, std::string, bool>;  // module, name, backward

struct Sum {
  std::int64_t ns = 0, calls = 0;
};

struct Side {
  std::map<Key, Sum> sums;
  double steps = 1, step_ns = 0;
};

// Work of a step that its main thread waits for, or shares with it. Steps' own time has no name that two traces share, batches
// are made beside the step, and Python's frames stand over all the others.
bool counts(Kind kind) {
  return kind == Kind::Operator || kind == Kind::Range || kind == Kind::Module || kind == Kind::Runtime ||
         kind == Kind::Synchronize;
}

std::string moduleOf(const Trace& trace, const Event& event) {
  return event.module < 0 ? "" : trace.modules[at(event.module)].path;
}

void measureSteps(const Trace& trace, Side& side) {
  std::int64_t steps = 0, wall = 0, end = 0;
  for (const auto& event : trace.events) {
    if (trace.onDevice(event)) continue;
    end = std::max(end, event.end());
    if (event.kind != Kind::Step) continue;
    ++steps;
    wall += event.duration;
  }
  side.steps = steps > 0 ? static_cast<double>(steps) : 1;
  side.step_ns = static_cast<double>(steps > 0 ? wall : end) / side.steps;
}

Side sideOf(const Trace& trace, bool onDevice) {
  Side side;
  measureSteps(trace, side);
  const auto times = timesOf(trace);
  const auto span = stepsSpan(trace);
  std::vector<bool> beside(trace.events.size());  // below a batch being made
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    beside[i] = event.kind == Kind::Loader || (event.parent >= 0 && beside[at(event.parent)]);
    if (trace.onDevice(event) || !counts(event.kind) || beside[i] || !span.has(event)) continue;
    const auto ns = onDevice ? times.device_self[i] : times.self[i];
    if (onDevice && ns == 0) continue;
    auto& sum = side.sums[{moduleOf(trace, event), trace.nameOf(event), event.backward}];
    sum.ns += ns;
    ++sum.calls;
  }
  return side;
}

void put(const Side& side, std::map<Key, Change>& changes, double Change::*ns, double Change::*calls) {
  for (const auto& [key, sum] : side.sums) {
    auto& change = changes[key];
    std::tie(change.module, change.name, change.backward) = key;
    change.*ns = static_cast<double>(sum.ns) / side.steps;
    change.*calls = static_cast<double>(sum.calls) / side.steps;
  }
}

}  // namespace

Comparison compareTraces(const Trace& a, const Trace& b) {
  const bool onDevice = a.hasDevice() && b.hasDevice();
  const auto sideA = sideOf(a, onDevice), sideB = sideOf(b, onDevice);
  std::map<Key, Change> changes;
  put(sideA, changes, &Change::a_ns, &Change::a_calls);
  put(sideB, changes, &Change::b_ns, &Change::b_calls);
  Comparison comparison;
  comparison.a_step_ns = sideA.step_ns;
  comparison.b_step_ns = sideB.step_ns;
  for (auto& [key, change] : changes) comparison.changes.push_back(std::move(change));
  std::stable_sort(comparison.changes.begin(), comparison.changes.end(),
                   [](const auto& x, const auto& y) { return std::fabs(x.difference()) > std::fabs(y.difference()); });
  return comparison;
}

}  // namespace atelier::trace
