// TimelineSearch: the events that match what was typed (all of its words stand in the event's name or its module's path,
// whatever their case and accents) or what was chosen. Holds ids only, so that it must be made anew with another trace. Pure;
// GUI thread.
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"
#include "timeline_layout.h"

namespace atelier::app {

class TimelineSearch {
 public:
  TimelineSearch() = default;  // no search
  // "" or blanks only: no search.
  TimelineSearch(const trace::Trace& trace, const TimelineLayout& layout, const QString& text);
  // The events of that name, in that module; −1: of any. Both −1: no search.
  TimelineSearch(const trace::Trace& trace, const TimelineLayout& layout, std::int32_t name, std::int32_t module);

  bool active() const { return m_active; }
  const std::vector<std::int32_t>& events() const { return m_events; }  // by their begin
  // Whether one of the events that a box stands for matches.
  // REQUIRES: active().
  bool has(const TimelineBox& box) const { return m_before[box.first + box.count] > m_before[box.first]; }
  // The match after (+1) or before (−1) an event in time, from the other end when there is none; event −1: from the ends.
  // −1: nothing matches.
  std::int32_t next(const trace::Trace& trace, std::int32_t event, int direction) const;

 private:
  template <class Matches>
  void find(const trace::Trace& trace, const TimelineLayout& layout, const Matches& matches);

  bool m_active = false;
  std::vector<std::int32_t> m_events;
  std::vector<std::uint32_t> m_before;  // matches before a position of the layout
};

}  // namespace atelier::app
