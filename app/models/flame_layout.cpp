#include "flame_layout.h"

#include <algorithm>
#include <utility>

#include "core/trace/index.h"
#include "name_filter.h"

namespace atelier::app {

using trace::at;
using trace::idOf;

FlameLayout::FlameLayout(trace::Flame flame) : m_flame(std::move(flame)) {
  const auto count = m_flame.nodes.size();
  m_after.resize(count);
  // From the last: whoever ends a subtree ends those of its parents too.
  for (std::size_t i = 0; i < count; ++i) m_after[i] = idOf(i + 1);
  for (auto i = count; i-- > 0;) {
    const auto parent = m_flame.nodes[i].parent;
    if (parent >= 0) m_after[at(parent)] = std::max(m_after[at(parent)], m_after[i]);
  }
}

FlameBox FlameLayout::box(std::int32_t id, std::int32_t root) const {
  const auto& one = node(id);
  const auto total = static_cast<double>(std::max<std::int64_t>(1, root < 0 ? m_flame.total_ns : node(root).total_ns));
  const auto origin = root < 0 ? 0 : node(root).offset_ns;
  const double left = static_cast<double>(one.offset_ns - origin) / total;
  return {id, left, left + static_cast<double>(one.total_ns) / total, one.depth - (root < 0 ? 0 : node(root).depth)};
}

std::vector<FlameBox> FlameLayout::boxes(std::int32_t root, double least) const {
  std::vector<FlameBox> boxes;
  if (empty()) return boxes;
  const auto end = root < 0 ? idOf(m_flame.nodes.size()) : m_after[at(root)];
  for (auto id = std::max(root, 0); id < end;) {
    const auto one = box(id, root);
    if (one.right - one.left < least) {
      id = m_after[at(id)];
      continue;
    }
    boxes.push_back(one);
    ++id;
  }
  return boxes;
}

std::int32_t FlameLayout::nodeAt(std::int32_t root, double x, int level) const {
  if (empty() || level < 0) return -1;
  auto found = root;
  for (int below = root < 0 ? -1 : 0; below < level; ++below) {
    auto child = firstChild(found);
    while (child >= 0 && box(child, root).right <= x) child = sibling(child, 1);
    if (child < 0 || box(child, root).left > x) return -1;
    found = child;
  }
  return found;
}

std::vector<char> FlameLayout::matches(const trace::Trace& trace, const QString& text) const {
  const NameFilter filter(trace, text);
  std::vector<char> matches;
  if (!filter.active()) return matches;
  matches.reserve(m_flame.nodes.size());
  for (const auto& one : m_flame.nodes) matches.push_back(filter.has(one.name, one.module) ? 1 : 0);
  return matches;
}

double FlameLayout::shareOf(const std::vector<char>& matches) const {
  if (empty() || matches.empty()) return 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < matches.size();) {
    if (matches[i] != 0) total += m_flame.nodes[i].total_ns;
    i = matches[i] != 0 ? at(m_after[i]) : i + 1;
  }
  return static_cast<double>(total) / static_cast<double>(m_flame.total_ns);
}

int FlameLayout::levels(std::int32_t root) const {
  if (root < 0) return m_flame.depth;
  int deepest = node(root).depth;
  for (auto id = root; id < m_after[at(root)]; ++id) deepest = std::max(deepest, node(id).depth);
  return deepest - node(root).depth + 1;
}

std::vector<std::int32_t> FlameLayout::path(std::int32_t id) const {
  std::vector<std::int32_t> path;
  for (; id >= 0; id = node(id).parent) path.push_back(id);
  std::reverse(path.begin(), path.end());
  return path;
}

std::int32_t FlameLayout::parent(std::int32_t id) const {
  return id < 0 ? -1 : node(id).parent;
}

std::int32_t FlameLayout::firstChild(std::int32_t id) const {
  if (id < 0) return m_flame.nodes.empty() ? -1 : 0;
  return m_after[at(id)] > id + 1 ? id + 1 : -1;
}

std::int32_t FlameLayout::sibling(std::int32_t id, int direction) const {
  if (id < 0) return -1;
  if (direction > 0) {
    const auto next = m_after[at(id)];
    return next < idOf(m_flame.nodes.size()) && node(next).parent == node(id).parent ? next : -1;
  }
  auto one = firstChild(node(id).parent);
  if (one == id) return -1;
  while (m_after[at(one)] != id) one = m_after[at(one)];
  return one;
}

bool FlameLayout::isBelow(std::int32_t id, std::int32_t root) const {
  return root < 0 || (id >= root && id < m_after[at(root)]);
}

double FlameLayout::share(std::int32_t id) const {
  if (empty()) return 0;
  return id < 0 ? 1 : static_cast<double>(node(id).total_ns) / static_cast<double>(m_flame.total_ns);
}

std::int32_t FlameLayout::nodeOf(const trace::Trace& trace, std::int32_t event) const {
  std::vector<std::int32_t> callers;
  for (auto id = event; id >= 0; id = trace.events[at(id)].parent) callers.push_back(id);
  std::int32_t found = -1;
  for (auto caller = callers.rbegin(); caller != callers.rend(); ++caller) {
    const auto& wanted = trace.events[at(*caller)];
    const auto fits = [&](const trace::FlameNode& one) {
      if (wanted.kind == trace::Kind::Step || one.kind == trace::Kind::Step) return wanted.kind == one.kind;
      if (one.name != wanted.name) return false;
      return wanted.kind != trace::Kind::Module || one.module == wanted.module;
    };
    auto child = firstChild(found);
    while (child >= 0 && !fits(node(child))) child = sibling(child, 1);
    // What began before the span is not in the flame: what it called stands at the top.
    if (child < 0 && found >= 0) return -1;
    if (child >= 0) found = child;
    else if (*caller == event) return -1;
  }
  return found;
}

}  // namespace atelier::app
