// Keeps a trace within a number of events: whole steps go first, from the last one, then the latest events; what ran on a
// device goes with the call that started it. The same number bounds the allocations. Counted in events_cut and memory_cut.
// Any thread.
#pragma once

#include <cstdint>

#include "core/trace/trace.h"

namespace atelier::engine {

// REQUIRES: before trace.finish(); most > 0.
void boundTrace(trace::Trace& trace, std::int64_t most);

}  // namespace atelier::engine
