// The tables of where the time went: stages, transfers, idle times.
#include <algorithm>

#include "core/trace/index.h"
#include "profile_cells.h"
#include "profile_tables.h"
#include "trace_texts.h"

namespace atelier::app {

using trace::at;

namespace {

QString eventName(const trace::Trace& trace, std::int32_t event) {
  return event < 0 ? QStringLiteral("—") : plainName(trace.nameOf(trace.events[at(event)]));
}

// The longest ones, as long as each may take; the number of the others.
template <class Row>
std::size_t keepLongest(std::vector<Row>& rows, std::int64_t (*durationOf)(const Row&)) {
  std::stable_sort(rows.begin(), rows.end(),
                   [durationOf](const Row& a, const Row& b) { return durationOf(a) > durationOf(b); });
  if (rows.size() <= kMostEvents) return 0;
  const auto left = rows.size() - kMostEvents;
  rows.resize(kMostEvents);
  return left;
}

class StageTable {
 public:
  StageTable(const TraceDocument::Content& content, const Words& words)
      : m_breakdown(content.report.breakdown), m_cells(words), m_steps(stepsOf(content)) {}

  TraceRows take(const Words& words) {
    m_cells.addColumns(m_table, {{"profileview.column.part", false}, {"profileview.column.ms"}, {"profileview.column.share"}});
    const auto& b = m_breakdown;
    for (std::size_t i = 1; i < trace::kStages; ++i)
      if (b.stage_ns[i] > 0) add(stageText(static_cast<trace::Stage>(i), words), b.stage_ns[i]);
    add("profile.between", b.stage_ns[0]);
    add("profile.wall", b.wall_ns);
    if (b.operators_ns > 0) add("profileview.part.operators", b.operators_ns);
    if (b.overhead_ns > 0) add("profileview.part.overhead", b.overhead_ns);
    if (b.data_wait_ns > 0) add("profileview.part.data_wait", b.data_wait_ns);
    if (b.synchronise_ns > 0) add("profileview.part.synchronise", b.synchronise_ns);
    if (b.device_busy_ns <= 0) return std::move(m_table);
    add("profileview.part.device_busy", b.device_busy_ns);
    add("profileview.part.device_idle", b.device_idle_ns);
    if (b.copy_ns > 0) add("profileview.part.copies", b.copy_ns);
    return std::move(m_table);
  }

 private:
  void add(const char* id, std::int64_t ns) { add(m_cells.text(id), ns); }
  void add(const QString& part, std::int64_t ns) {
    TraceRow row;
    row.cells << ProfileCells::words(part) << m_cells.milliseconds(static_cast<double>(ns) / m_steps)
              << m_cells.share(static_cast<double>(ns), static_cast<double>(m_breakdown.wall_ns));
    m_table.rows.push_back(std::move(row));
  }

  const trace::Breakdown& m_breakdown;
  ProfileCells m_cells;
  double m_steps;
  TraceRows m_table;
};

}  // namespace

TraceRows stageRows(const TraceDocument::Content& content, const Words& words) {
  return StageTable(content, words).take(words);
}

TraceRows transferRows(const TraceDocument::Content& content, const Words& words) {
  const ProfileCells cells(words);
  const auto& trace = content.trace;
  TraceRows table;
  cells.addColumns(table, {{"profileview.column.what", false},
                           {"profileview.column.operator", false},
                           {"profileview.column.module", false},
                           {"profileview.column.stage", false},
                           {"profileview.column.mib"},
                           {"profileview.column.us"},
                           {"profileview.column.begins_ms"}});
  auto transfers = content.report.transfers;
  table.leftOut = keepLongest<trace::Transfer>(transfers, [](const trace::Transfer& transfer) { return transfer.duration; });
  for (const auto& transfer : transfers) {
    TraceRow row;
    row.event = transfer.event;
    const auto module = moduleText(trace, transfer.module, words);
    row.cells << ProfileCells::words(cells.known("transfer.", transfer.kind))
              << ProfileCells::words(eventName(trace, transfer.event))
              << (module.isEmpty() ? ProfileCells::none() : ProfileCells::words(module))
              << ProfileCells::words(stageText(transfer.stage, words)) << cells.mebibytes(static_cast<double>(transfer.bytes))
              << cells.microseconds(static_cast<double>(transfer.duration))
              << (transfer.event < 0 ? ProfileCells::none()
                                     : cells.milliseconds(static_cast<double>(trace.events[at(transfer.event)].start)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TraceRows idleRows(const TraceDocument::Content& content, const Words& words) {
  const ProfileCells cells(words);
  TraceRows table;
  cells.addColumns(table, {{"profileview.column.cause", false},
                           {"profileview.column.us"},
                           {"profileview.column.begins_ms"},
                           {"profileview.column.meanwhile", false}});
  auto idle = content.report.idle;
  table.leftOut = keepLongest<trace::Idle>(idle, [](const trace::Idle& stretch) { return stretch.to - stretch.from; });
  for (const auto& stretch : idle) {
    TraceRow row;
    row.event = stretch.event;
    row.cells << ProfileCells::words(cells.known("idle.", stretch.cause))
              << cells.microseconds(static_cast<double>(stretch.to - stretch.from))
              << cells.milliseconds(static_cast<double>(stretch.from))
              << ProfileCells::words(eventName(content.trace, stretch.event));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace atelier::app
