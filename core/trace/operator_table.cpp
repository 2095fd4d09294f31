#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cost.h"
#include "index.h"
#include "saturating.h"
#include "tables.h"

namespace atelier::trace {
namespace {

std::string shapesText(const Detail& detail) {
  std::string text;
  for (const auto& input : detail.inputs) {
    if (!text.empty()) text += ' ';
    text += '[';
    for (std::size_t i = 0; i < input.sizes.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(input.sizes[i]);
    text += ']';
  }
  return text;
}

std::uint64_t pairKey(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}

class OperatorTable {
 public:
  OperatorTable(const Trace& trace, const Times& times, const EventCosts& costs, const Peaks& peaks, Span span, GroupBy group)
      : m_trace(trace),
        m_times(times),
        m_costs(costs),
        m_peaks(peaks),
        m_span(span),
        m_byShapes(group == GroupBy::NameAndShapes) {}

  std::vector<OperatorRow> take() {
    addEvents();
    addMemory();
    addModules();
    std::vector<OperatorRow> rows;
    rows.reserve(m_rows.size());
    for (auto& row : m_rows) rows.push_back(finished(row));
    const bool device = m_trace.hasDevice();
    std::sort(rows.begin(), rows.end(), [&](const OperatorRow& a, const OperatorRow& b) {
      const std::pair timeA(device ? a.device_self_ns : 0, a.self_ns), timeB(device ? b.device_self_ns : 0, b.self_ns);
      if (timeA != timeB) return timeA > timeB;
      return a.name != b.name ? m_trace.names[at(a.name)] < m_trace.names[at(b.name)] : a.shapes < b.shapes;
    });
    return rows;
  }

 private:
  struct Row {
    OperatorRow row{};
    std::int32_t open = 0;       // calls under way: an operator that calls itself takes its time once
    std::int64_t costed_ns = 0;  // time of the calls whose FLOPs are known
    std::string dtype{};         // of the first of those
  };

  std::size_t newRow(const Event& event, std::string shapes) {
    auto& row = m_rows.emplace_back().row;
    row.name = event.name;
    row.shapes = std::move(shapes);
    return m_rows.size() - 1;
  }

  std::size_t rowOf(const Event& event) {
    const auto [quick, isNew] = m_byDetail.try_emplace(pairKey(event.name, m_byShapes ? event.detail : -1), 0);
    if (!isNew) return quick->second;
    const auto* detail = m_byShapes ? m_trace.detailOf(event) : nullptr;
    auto shapes = detail ? shapesText(*detail) : std::string();
    const auto [found, added] = m_byText.try_emplace(std::to_string(event.name) + ' ' + shapes, 0);
    if (added) found->second = newRow(event, std::move(shapes));
    return quick->second = found->second;
  }

  // Operators under way on the event's track when it begins.
  void closeBefore(const Event& event) {
    while (!m_open.empty()) {
      const auto& last = m_trace.events[m_open.back().first];
      if (last.track == event.track && last.end() > event.start) return;
      --m_rows[m_open.back().second].open;
      m_open.pop_back();
    }
  }

  void addEvents() {
    m_rowOfEvent.assign(m_trace.events.size(), kNoRow);
    for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
      const auto& event = m_trace.events[i];
      if (event.kind != Kind::Operator || !m_span.has(event)) continue;
      closeBefore(event);
      const auto index = rowOf(event);
      m_rowOfEvent[i] = index;
      add(m_rows[index], event, i, m_costs[i]);
      m_open.emplace_back(i, index);
      ++m_rows[index].open;
    }
  }

  void add(Row& into, const Event& event, std::size_t i, const std::optional<Cost>& cost) {
    auto& row = into.row;
    ++row.calls;
    row.self_ns += m_times.self[i];
    row.device_self_ns += m_times.device_self[i];
    if (into.open == 0) {
      row.total_ns += event.duration;
      row.device_total_ns += m_times.device_total[i];
    }
    if (!cost) return;
    row.flops += cost->flops;
    row.bytes = addSaturating(row.bytes, cost->bytes);
    into.costed_ns += m_times.device_self[i] > 0 ? m_times.device_self[i] : m_times.self[i];
    if (!into.dtype.empty()) return;
    for (const auto& input : m_trace.detailOf(event)->inputs)
      if (into.dtype.empty()) into.dtype = input.dtype;
  }

  void addMemory() {
    for (const auto& change : m_trace.memory) {
      if (change.bytes <= 0 || change.event < 0 || m_rowOfEvent[at(change.event)] == kNoRow) continue;
      auto& row = m_rows[m_rowOfEvent[at(change.event)]].row;
      ++row.allocations;
      row.allocated = addSaturating(row.allocated, change.bytes);
    }
  }

  void addModules() {
    const bool device = m_trace.hasDevice();
    std::unordered_map<std::uint64_t, std::int64_t> times;
    for (std::size_t i = 0; i < m_rowOfEvent.size(); ++i) {
      const auto module = m_trace.events[i].module;
      if (m_rowOfEvent[i] == kNoRow || module < 0) continue;
      times[pairKey(idOf(m_rowOfEvent[i]), module)] += device ? m_times.device_self[i] : m_times.self[i];
    }
    std::vector<std::pair<std::int64_t, std::uint64_t>> sorted;
    for (const auto& [key, time] : times) sorted.emplace_back(-time, key);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [time, key] : sorted)
      m_rows[key >> 32].row.modules.push_back(static_cast<std::int32_t>(key & 0xffffffffU));
  }

  OperatorRow finished(Row& from) const {
    auto row = std::move(from.row);
    if (row.flops <= 0 || from.costed_ns <= 0) return row;
    row.flops_per_second = row.flops / (static_cast<double>(from.costed_ns) * 1e-9);
    const double peak = m_peaks.peakFor(from.dtype);
    if (peak > 0) row.peak_share = std::min(1.0, row.flops_per_second / peak);
    return row;
  }

  static constexpr std::size_t kNoRow = SIZE_MAX;

  const Trace& m_trace;
  const Times& m_times;
  const EventCosts& m_costs;
  const Peaks& m_peaks;
  Span m_span;
  bool m_byShapes;
  std::vector<Row> m_rows;
  std::unordered_map<std::uint64_t, std::size_t> m_byDetail;
  std::unordered_map<std::string, std::size_t> m_byText;
  std::vector<std::size_t> m_rowOfEvent;
  std::vector<std::pair<std::size_t, std::size_t>> m_open;  // event, row
};

}  // namespace

std::vector<OperatorRow> operatorTable(const Trace& trace, const Times& times, const EventCosts& costs, const Peaks& peaks,
                                       Span span, GroupBy group) {
  return OperatorTable(trace, times, costs, peaks, span, group).take();
}

}  // namespace atelier::trace
