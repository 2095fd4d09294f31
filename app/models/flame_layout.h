// FlameLayout: where the boxes of a flame graph stand when one of them fills the width, and how one gets from box to box.
// Only boxes that are wide enough to be seen are given out: what lies below a box that is not is passed over as a whole.
// Pure; const: any thread.
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

#include "core/trace/flame.h"

namespace atelier::app {

struct FlameBox {
  std::int32_t node = 0;
  double left = 0, right = 0;  // 0 … 1 of the width
  int level = 0;               // below the box that fills the width, which is 0; without one, the roots are 0
};

class FlameLayout {
 public:
  FlameLayout() = default;
  explicit FlameLayout(trace::Flame flame);

  const trace::Flame& flame() const { return m_flame; }
  bool empty() const { return m_flame.nodes.empty() || m_flame.total_ns <= 0; }

  // With that node across the width; −1: all. `least`: the share of the width that a box must have.
  std::vector<FlameBox> boxes(std::int32_t root, double least) const;
  // One of them, however small. REQUIRES: isBelow(node, root), !empty().
  FlameBox box(std::int32_t node, std::int32_t root) const;
  // The node that stands there; x: 0 … 1 of the width. −1: none.
  std::int32_t nodeAt(std::int32_t root, double x, int level) const;
  int levels(std::int32_t root) const;  // below and with the root
  // From the outermost caller to the node; empty for −1.
  std::vector<std::int32_t> path(std::int32_t node) const;
  std::int32_t parent(std::int32_t node) const;
  std::int32_t firstChild(std::int32_t node) const;  // the largest; of −1: the largest root; −1: none
  std::int32_t sibling(std::int32_t node, int direction) const;
  bool isBelow(std::int32_t node, std::int32_t root) const;  // or is it
  double share(std::int32_t node) const;                     // of all, 0 … 1
  // One a node: it matches what was typed. Empty: nothing was typed.
  std::vector<char> matches(const trace::Trace& trace, const QString& text) const;
  double shareOf(const std::vector<char>& matches) const;  // of all, 0 … 1; what is below a match is in it
  // The node that an event of the flame's track was merged into; −1: it isn't in the flame.
  std::int32_t nodeOf(const trace::Trace& trace, std::int32_t event) const;

 private:
  const trace::FlameNode& node(std::int32_t id) const { return m_flame.nodes[static_cast<std::size_t>(id)]; }

  trace::Flame m_flame;               // its nodes: each followed by all that is below it
  std::vector<std::int32_t> m_after;  // the first node that is not below
};

}  // namespace atelier::app
