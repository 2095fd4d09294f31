#include "timeline_search.h"

#include <algorithm>

#include "core/trace/index.h"
#include "name_filter.h"

namespace atelier::app {

using trace::at;

TimelineSearch::TimelineSearch(const trace::Trace& trace, const TimelineLayout& layout, const QString& text) {
  const NameFilter filter(trace, text);
  if (filter.active())
    find(trace, layout, [&filter](const trace::Event& event) { return filter.has(event.name, event.module); });
}

TimelineSearch::TimelineSearch(const trace::Trace& trace, const TimelineLayout& layout, std::int32_t name,
                               std::int32_t module) {
  if (name < 0 && module < 0) return;
  find(trace, layout, [name, module](const trace::Event& event) {
    return (name < 0 || event.name == name) && (module < 0 || event.module == module);
  });
}

template <class Matches>
void TimelineSearch::find(const trace::Trace& trace, const TimelineLayout& layout, const Matches& matches) {
  m_active = true;
  for (const auto id : layout.byTime())
    if (matches(trace.events[at(id)])) m_events.push_back(id);
  const auto& rows = layout.rows();
  m_before.reserve(rows.size() + 1);
  m_before.push_back(0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    m_before.push_back(m_before.back() + (matches(trace.events[at(rows.id(i))]) ? 1U : 0U));
}

std::int32_t TimelineSearch::next(const trace::Trace& trace, std::int32_t event, int direction) const {
  if (m_events.empty()) return -1;
  if (event < 0) return direction < 0 ? m_events.back() : m_events.front();
  const auto isBefore = [&trace](std::int32_t a, std::int32_t b) {
    const auto from = trace.events[at(a)].start, other = trace.events[at(b)].start;
    return from != other ? from < other : a < b;
  };
  if (direction < 0) {
    const auto found = std::lower_bound(m_events.begin(), m_events.end(), event, isBefore);
    return found == m_events.begin() ? m_events.back() : *(found - 1);
  }
  const auto found = std::upper_bound(m_events.begin(), m_events.end(), event, isBefore);
  return found == m_events.end() ? m_events.front() : *found;
}

}  // namespace atelier::app
