// TimelineLayout: where the events of a trace stand when it is drawn over time: tracks below one another, a row for each depth
// of a track. On a thread of the host an event stands one row below its parent; kernels that overlap on a stream stand below
// one another. Above them a row with the stages of the steps. Made once, in O(n log n); pure; const: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/trace.h"
#include "timeline_rows.h"

namespace atelier::app {

struct TimelineTrack {
  std::int32_t track = 0;    // in trace.tracks
  std::size_t firstRow = 0;  // in TimelineLayout
  std::size_t rows = 0;      // at least one
  bool device = false;
};

class TimelineLayout {
 public:
  TimelineLayout() = default;
  // REQUIRES: trace.finish(). The trace is read here and not kept.
  explicit TimelineLayout(const trace::Trace& trace);

  // Those with events: the one that runs the steps first, then the host's, then the devices'.
  const std::vector<TimelineTrack>& tracks() const { return m_tracks; }
  // Events by row; ids are those of the trace.
  const TimelineRows& rows() const { return m_rows; }
  // One row: the stages of the main track, innermost first; ids are those of trace::Stage. Pieces of one stage that follow one
  // another within a step are one.
  const TimelineRows& stages() const { return m_stages; }
  // Begins of the steps, rising, and the end of the last one; empty: the trace has none.
  const std::vector<std::int64_t>& stepBounds() const { return m_steps; }
  std::int64_t end() const { return m_end; }  // the last moment at which something was; 0: nothing was

  // In trace.tracks; −1: no event.
  std::int32_t mainTrack() const { return m_tracks.empty() ? -1 : m_tracks.front().track; }
  std::size_t rowOf(std::int32_t event) const { return m_rowOf[static_cast<std::size_t>(event)]; }
  std::size_t positionOf(std::int32_t event) const { return m_positionOf[static_cast<std::size_t>(event)]; }
  const TimelineTrack& trackOfRow(std::size_t row) const;
  // The event that stands there, or the nearest within `reach` ns; −1: none.
  std::int32_t hitTest(std::size_t row, double time, double reach = 0) const;
  // The next (+1) or last (−1) event in the same row; −1: none.
  std::int32_t neighbour(std::int32_t event, int direction) const;
  // Of the events right below it; −1: none.
  std::int32_t longestChild(const trace::Trace& trace, std::int32_t event) const;
  // All events by their begin.
  const std::vector<std::int32_t>& byTime() const { return m_byTime; }

 private:
  void orderTracks(const trace::Trace& trace);
  void placeRows(const trace::Trace& trace);
  void placeStages(const trace::Trace& trace);
  void placeSteps(const trace::Trace& trace);
  void orderByTime(const trace::Trace& trace);

  std::vector<TimelineTrack> m_tracks;
  TimelineRows m_rows, m_stages;
  std::vector<std::uint32_t> m_rowOf, m_positionOf;  // by event
  std::vector<std::int32_t> m_byTime;
  std::vector<std::int64_t> m_steps;
  std::int64_t m_end = 0;
};

}  // namespace atelier::app
