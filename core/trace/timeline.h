// What happened when: the threads, steps and stages of a trace as sets of moments; breakdown and idle times are made of them.
// Internal to the room. REQUIRES: trace.finish(). Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "intervals.h"
#include "trace.h"
#include "tree.h"

namespace atelier::trace {

// The device that works longest; −1: nothing ran on one, so that nothing can be said of it.
int busiestDevice(const Trace& trace);

// The moments in which one of these events went on.
using Which = std::function<bool(const Event&)>;
Intervals momentsOf(const Trace& trace, const Which& which);

// The steps that begin in the span, in order, none overlapping another.
Intervals stepsIn(const Trace& trace, const Span& span);
// From the first begin to the last end in the span, of events of any kind; empty when there are none.
Interval extentOf(const Trace& trace, const Span& span);

// The moments of each stage on the main track, none in two of them; what is in none belongs to Stage::None.
using StageMoments = std::array<Intervals, kStages>;
StageMoments stageMoments(const Trace& trace, std::int32_t main);

// A copy between host and device, not within one or between two.
bool crossesDevices(const Trace& trace, const Event& event);

}  // namespace atelier::trace
