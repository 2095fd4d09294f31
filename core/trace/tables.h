// Tables of a trace: by operator, by module, by kernel, by stage. Sums over the given span; "a step" figures divide by the
// steps in it. Any thread. REQUIRES everywhere: trace.finish().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost.h"
#include "machine.h"
#include "trace.h"
#include "tree.h"

namespace atelier::trace {

struct OperatorRow {
  std::int32_t name = 0;  // in names
  std::string shapes;     // "[128, 1, 28, 28] [32, 1, 3, 3]" when grouped by shapes, else ""
  std::int64_t calls = 0;
  std::int64_t self_ns = 0, total_ns = 0;                // host
  std::int64_t device_self_ns = 0, device_total_ns = 0;  // launched by it
  double flops = 0;                                      // of its self work; 0 not known
  std::int64_t bytes = 0;
  double flops_per_second = 0;  // flops over the time in which they were done (device where there is one); 0 not known
  double peak_share = 0;        // of the machine's peak, 0 … 1; 0 not known
  std::int64_t allocated = 0;   // bytes allocated by it itself
  std::int64_t allocations = 0;
  std::vector<std::int32_t> modules;  // that called it, most time first
};

struct ModuleRow {
  std::int32_t module = -1;  // in modules; −1: outside of any
  std::int64_t calls = 0;
  std::int64_t forward_ns = 0, forward_self_ns = 0, backward_ns = 0;  // self: without modules below it
  std::int64_t device_ns = 0;
  double flops = 0;
  std::int64_t allocated = 0;
  std::int64_t parameters = -1;  // not known here
};

struct KernelRow {
  std::int32_t name = 0;
  std::int64_t calls = 0, total_ns = 0, mean_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t bytes = 0;  // of copies and sets
  int device = 0;
};

enum class GroupBy { Name, NameAndShapes };

// Most self time first (device time where the trace has a device).
std::vector<OperatorRow> operatorTable(const Trace& trace, const Times& times, const EventCosts& costs, const Peaks& peaks,
                                       Span span, GroupBy group);
std::vector<ModuleRow> moduleTable(const Trace& trace, const Times& times, const EventCosts& costs, Span span);
std::vector<KernelRow> kernelTable(const Trace& trace, Span span);

// Where the steps' wall time went. The parts sum to wall_ns exactly.
struct Breakdown {
  std::int64_t steps = 0, wall_ns = 0;
  std::int64_t stage_ns[kStages] = {};  // by Stage; None: between the marked stages
  std::int64_t operators_ns = 0;        // part of wall in which the main thread was inside an operator
  std::int64_t overhead_ns = 0;         // in a stage, but in no operator: the framework and the program
  std::int64_t device_busy_ns = 0;      // union of all device work; 0 without a device
  std::int64_t device_idle_ns = 0;      // wall − busy, with a device
  std::int64_t copy_ns = 0;             // device time of copies between host and device
  std::int64_t synchronise_ns = 0;      // host time in waits for the device
  std::int64_t data_wait_ns = 0;        // the main thread waited for a batch that a worker was making
  std::vector<std::int64_t> step_ns;    // one a step
};

Breakdown breakdownOf(const Trace& trace, const Times& times, Span span);

// A stretch in which the device had nothing to do (or, without a device, the main thread was in no operator), and why.
struct Idle {
  std::int64_t from = 0, to = 0;
  std::string cause;        // "data", "launch", "synchronise", "host", "between-steps"
  std::int32_t event = -1;  // that ran on the host meanwhile
};

// Longest first, at most `most`; the sum over all goes to `total`.
std::vector<Idle> idleTimes(const Trace& trace, Span span, std::size_t most, std::int64_t* total = nullptr);

// Something that makes the host wait for a value, or moves data between host and device.
struct Transfer {
  std::string kind;         // "item", "nonzero", "copy", "synchronise"
  std::int32_t event = -1;  // the operator
  std::int32_t module = -1;
  Stage stage = Stage::None;
  std::int64_t bytes = 0, duration = 0;
};

std::vector<Transfer> transfers(const Trace& trace, Span span);

}  // namespace atelier::trace
