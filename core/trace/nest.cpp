#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "finish.h"
#include "index.h"

namespace atelier::trace {
namespace {

// Of events that take exactly the same time: which encloses which. By Kind.
constexpr std::array<int, 12> kRanks{5, 2, 0, 4, 6, 7, 7, 7, 6, 1, 3, 7};

int rankOf(Kind kind) {
  return kRanks[static_cast<std::size_t>(kind)];
}

bool before(const Event& a, const Event& b) {
  if (a.track != b.track) return a.track < b.track;
  if (a.start != b.start) return a.start < b.start;
  if (a.duration != b.duration) return a.duration > b.duration;
  return rankOf(a.kind) < rankOf(b.kind);
}

// Sorts ids: an event is large, and most sources give them almost in order.
void sortEvents(std::vector<Event>& events) {
  if (std::is_sorted(events.begin(), events.end(), before)) return;
  std::vector<std::int32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&events](std::int32_t a, std::int32_t b) { return before(events[at(a)], events[at(b)]); });
  std::vector<Event> sorted;
  sorted.reserve(events.size());
  for (const auto id : order) sorted.push_back(events[at(id)]);
  events = std::move(sorted);
}

class Nester {
 public:
  explicit Nester(Trace& trace) : m_trace(trace), m_events(trace.events) {}

  // True when something was cut.
  bool run() {
    const auto bounds = trackBounds(m_trace);
    m_cut = false;
    for (std::size_t track = 0; track + 1 < bounds.size(); ++track)
      // Kernels of one stream can overlap, and none calls another.
      if (m_trace.tracks[track].device < 0) nestTrack(bounds[track], bounds[track + 1]);
    return m_cut;
  }

 private:
  Event& innermost() { return m_events[at(m_open.back())]; }

  void nestTrack(std::size_t from, std::size_t to) {
    m_open.clear();
    for (std::size_t i = from; i < to; ++i) {
      auto& event = m_events[i];
      while (!m_open.empty() && innermost().end() <= event.start) m_open.pop_back();
      if (event.kind == Kind::Step || event.kind == Kind::Range) endFramesBefore(event);
      event.parent = m_open.empty() ? -1 : m_open.back();
      if (!m_open.empty() && event.end() > innermost().end()) {
        event.duration = innermost().end() - event.start;
        m_cut = true;
      }
      m_open.push_back(idOf(i));
    }
  }

  // PyTorch's steps begin and end inside of calls of Python functions: there the call is cut, the step is what is measured.
  void endFramesBefore(const Event& event) {
    while (!m_open.empty() && innermost().kind == Kind::Python && innermost().end() < event.end()) {
      innermost().duration = event.start - innermost().start;
      m_cut = true;
      m_open.pop_back();
    }
  }

  Trace& m_trace;
  std::vector<Event>& m_events;
  std::vector<std::int32_t> m_open;
  bool m_cut = false;
};

}  // namespace

std::vector<std::size_t> trackBounds(const Trace& trace) {
  std::vector<std::size_t> bounds(trace.tracks.size() + 1, 0);
  for (const auto& event : trace.events) ++bounds[at(event.track) + 1];
  std::partial_sum(bounds.begin(), bounds.end(), bounds.begin());
  return bounds;
}

void nest(Trace& trace) {
  for (auto& event : trace.events) {
    event.parent = -1;
    event.duration = std::max<std::int64_t>(event.duration, 0);
  }
  sortEvents(trace.events);
  // Cutting shortens, so that what took longer than another may now take as long: once more in order, where nothing crosses.
  if (Nester(trace).run()) {
    sortEvents(trace.events);
    Nester(trace).run();
  }
}

}  // namespace atelier::trace
