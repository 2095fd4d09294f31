// Times of a trace's events: what an event spent in itself, and what its launches cost on a device. Any thread.
// All integers: a parent's self time is its duration less its direct children's, never below zero; over a tree the self
// times sum to the root's duration.
#pragma once

#include <cstdint>
#include <vector>

#include "trace.h"

namespace atelier::trace {

struct Times {
  std::vector<std::int64_t> self;          // ns, one an event
  std::vector<std::int64_t> device_self;   // ns of device work that the event launched itself; each kernel is charged once
  std::vector<std::int64_t> device_total;  // with what its children launched
};

// REQUIRES: trace.finish().
Times timesOf(const Trace& trace);

// A span of a trace: analyses count the events that begin inside it. The whole trace: {0, max}.
struct Span {
  std::int64_t from = 0, to = INT64_MAX;
  bool has(const Event& event) const { return event.start >= from && event.start < to; }
};

// The thread that runs the steps; without steps the one that is longest in operators. −1: no thread is in the trace.
std::int32_t mainTrack(const Trace& trace);

// From the first step's begin to the last one's end; the whole trace when it has no steps.
Span stepsSpan(const Trace& trace);

}  // namespace atelier::trace
