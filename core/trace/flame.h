// Flame graph: the call stacks of a trace merged by name. Any thread. REQUIRES: trace.finish().
#pragma once

#include <string>
#include <vector>

#include "trace.h"
#include "tree.h"

namespace atelier::trace {

struct FlameNode {
  std::int32_t name = 0;  // in names
  Kind kind = Kind::Other;
  Stage stage = Stage::None;
  std::int32_t module = -1;
  std::int64_t total_ns = 0, self_ns = 0, calls = 0;
  std::int32_t parent = -1, depth = 0;  // in nodes; −1: a root
  std::int64_t offset_ns = 0;           // of its left edge from the root's: children stand side by side, largest first
};

struct Flame {
  std::vector<FlameNode> nodes;  // parents before children
  std::int64_t total_ns = 0;     // sum of the roots
  int depth = 0;                 // levels
};

// Of one track; `trace.tracks` index. Steps are merged into one.
Flame flameOf(const Trace& trace, const Times& times, std::int32_t track, Span span);

// A standalone SVG: each box with a <title> tooltip (name, time, share, calls); any name is escaped.
std::string flameSvg(const Trace& trace, const Flame& flame, const std::string& title);

}  // namespace atelier::trace
