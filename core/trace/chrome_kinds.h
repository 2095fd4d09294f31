// How kinds of events stand in Chrome's traces: as the categories that Kineto writes, and where those don't tell, by a name of
// our own in the arguments. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "trace.h"

namespace atelier::trace {

// "cpu_op", "user_annotation", …
std::string_view chromeCategory(Kind kind, std::string_view name);
// Of an event with that category and name; also as PyTorch 1.8 wrote them ("Operator", "Memcpy").
Kind kindOf(std::string_view category, std::string_view name);
// What says nothing of the program: the profiler's own, and what Kineto draws a second time on a device.
bool isIgnoredCategory(std::string_view category);

// "operator", "step", …
std::string_view kindName(Kind kind);
std::optional<Kind> kindNamed(std::string_view name);

}  // namespace atelier::trace
