#include "timeline_layout.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "core/trace/index.h"

namespace atelier::app {

using trace::at;
using trace::idOf;

namespace {

// What is known of a track before its rows are made.
struct TrackFacts {
  std::size_t begin = 0, end = 0;  // in trace.events
  std::int64_t steps = 0, busy = 0;
};

std::vector<TrackFacts> factsOf(const trace::Trace& trace) {
  std::vector<TrackFacts> facts(trace.tracks.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    auto& track = facts[at(event.track)];
    if (track.end == 0) track.begin = i;
    track.end = i + 1;
    track.steps += event.kind == trace::Kind::Step;
    if (event.parent < 0 && event.kind != trace::Kind::Loader) track.busy += event.duration;
  }
  return facts;
}

// Rows of a thread: below the event that encloses.
void nestedRows(const trace::Trace& trace, const TrackFacts& track, std::vector<std::uint32_t>& rows) {
  for (auto i = track.begin; i < track.end; ++i) {
    const auto parent = trace.events[i].parent;
    rows[i] = parent < 0 ? 0 : rows[at(parent)] + 1;
  }
}

// Rows of a stream: the highest one that is free.
void packedRows(const trace::Trace& trace, const TrackFacts& track, std::vector<std::uint32_t>& rows) {
  using Busy = std::pair<std::int64_t, std::uint32_t>;  // until, row
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::set<std::uint32_t> free;
  std::uint32_t made = 0;
  for (auto i = track.begin; i < track.end; ++i) {
    const auto& event = trace.events[i];
    for (; !busy.empty() && busy.top().first <= event.start; busy.pop()) free.insert(busy.top().second);
    const auto row = free.empty() ? made++ : *free.begin();
    free.erase(row);
    rows[i] = row;
    busy.emplace(event.end(), row);
  }
}

// The innermost stage at each moment of a thread.
class StageBand {
 public:
  explicit StageBand(TimelineRows& rows) : m_rows(rows) {}

  void take(const trace::Event& event) {
    closeUntil(event.start);
    if (!m_open.empty()) reach(event.start);
    m_time = event.start;
    m_open.push_back({event.end(), event.stage, event.step});
  }

  void finish() {
    closeUntil(INT64_MAX);
    flush();
    m_rows.endRow();
    m_rows.finish();
  }

 private:
  struct Open {
    std::int64_t end = 0;
    trace::Stage stage = trace::Stage::None;
    std::int32_t step = -1;
  };

  void closeUntil(std::int64_t time) {
    for (; !m_open.empty() && m_open.back().end <= time; m_open.pop_back()) reach(m_open.back().end);
  }

  // What is open goes on until then.
  void reach(std::int64_t time) {
    const auto& open = m_open.back();
    const auto from = std::exchange(m_time, std::max(time, m_time));
    if (open.stage == trace::Stage::None || m_time <= from) return;
    // Between the operators of one stage there is nothing else of the step: they are one piece.
    const bool goesOn = m_piece.stage == open.stage && m_piece.step == open.step && (open.step >= 0 || m_piece.end == from);
    if (!goesOn) {
      flush();
      m_begin = from;
    }
    m_piece = {m_time, open.stage, open.step};
  }

  void flush() {
    if (m_piece.stage != trace::Stage::None)
      m_rows.add(m_begin, m_piece.end, tintOf(m_piece.stage), static_cast<std::int32_t>(m_piece.stage));
  }

