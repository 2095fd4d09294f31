// The tables of what was called: operators, modules, kernels.
#include "profile_tables.h"

#include <QStringList>

#include "core/trace/index.h"
#include "profile_cells.h"
#include "trace_texts.h"

namespace atelier::app {

using trace::at;

namespace {

class CallTables {
 public:
  CallTables(const TraceDocument::Content& content, const Words& words)
      : m_content(content),
        m_words(words),
        m_cells(words),
        m_steps(stepsOf(content)),
        m_wall(static_cast<double>(content.report.breakdown.wall_ns)),
        m_device(content.trace.hasDevice()) {}

  TraceRows operators(bool byShapes) const {
    TraceRows table;
    m_cells.addColumn(table, "profileview.column.operator", false);
    if (byShapes) m_cells.addColumn(table, "profileview.column.shapes", false);
    m_cells.addColumns(table, {{"profileview.column.self_ms"}, {"profileview.column.share"}, {"profileview.column.total_ms"}});
    if (m_device) m_cells.addColumn(table, "profileview.column.device_ms");
    m_cells.addColumns(table, {{"profileview.column.calls"},
                               {"profileview.column.gflops"},
                               {"profileview.column.of_peak"},
                               {"profileview.column.mib"},
                               {"profileview.column.allocations"},
                               {"profileview.column.allocated_mib"},
                               {"profileview.column.module", false}});
    for (const auto& row : byShapes ? m_content.report.operators_by_shape : m_content.report.operators)
      table.rows.push_back(operatorRow(row, byShapes));
    return table;
  }

  TraceRows modules() const {
    TraceRows table;
    m_cells.addColumns(table, {{"profileview.column.module", false},
                               {"profileview.column.type", false},
                               {"profileview.column.forward_ms"},
                               {"profileview.column.forward_self_ms"},
                               {"profileview.column.backward_ms"},
                               {"profileview.column.share"}});
    if (m_device) m_cells.addColumn(table, "profileview.column.device_ms");
    m_cells.addColumns(table,
                       {{"profileview.column.calls"}, {"profileview.column.gflop"}, {"profileview.column.allocated_mib"}});
    for (const auto& row : m_content.report.modules) table.rows.push_back(moduleRow(row));
    return table;
  }

  TraceRows kernels() const {
    TraceRows table;
    m_cells.addColumns(table, {{"profileview.column.kernel", false},
                               {"profileview.column.total_ms"},
                               {"profileview.column.share"},
                               {"profileview.column.calls"},
                               {"profileview.column.mean_us"},
                               {"profileview.column.min_us"},
                               {"profileview.column.max_us"},
                               {"profileview.column.mib"},
                               {"profileview.column.device"}});
    for (const auto& row : m_content.report.kernels) table.rows.push_back(kernelRow(row));
    return table;
  }

 private:
  double perStep(std::int64_t value) const { return static_cast<double>(value) / m_steps; }
  TraceCell share(std::int64_t ns) const { return m_cells.share(static_cast<double>(ns), m_wall); }
  TraceCell name(std::int32_t id) const { return ProfileCells::words(plainName(m_content.trace.names[at(id)])); }

  TraceCell module(const std::vector<std::int32_t>& modules) const {
    if (modules.empty()) return ProfileCells::none();
    auto text = moduleText(m_content.trace, modules.front(), m_words);
    if (modules.size() > 1)
      text += QStringLiteral(" +") +
              QString::fromStdString(m_words.format().integer(static_cast<std::int64_t>(modules.size()) - 1));
    return ProfileCells::words(text);
  }

  TraceRow operatorRow(const trace::OperatorRow& from, bool byShapes) const {
    TraceRow row;
    row.name = from.name;
    row.cells << name(from.name);
    if (byShapes) row.cells << ProfileCells::words(plainName(from.shapes));
    row.cells << m_cells.milliseconds(perStep(from.self_ns)) << share(m_device ? from.device_self_ns : from.self_ns)
              << m_cells.milliseconds(perStep(from.total_ns));
    if (m_device) row.cells << m_cells.milliseconds(perStep(from.device_self_ns));
    row.cells << m_cells.count(perStep(from.calls)) << m_cells.positive(from.flops_per_second, 1e9)
              << (from.peak_share > 0 ? m_cells.share(from.peak_share, 1) : ProfileCells::none())
              << m_cells.mebibytes(perStep(from.bytes)) << m_cells.count(perStep(from.allocations))
              << m_cells.mebibytes(perStep(from.allocated)) << module(from.modules);
    return row;
  }

  TraceRow moduleRow(const trace::ModuleRow& from) const {
    TraceRow row;
    row.module = from.module;
    const bool outside = from.module < 0;
    row.cells << ProfileCells::words(outside ? m_words.text("profileview.outside")
                                             : moduleText(m_content.trace, from.module, m_words))
              << ProfileCells::words(outside ? QString() : plainName(m_content.trace.modules[at(from.module)].type))
              << m_cells.milliseconds(perStep(from.forward_ns)) << m_cells.milliseconds(perStep(from.forward_self_ns))
              << m_cells.milliseconds(perStep(from.backward_ns)) << share(from.forward_self_ns + from.backward_ns);
    if (m_device) row.cells << m_cells.milliseconds(perStep(from.device_ns));
    row.cells << m_cells.count(perStep(from.calls)) << m_cells.positive(from.flops / m_steps, 1e9)
              << m_cells.mebibytes(perStep(from.allocated));
    return row;
  }

  TraceRow kernelRow(const trace::KernelRow& from) const {
    TraceRow row;
    row.name = from.name;
    const auto us = [this](std::int64_t ns) { return m_cells.microseconds(static_cast<double>(ns)); };
    row.cells << name(from.name) << m_cells.milliseconds(perStep(from.total_ns)) << share(from.total_ns)
              << m_cells.count(perStep(from.calls)) << us(from.mean_ns) << us(from.min_ns) << us(from.max_ns)
              << m_cells.mebibytes(perStep(from.bytes)) << m_cells.count(from.device);
    return row;
  }

  const TraceDocument::Content& m_content;
  const Words& m_words;
  ProfileCells m_cells;
  double m_steps, m_wall;
  bool m_device;
};

}  // namespace

TraceRows operatorRows(const TraceDocument::Content& content, bool byShapes, const Words& words) {
  return CallTables(content, words).operators(byShapes);
}

TraceRows moduleRows(const TraceDocument::Content& content, const Words& words) {
  return CallTables(content, words).modules();
}

TraceRows kernelRows(const TraceDocument::Content& content, const Words& words) {
  return CallTables(content, words).kernels();
}

}  // namespace atelier::app
