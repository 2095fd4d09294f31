// TimelineLinks: what leads from one event of a trace to another on a different row: from the call of a device's runtime to the
// work that it started, from an operator of the forward pass to its node of autograd. Made once; const: any thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/trace/trace.h"

namespace atelier::app {

struct TimelineLink {
  std::int32_t from = -1, to = -1;  // in trace.events
  bool backward = false;            // from forward to backward; else from a launch to what it started
  bool operator==(const TimelineLink&) const = default;
};

class TimelineLinks {
 public:
  TimelineLinks() = default;
  // REQUIRES: trace.finish().
  explicit TimelineLinks(const trace::Trace& trace);

  // Those of the event itself and of the calls below it, at most `most`.
  std::vector<TimelineLink> of(const trace::Trace& trace, std::int32_t event, std::size_t most = 32) const;

 private:
  using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;  // sorted by first

  Pairs m_started, m_starts;    // call → work, work → call
  Pairs m_backward, m_forward;  // operator → node, node → operator
};

}  // namespace atelier::app
