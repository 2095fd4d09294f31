// The parts of Trace::finish(), in the order in which they must run. Internal to the room. One thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "trace.h"

namespace atelier::trace {

// PyTorch's autograd engine names the call of a node so, followed by the node's own name.
inline constexpr std::string_view kNodePrefix = "autograd::engine::evaluate_function: ";
// Python's profiler names the forward of a module so, followed by its type and a number.
inline constexpr std::string_view kPythonModule = "nn.Module: ";
// "ProfilerStep#12" of Python's profiler; ours are "step 12".
inline constexpr std::string_view kPythonStep = "ProfilerStep";
// Bytes of a module's path, far more than any model needs.
inline constexpr std::size_t kLongestPath = 2048;
inline constexpr std::string_view kPythonLoader = "enumerate(DataLoader)#";

// Sorts the events; sets parents; cuts what crosses the end of its parent.
void nest(Trace& trace);
// Details in the order of the events that have them, equal ones once, those of no event left out.
void shareDetails(Trace& trace);
// Steps, stages, modules, `backward`.
void place(Trace& trace);
// Allocations in the order of time, each with its event and category.
void placeMemory(Trace& trace);

// Whether ranges of the trace mark the stages of a step; in Python's traces they have to be found otherwise.
bool marksStages(const Trace& trace);
// Where each track's events begin in trace.events; one more at the end. REQUIRES: nest().
std::vector<std::size_t> trackBounds(const Trace& trace);

}  // namespace atelier::trace
