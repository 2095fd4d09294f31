#include <algorithm>
#include <map>
#include <unordered_map>

#include "finish.h"
#include "index.h"

namespace atelier::trace {
namespace {

// Follows one thread: which of its events is the innermost at a time. Times must not decrease.
class Innermost {
 public:
  explicit Innermost(const Trace& trace) : m_events(trace.events), m_bounds(trackBounds(trace)) {}

  void begin(std::int32_t track) {
    m_open.clear();
    m_next = m_bounds[at(track)];
    m_end = m_bounds[at(track) + 1];
  }

  std::int32_t eventAt(std::int64_t time) {
    for (; m_next < m_end && m_events[m_next].start <= time; ++m_next) {
      close(m_events[m_next].start);
      m_open.push_back(idOf(m_next));
    }
    close(time);
    return m_open.empty() ? -1 : m_open.back();
  }

 private:
  void close(std::int64_t time) {
    while (!m_open.empty() && m_events[at(m_open.back())].end() <= time) m_open.pop_back();
  }

  const std::vector<Event>& m_events;
  std::vector<std::size_t> m_bounds;
  std::vector<std::int32_t> m_open;
  std::size_t m_next = 0, m_end = 0;
};

// Each allocation comes with its track in place of its event.
void findEvents(Trace& trace) {
  auto& memory = trace.memory;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const auto track = memory[i].event;
    const bool known = track >= 0 && at(track) < trace.tracks.size() && trace.tracks[at(track)].device < 0;
    if (known) order.push_back(i);
    else memory[i].event = -1;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&memory](std::size_t a, std::size_t b) { return memory[a].event < memory[b].event; });
  Innermost innermost(trace);
  std::int32_t track = -1;
  for (const auto i : order) {
    if (memory[i].event != track) innermost.begin(track = memory[i].event);
    memory[i].event = innermost.eventAt(memory[i].time);
  }
}

// What is freed is what was allocated there.
void findCategories(Trace& trace) {
  std::map<int, std::unordered_map<std::uint64_t, Category>> live;  // by device and address
  for (auto& change : trace.memory) {
    auto& here = live[change.device];
    if (change.bytes > 0) {
      if (change.category == Category::Unknown && change.event >= 0)
        change.category = categoryOf(trace.events[at(change.event)].stage);
      here[change.address] = change.category;
    } else if (const auto found = here.find(change.address); found != here.end()) {
      if (change.category == Category::Unknown) change.category = found->second;
      here.erase(found);
    }
  }
}

}  // namespace

void placeMemory(Trace& trace) {
  std::stable_sort(trace.memory.begin(), trace.memory.end(),
                   [](const Allocation& a, const Allocation& b) { return a.time < b.time; });
  findEvents(trace);
  findCategories(trace);
}

}  // namespace atelier::trace
