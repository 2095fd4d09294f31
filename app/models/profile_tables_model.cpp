// The tables of the model: what is alive at the peak of memory, what flows through its modules, and what became of it in
// another trace.
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/trace/index.h"
#include "profile_cells.h"
#include "profile_tables.h"
#include "trace_texts.h"

namespace atelier::app {

using trace::at;

namespace {

class HealthTable {
 public:
  HealthTable(const std::vector<wire::TensorStats>& stats, const Words& words, const wire::Gradients& gradients)
      : m_stats(stats), m_words(words), m_cells(words) {
    for (const auto& layer : gradients.layers) m_updates.emplace(layer.name, layer.update_ratio);
    // One scale for all modules: where one stands far out it is seen.
    for (const auto& one : stats)
      for (const double value : {one.mean - one.deviation, one.mean + one.deviation})
        if (std::isfinite(value)) {
          m_low = std::min(m_low, value);
          m_high = std::max(m_high, value);
        }
  }

  TraceRows take() const {
    TraceRows table;
    m_cells.addColumns(table, {{"profileview.column.module", false},
                               {"profileview.column.type", false},
                               {"profileview.column.mean"},
                               {"profileview.column.min"},
                               {"profileview.column.max"},
                               {"profileview.column.norm"},
                               {"profileview.column.zeros"},
                               {"profileview.column.nan"},
                               {"profileview.column.infinite"}});
    if (!m_updates.empty()) m_cells.addColumn(table, "profileview.column.update");
    for (const auto& one : m_stats) table.rows.push_back(row(one));
    return table;
  }

 private:
  TraceRow row(const wire::TensorStats& one) const {
    TraceRow row;
    const auto module = one.module.empty() ? m_words.text("timeline.root_module") : plainName(one.module);
    row.cells << ProfileCells::words(module) << ProfileCells::words(plainName(one.type)) << spread(one) << m_cells.wide(one.min)
              << m_cells.wide(one.max) << m_cells.wide(one.norm)
              << m_cells.share(static_cast<double>(one.zeros), static_cast<double>(one.count)) << bad(one.nans)
              << bad(one.infinities);
    if (m_updates.empty()) return row;
    const auto update = m_updates.find(one.module);
    row.cells << (update == m_updates.end() ? ProfileCells::none() : m_cells.wide(update->second));
    return row;
  }

  TraceCell bad(std::int64_t count) const {
    auto cell = m_cells.count(static_cast<double>(count));
    cell.warning = count > 0;
    return cell;
  }

  double placed(double value) const { return m_high > m_low ? std::clamp((value - m_low) / (m_high - m_low), 0.0, 1.0) : 0.5; }

  // "0.12 ± 0.98", and as a bar.
  TraceCell spread(const wire::TensorStats& one) const {
    const auto& format = m_words.format();
    auto cell = m_cells.wide(one.mean);
    cell.text += QStringLiteral("\u00a0±\u00a0") + wideText(one.deviation, format);
    if (!std::isfinite(one.mean) || !std::isfinite(one.deviation)) return cell;
    cell.from = placed(one.mean - one.deviation);
    cell.to = placed(one.mean + one.deviation);
    cell.mark = placed(one.mean);
    return cell;
  }

  const std::vector<wire::TensorStats>& m_stats;
  const Words& m_words;
  ProfileCells m_cells;
  std::unordered_map<std::string, double> m_updates;  // by parameter
  double m_low = INFINITY, m_high = -INFINITY;
};

// Ids of names in a trace, for those that another trace calls alike.
class Known {
 public:
  explicit Known(const trace::Trace& trace) {
    for (std::size_t i = 0; i < trace.names.size(); ++i) m_names.emplace(trace.names[i], trace::idOf(i));
    for (std::size_t i = 0; i < trace.modules.size(); ++i) m_modules.emplace(trace.modules[i].path, trace::idOf(i));
  }
  std::int32_t name(const std::string& text) const { return find(m_names, text); }
  std::int32_t module(const std::string& path) const { return find(m_modules, path); }

