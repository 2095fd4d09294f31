#include "report.h"

#include "core/wire/csv.h"
#include "core/wire/number.h"
#include "index.h"
#include "memory_account.h"

namespace atelier::trace {
namespace {

constexpr std::size_t kMostIdle = 200;

std::string modulePaths(const Trace& trace, const OperatorRow& row) {
  std::string paths;
  for (const auto module : row.modules) {
    if (module < 0) continue;
    if (!paths.empty()) paths += ';';
    paths += trace.modules[at(module)].path;
  }
  return paths;
}

}  // namespace

Report analyse(const Trace& trace, const Peaks& peaks) {
  Report report;
  report.times = timesOf(trace);
  report.span = stepsSpan(trace);
  report.peaks = peaks;
  const auto costs = costsOf(trace);
  report.operators = operatorTable(trace, report.times, costs, peaks, report.span, GroupBy::Name);
  report.operators_by_shape = operatorTable(trace, report.times, costs, peaks, report.span, GroupBy::NameAndShapes);
  report.modules = moduleTable(trace, report.times, costs, report.span);
  report.kernels = kernelTable(trace, report.span);
  report.breakdown = breakdownOf(trace, report.times, report.span);
  report.idle = idleTimes(trace, report.span, kMostIdle, &report.idle_ns);
  report.transfers = transfers(trace, report.span);
  report.memory = memoryReport(trace, homeDevice(trace));
  report.roofline = roofline(report.operators, peaks);
  return report;
}

std::string operatorsCsv(const Trace& trace, const std::vector<OperatorRow>& rows) {
  auto csv = wire::csvRow({"name", "shapes", "calls", "self_ns", "total_ns", "device_self_ns", "device_total_ns", "flops",
                           "flops_per_second", "peak_share", "bytes", "allocated", "allocations", "modules"});
  for (const auto& row : rows)
    csv += wire::csvRow({trace.names[at(row.name)], row.shapes, std::to_string(row.calls), std::to_string(row.self_ns),
                         std::to_string(row.total_ns), std::to_string(row.device_self_ns), std::to_string(row.device_total_ns),
                         wire::numberText(row.flops), wire::numberText(row.flops_per_second), wire::numberText(row.peak_share),
                         std::to_string(row.bytes), std::to_string(row.allocated), std::to_string(row.allocations),
                         modulePaths(trace, row)});
  return csv;
}

}  // namespace atelier::trace
