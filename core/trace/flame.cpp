#include "flame.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "index.h"

namespace atelier::trace {
namespace {

// What merges: same parent, same name and, of modules, the same path. Steps differ by their number alone and are one.
using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

Key keyOf(const Event& event, std::int32_t parent) {
  if (event.kind == Kind::Step) return {parent, -1, -1};
  return {parent, event.name, event.kind == Kind::Module ? event.module : -1};
}

FlameNode nodeOf(const Event& event, std::int32_t parent, std::int32_t depth) {
  FlameNode node;
  node.name = event.name;
  node.kind = event.kind;
  node.stage = event.stage;
  node.module = event.module;
  node.parent = parent;
  node.depth = depth;
  return node;
}

void count(FlameNode& node, const Event& event, std::int64_t self) {
  node.total_ns += event.duration;
  node.self_ns += self;
  ++node.calls;
  if (node.module != event.module) node.module = -1;
  if (node.stage != event.stage) node.stage = Stage::None;
}

// In the order in which they first happened: parents before children.
std::vector<FlameNode> merged(const Trace& trace, const Times& times, std::int32_t track, Span span) {
  std::vector<FlameNode> nodes;
  std::map<Key, std::int32_t> known;
  std::vector<std::int32_t> nodeOfEvent(trace.events.size(), -1);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.track != track) continue;
    const auto parent = event.parent < 0 ? -1 : nodeOfEvent[at(event.parent)];
    auto* above = parent < 0 ? nullptr : &nodes[at(parent)];
    if (!span.has(event)) {
      // Its parent began inside and is drawn whole: what is not drawn below it is its own.
      if (above) above->self_ns += event.duration;
      continue;
    }
    const auto [found, isNew] = known.emplace(keyOf(event, parent), idOf(nodes.size()));
    if (isNew) nodes.push_back(nodeOf(event, parent, above ? above->depth + 1 : 0));
    nodeOfEvent[i] = found->second;
    count(nodes[at(found->second)], event, times.self[i]);
  }
  return nodes;
}

// Children by size; at [0] the roots, at [i + 1] those of node i.
std::vector<std::vector<std::int32_t>> children(const std::vector<FlameNode>& nodes) {
  std::vector<std::vector<std::int32_t>> below(nodes.size() + 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) below[at(nodes[i].parent + 1)].push_back(idOf(i));
  const auto larger = [&nodes](std::int32_t a, std::int32_t b) { return nodes[at(a)].total_ns > nodes[at(b)].total_ns; };
  for (auto& siblings : below) std::stable_sort(siblings.begin(), siblings.end(), larger);
  return below;
}

}  // namespace

Flame flameOf(const Trace& trace, const Times& times, std::int32_t track, Span span) {
  const auto nodes = merged(trace, times, track, span);
  const auto below = children(nodes);
  Flame flame;
  struct Next {
    std::int32_t node, parent;  // parent: in the flame
    std::int64_t offset;
  };
  std::vector<Next> stack;
  // The last pushed is placed first: siblings go onto the stack from the right.
  const auto push = [&](std::int32_t of, std::int32_t parent, std::int64_t offset) {
    const auto& siblings = below[at(of + 1)];
    for (const auto sibling : siblings) offset += nodes[at(sibling)].total_ns;
    for (auto one = siblings.rbegin(); one != siblings.rend(); ++one) {
      offset -= nodes[at(*one)].total_ns;
      stack.push_back({*one, parent, offset});
    }
  };
  push(-1, -1, 0);
  while (!stack.empty()) {
    const auto next = stack.back();
    stack.pop_back();
    auto node = nodes[at(next.node)];
    node.parent = next.parent;
    node.offset_ns = next.offset;
    flame.depth = std::max(flame.depth, node.depth + 1);
    if (node.parent < 0) flame.total_ns += node.total_ns;
    flame.nodes.push_back(node);
    push(next.node, idOf(flame.nodes.size() - 1), next.offset);
  }
  return flame;
}

}  // namespace atelier::trace