 private:
  using Ids = std::unordered_map<std::string, std::int32_t>;
  static std::int32_t find(const Ids& ids, const std::string& text) {
    const auto found = ids.find(text);
    return found == ids.end() ? -1 : found->second;
  }
  Ids m_names, m_modules;
};

// How much slower or faster, as a bar to the right or left of the middle.
TraceCell differenceCell(const trace::Change& change, double largest, const ProfileCells& cells) {
  auto cell = cells.milliseconds(change.difference());
  if (change.difference() > 0) cell.text.prepend(QLatin1Char('+'));
  if (!(largest > 0)) return cell;
  const double half = std::clamp(change.difference() / largest, -1.0, 1.0) / 2;
  cell.from = 0.5 + std::min(half, 0.0);
  cell.to = 0.5 + std::max(half, 0.0);
  cell.warning = change.difference() > 0;
  return cell;
}

}  // namespace

QString categoryText(trace::Category category, const Words& words) {
  switch (category) {
    case trace::Category::Weights:
      return words.text("app.memory.weights");
    case trace::Category::Gradients:
      return words.text("app.memory.gradients");
    case trace::Category::Optimizer:
      return words.text("app.memory.optimizer");
    case trace::Category::Activations:
      return words.text("app.memory.activations");
    case trace::Category::Other:
      return words.text("app.memory.other");
    case trace::Category::Unknown:
      break;
  }
  return words.text("profileview.category.unknown");
}

TraceRows tensorRows(const TraceDocument::Content& content, const Words& words) {
  const ProfileCells cells(words);
  const auto& trace = content.trace;
  const auto peak = static_cast<double>(content.report.memory.peak.total());
  TraceRows table;
  cells.addColumns(table, {{"profileview.column.mib"},
                           {"profileview.column.of_the_peak"},
                           {"profileview.column.category", false},
                           {"profileview.column.operator", false},
                           {"profileview.column.module", false},
                           {"profileview.column.since_ms"},
                           {"profileview.column.until_ms"}});
  for (const auto& tensor : content.report.memory.at_peak) {
    TraceRow row;
    row.event = tensor.event;
    const auto bytes = static_cast<double>(tensor.bytes);
    const auto module = moduleText(trace, tensor.module, words);
    row.cells << cells.mebibytes(bytes) << cells.share(bytes, peak) << ProfileCells::words(categoryText(tensor.category, words))
              << (tensor.event < 0 ? ProfileCells::none()
                                   : ProfileCells::words(plainName(trace.nameOf(trace.events[at(tensor.event)]))))
              << (module.isEmpty() ? ProfileCells::none() : ProfileCells::words(module))
              << cells.milliseconds(static_cast<double>(tensor.since))
              << (tensor.until < 0 ? ProfileCells::none() : cells.milliseconds(static_cast<double>(tensor.until)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TraceRows healthRows(const std::vector<wire::TensorStats>& stats, const Words& words, const wire::Gradients& gradients) {
  return HealthTable(stats, words, gradients).take();
}

TraceRows changeRows(const trace::Comparison& comparison, const trace::Trace& trace, const Words& words) {
  const ProfileCells cells(words);
  const Known known(trace);
  TraceRows table;
  cells.addColumns(table, {{"profileview.column.operator", false},
                           {"profileview.column.module", false},
                           {"profileview.column.there_ms"},
                           {"profileview.column.here_ms"},
                           {"profileview.column.difference_ms"},
                           {"profileview.column.calls_there"},
                           {"profileview.column.calls_here"}});
  double largest = 0;
  for (const auto& change : comparison.changes) largest = std::max(largest, std::fabs(change.difference()));
  for (const auto& change : comparison.changes) {
    TraceRow row;
    row.name = known.name(change.name);
    row.module = change.module.empty() ? -1 : known.module(change.module);
    auto name = plainName(change.name);
    if (change.backward) name += QStringLiteral(" ←");
    row.cells << ProfileCells::words(name)
              << (change.module.empty() ? ProfileCells::none() : ProfileCells::words(plainName(change.module)))
              << cells.milliseconds(change.a_ns) << cells.milliseconds(change.b_ns) << differenceCell(change, largest, cells)
              << cells.count(change.a_calls) << cells.count(change.b_calls);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace atelier::app
