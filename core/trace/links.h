// Links across the tracks of a trace: from a device's work to the call that started it, and from autograd's nodes to the
// operators of the forward pass. Internal to the room. REQUIRES of the trace: events sorted, parents set. Any thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace.h"

namespace atelier::trace {

// Calls of a device's runtime, by the number that they share with what they started.
class Launches {
 public:
  explicit Launches(const Trace& trace);
  // The call that started the device's event; −1: not in the trace.
  std::int32_t of(const Event& onDevice) const;

 private:
  std::vector<std::pair<std::int64_t, std::int32_t>> m_calls;  // correlation, event; sorted
};

// Which names are those of autograd's engine calling a node; one a name.
std::vector<char> nodeNames(const Trace& trace);

// Operators that made a node of autograd, by the sequence number that both have. A number is also that of operators before
// which it was the next to be given; so it is the last one before the node that made it. REQUIRES: `backward` is set.
class Forwards {
 public:
  explicit Forwards(const Trace& trace);
  // A call of a node by the engine, or the node itself.
  bool isNode(const Event& event) const;
  // −1: none in the trace.
  std::int32_t of(const Event& node) const;

 private:
  struct Operator {
    std::int64_t sequence = 0, start = 0;
    std::int32_t event = 0;
    bool operator<(const Operator& other) const;
  };

  const Trace& m_trace;
  std::vector<char> m_nodeNames;
  std::vector<Operator> m_operators;
};

}  // namespace atelier::trace
