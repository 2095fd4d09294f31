#include "links.h"

#include <algorithm>
#include <tuple>

#include "finish.h"
#include "index.h"

namespace atelier::trace {

Launches::Launches(const Trace& trace) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    const bool call = event.kind == Kind::Runtime || event.kind == Kind::Synchronize;
    if (call && event.correlation != 0 && !trace.onDevice(event)) m_calls.emplace_back(event.correlation, idOf(i));
  }
  std::sort(m_calls.begin(), m_calls.end());
}

std::int32_t Launches::of(const Event& onDevice) const {
  if (onDevice.correlation == 0) return -1;
  const auto found = std::lower_bound(m_calls.begin(), m_calls.end(), std::pair(onDevice.correlation, std::int32_t{0}));
  return found != m_calls.end() && found->first == onDevice.correlation ? found->second : -1;
}

std::vector<char> nodeNames(const Trace& trace) {
  std::vector<char> nodes;
  nodes.reserve(trace.names.size());
  for (const auto& name : trace.names) nodes.push_back(name.starts_with(kNodePrefix) ? 1 : 0);
  return nodes;
}

bool Forwards::Operator::operator<(const Operator& other) const {
  return std::tie(sequence, start, event) < std::tie(other.sequence, other.start, other.event);
}

Forwards::Forwards(const Trace& trace) : m_trace(trace), m_nodeNames(nodeNames(trace)) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.kind == Kind::Operator && event.sequence >= 0 && !isNode(event))
      m_operators.push_back({event.sequence, event.start, idOf(i)});
  }
  std::sort(m_operators.begin(), m_operators.end());
}

bool Forwards::isNode(const Event& event) const {
  if (event.kind != Kind::Operator) return false;
  if (m_nodeNames[at(event.name)] != 0) return true;
  const auto* parent = event.parent < 0 ? nullptr : &m_trace.events[at(event.parent)];
  if (parent && m_nodeNames[at(parent->name)] != 0) return true;
  return event.backward && (!parent || !parent->backward);  // a trace that holds the nodes without their calls
}

std::int32_t Forwards::of(const Event& node) const {
  if (node.sequence < 0) return -1;
  const auto after = std::lower_bound(m_operators.begin(), m_operators.end(), Operator{node.sequence, node.start, 0});
  if (after == m_operators.begin() || (after - 1)->sequence != node.sequence) return -1;
  return (after - 1)->event;
}

}  // namespace atelier::trace
