// Report: everything that is said of a trace, made once: what `profile --json` prints, profile.json keeps and the window and
// the diagnosis read. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "compare.h"
#include "machine.h"
#include "memory.h"
#include "roofline.h"
#include "tables.h"

namespace atelier::trace {

struct Report {
  Times times;
  Span span;  // of the steps
  Peaks peaks;
  std::vector<OperatorRow> operators, operators_by_shape;
  std::vector<ModuleRow> modules;
  std::vector<KernelRow> kernels;
  Breakdown breakdown;
  std::vector<Idle> idle;
  std::int64_t idle_ns = 0;
  std::vector<Transfer> transfers;
  MemoryReport memory;  // of the device where there is one, else of the host
  std::vector<RooflinePoint> roofline;
};

// REQUIRES: trace.finish().
Report analyse(const Trace& trace, const Peaks& peaks);

// Keys: operators, operators_by_shape, modules, kernels, breakdown {steps, wall_ns, data_ns, forward_ns, backward_ns,
// optimizer_ns, other_ns, between_ns: the parts sum to wall_ns}, activity {operators_ns, overhead_ns, …: the same time seen
// from other sides}, idle, transfers, memory, roofline, peaks, cut {events, memory}; at most `most` rows a table. Times are
// integers in nanoseconds; null stands for what is not known or not finite.
nlohmann::json toJson(const Trace& trace, const Report& report, std::size_t most = 200);

// Operators as CSV (RFC 4180), one row an operator and shapes.
std::string operatorsCsv(const Trace& trace, const std::vector<OperatorRow>& rows);

}  // namespace atelier::trace