  TimelineRows& m_rows;
  std::vector<Open> m_open;
  Open m_piece;  // not yet added: more of it may follow
  std::int64_t m_begin = 0, m_time = 0;
};

}  // namespace

TimelineLayout::TimelineLayout(const trace::Trace& trace) {
  orderTracks(trace);
  placeRows(trace);
  placeStages(trace);
  placeSteps(trace);
  orderByTime(trace);
  for (const auto& event : trace.events) m_end = std::max(m_end, event.end());
  for (const auto& change : trace.memory) m_end = std::max(m_end, change.time);
}

void TimelineLayout::orderTracks(const trace::Trace& trace) {
  const auto facts = factsOf(trace);
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (facts[i].end > 0) m_tracks.push_back({idOf(i), 0, 0, trace.tracks[i].device >= 0});
  const auto isLess = [&facts](const TimelineTrack& a, const TimelineTrack& b) {
    if (a.device != b.device) return b.device;
    const auto &left = facts[at(a.track)], &right = facts[at(b.track)];
    return std::tie(left.steps, left.busy) > std::tie(right.steps, right.busy);
  };
  const auto main = std::min_element(m_tracks.begin(), m_tracks.end(), isLess);
  // The others as the trace has them.
  if (main != m_tracks.end()) std::rotate(m_tracks.begin(), main, main + 1);
  if (m_tracks.size() > 1)
    std::stable_partition(m_tracks.begin() + 1, m_tracks.end(), [](const TimelineTrack& track) { return !track.device; });
}

void TimelineLayout::placeRows(const trace::Trace& trace) {
  const auto facts = factsOf(trace);
  m_rows.reserve(trace.events.size());
  m_rowOf.assign(trace.events.size(), 0);
  m_positionOf.assign(trace.events.size(), 0);
  for (auto& track : m_tracks) {
    const auto& range = facts[at(track.track)];
    (track.device ? packedRows : nestedRows)(trace, range, m_rowOf);
    track.firstRow = m_rows.rows();
    std::vector<std::size_t> ends;  // events of a row, then where it ends in `order`
    for (auto i = range.begin; i < range.end; ++i) {
      if (m_rowOf[i] >= ends.size()) ends.resize(m_rowOf[i] + 1, 0);
      ++ends[m_rowOf[i]];
    }
    track.rows = ends.size();
    std::vector<std::size_t> next(ends.size(), 0);
    std::exclusive_scan(ends.begin(), ends.end(), next.begin(), std::size_t{0});
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::size_t> order(range.end - range.begin);
    for (auto i = range.begin; i < range.end; ++i) order[next[m_rowOf[i]]++] = i;
    for (std::size_t row = 0, place = 0; row < ends.size(); ++row) {
      for (; place < ends[row]; ++place) {
        const auto i = order[place];
        const auto& event = trace.events[i];
        m_positionOf[i] = static_cast<std::uint32_t>(m_rows.size());
        m_rowOf[i] = static_cast<std::uint32_t>(track.firstRow + row);
        m_rows.add(event.start, event.end(), tintOf(event.kind, event.stage), idOf(i));
      }
      m_rows.endRow();
    }
  }
  m_rows.finish();
}

void TimelineLayout::placeStages(const trace::Trace& trace) {
  StageBand band(m_stages);
  for (const auto& event : trace.events)
    if (event.track == mainTrack()) band.take(event);
  band.finish();
}

void TimelineLayout::placeSteps(const trace::Trace& trace) {
  std::int64_t end = 0;
  for (const auto& event : trace.events) {
    if (event.track != mainTrack() || event.kind != trace::Kind::Step) continue;
    m_steps.push_back(event.start);
    end = event.end();
  }
  if (!m_steps.empty()) m_steps.push_back(end);
}

void TimelineLayout::orderByTime(const trace::Trace& trace) {
  m_byTime.resize(trace.events.size());
  std::iota(m_byTime.begin(), m_byTime.end(), 0);
  std::stable_sort(m_byTime.begin(), m_byTime.end(),
                   [&trace](std::int32_t a, std::int32_t b) { return trace.events[at(a)].start < trace.events[at(b)].start; });
}

const TimelineTrack& TimelineLayout::trackOfRow(std::size_t row) const {
  const auto after = std::upper_bound(m_tracks.begin(), m_tracks.end(), row,
                                      [](std::size_t wanted, const TimelineTrack& track) { return wanted < track.firstRow; });
  return *(after - 1);
}

std::int32_t TimelineLayout::hitTest(std::size_t row, double time, double reach) const {
  if (row >= m_rows.rows()) return -1;
  const auto position = m_rows.at(row, time, reach);
  return position ? m_rows.id(*position) : -1;
}

std::int32_t TimelineLayout::neighbour(std::int32_t event, int direction) const {
  const auto row = rowOf(event), position = positionOf(event);
  if (direction < 0) return position > m_rows.begin(row) ? m_rows.id(position - 1) : -1;
  return position + 1 < m_rows.end(row) ? m_rows.id(position + 1) : -1;
}

std::int32_t TimelineLayout::longestChild(const trace::Trace& trace, std::int32_t event) const {
  const auto& parent = trace.events[at(event)];
  std::int32_t longest = -1;
  // What is below an event follows it.
  for (auto i = at(event) + 1; i < trace.events.size(); ++i) {
    const auto& child = trace.events[i];
    if (child.track != parent.track || child.start > parent.end()) break;
    const bool isLonger = longest < 0 || child.duration > trace.events[at(longest)].duration;
    if (child.parent == event && isLonger) longest = idOf(i);
  }
  return longest;
}

}  // namespace atelier::app
