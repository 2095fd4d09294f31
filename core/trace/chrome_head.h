// The head of our trace files: what Chrome's format has no place for. It stands before the events, whose threads it lists.
// Internal to the room. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace.h"

namespace atelier::trace {

// The beginning of the file's object, without its end and without "traceEvents". `threads`: which thread each track is in the
// file, within the track's process.
std::string headText(const Trace& trace, const std::vector<std::int64_t>& threads);

}  // namespace atelier::trace
