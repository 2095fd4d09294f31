#include <algorithm>
#include <cmath>
#include <string>

#include "index.h"
#include "report.h"

namespace atelier::trace {
namespace {

using nlohmann::json;

json finite(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

const std::string& nameAt(const Trace& trace, std::int32_t name) {
  return trace.names[at(name)];
}

// null: outside of any module, or no event.
json pathAt(const Trace& trace, std::int32_t module) {
  return module < 0 ? json(nullptr) : json(trace.modules[at(module)].path);
}

json eventAt(const Trace& trace, std::int32_t event) {
  return event < 0 ? json(nullptr) : json(trace.nameOf(trace.events[at(event)]));
}

template <class Row, class Write>
json table(const std::vector<Row>& rows, std::size_t most, Write write) {
  auto all = json::array();
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) all.push_back(write(rows[i]));
  return all;
}

json operatorJson(const Trace& trace, const OperatorRow& row, double steps) {
  auto modules = json::array();
  for (const auto module : row.modules)
    if (module >= 0) modules.push_back(pathAt(trace, module));
  return {{"name", nameAt(trace, row.name)},
          {"shapes", row.shapes},
          {"calls", row.calls},
          {"calls_per_step", finite(static_cast<double>(row.calls) / steps)},
          {"self_ns", row.self_ns},
          {"total_ns", row.total_ns},
          {"device_ns", row.device_self_ns},
          {"device_total_ns", row.device_total_ns},
          {"flops", finite(row.flops)},
          {"flops_per_second", finite(row.flops_per_second)},
          {"peak_share", finite(row.peak_share)},
          {"bytes", row.bytes},
          {"allocated", row.allocated},
          {"allocations", row.allocations},
          {"modules", std::move(modules)}};
}

json moduleJson(const Trace& trace, const ModuleRow& row) {
  const auto type = row.module < 0 ? std::string() : trace.modules[at(row.module)].type;
  return {{"path", pathAt(trace, row.module)},
          {"type", type},
          {"calls", row.calls},
          {"forward_ns", row.forward_ns},
          {"forward_self_ns", row.forward_self_ns},
          {"backward_ns", row.backward_ns},
          {"device_ns", row.device_ns},
          {"flops", finite(row.flops)},
          {"allocated", row.allocated},
          {"parameters", row.parameters < 0 ? json(nullptr) : json(row.parameters)}};
}

json kernelJson(const Trace& trace, const KernelRow& row) {
  return {{"name", nameAt(trace, row.name)},
          {"calls", row.calls},
          {"total_ns", row.total_ns},
          {"mean_ns", row.mean_ns},
          {"min_ns", row.min_ns},
          {"max_ns", row.max_ns},
          {"bytes", row.bytes},
          {"device", row.device}};
}

// Only what is a part of wall_ns stands here beside it.
json breakdownJson(const Breakdown& breakdown) {
  auto object = json::object();
  object["steps"] = breakdown.steps;
  object["wall_ns"] = breakdown.wall_ns;
  for (const auto stage : {Stage::Data, Stage::Forward, Stage::Backward, Stage::Optimizer, Stage::Other})
    object[std::string(stageName(stage)) + "_ns"] = breakdown.stage_ns[static_cast<std::size_t>(stage)];
  object["between_ns"] = breakdown.stage_ns[static_cast<std::size_t>(Stage::None)];
  return object;
}

// The same time seen from other sides: these overlap.
json activityJson(const Report& report) {
  const auto& breakdown = report.breakdown;
  return {{"operators_ns", breakdown.operators_ns},
          {"overhead_ns", breakdown.overhead_ns},
          {"device_busy_ns", breakdown.device_busy_ns},
          {"device_idle_ns", breakdown.device_idle_ns},
          {"copy_ns", breakdown.copy_ns},
          {"synchronise_ns", breakdown.synchronise_ns},
          {"data_wait_ns", breakdown.data_wait_ns},
          {"idle_ns", report.idle_ns},
          {"step_ns", breakdown.step_ns}};
}

json idleJson(const Trace& trace, const Idle& idle) {
  return {{"from_ns", idle.from},
          {"to_ns", idle.to},
          {"duration_ns", idle.to - idle.from},
          {"cause", idle.cause},
          {"operator", eventAt(trace, idle.event)}};
}

json transferJson(const Trace& trace, const Transfer& transfer) {
  return {{"kind", transfer.kind},
          {"operator", eventAt(trace, transfer.event)},
          {"module", pathAt(trace, transfer.module)},
          {"stage", stageName(transfer.stage)},
          {"bytes", transfer.bytes},
          {"duration_ns", transfer.duration}};
}

json rooflineJson(const Trace& trace, const RooflinePoint& point) {
  return {{"name", nameAt(trace, point.name)},
          {"intensity", finite(point.intensity)},
          {"flops_per_second", finite(point.flops_per_second)},
          {"roof", finite(point.roof)},
          {"share", finite(point.share)},
          {"self_ns", point.self_ns},
          {"memory_bound", point.memory_bound}};
}

constexpr Category kAllCategories[] = {Category::Weights,     Category::Gradients, Category::Optimizer,
                                       Category::Activations, Category::Other,     Category::Unknown};

json bytesJson(const MemoryPoint& point) {
  auto object = json::object();
  object["total"] = point.total();
  for (const auto category : kAllCategories)
    object[std::string(categoryName(category))] = point.bytes[static_cast<std::size_t>(category)];
  return object;
}

// One array a category beside that of the times.
json timelineJson(const std::vector<MemoryPoint>& timeline) {
  auto object = json::object();
  object["time_ns"] = json::array();
  for (const auto category : kAllCategories) object[std::string(categoryName(category))] = json::array();
  for (const auto& point : timeline) {
    object["time_ns"].push_back(point.time);
    for (const auto category : kAllCategories)
      object[std::string(categoryName(category))].push_back(point.bytes[static_cast<std::size_t>(category)]);
  }
  return object;
}

json liveJson(const Trace& trace, const LiveTensor& tensor) {
  return {{"bytes", tensor.bytes},
          {"since_ns", tensor.since},
          {"until_ns", tensor.until < 0 ? json(nullptr) : json(tensor.until)},
          {"category", categoryName(tensor.category)},
          {"operator", eventAt(trace, tensor.event)},
          {"module", pathAt(trace, tensor.module)}};
}

json memoryJson(const Trace& trace, const MemoryReport& memory, std::size_t most) {
  return {{"peak_time_ns", memory.peak.time},
          {"peak_bytes", bytesJson(memory.peak)},
          {"at_peak", table(memory.at_peak, most, [&](const auto& tensor) { return liveJson(trace, tensor); })},
          {"timeline", timelineJson(memory.timeline)},
          {"allocations", memory.allocations},
          {"allocated_bytes", memory.allocated_bytes},
          {"allocations_per_step", finite(memory.allocations_per_step)},
          {"allocated_bytes_per_step", finite(memory.allocated_bytes_per_step)},
          {"growth_per_step", memory.growth_per_step}};
}

}  // namespace

nlohmann::json toJson(const Trace& trace, const Report& report, std::size_t most) {
  const double steps = static_cast<double>(std::max<std::int64_t>(1, report.breakdown.steps));
  const auto operatorRow = [&](const auto& row) { return operatorJson(trace, row, steps); };
  return {{"operators", table(report.operators, most, operatorRow)},
          {"operators_by_shape", table(report.operators_by_shape, most, operatorRow)},
          {"modules", table(report.modules, most, [&](const auto& row) { return moduleJson(trace, row); })},
          {"kernels", table(report.kernels, most, [&](const auto& row) { return kernelJson(trace, row); })},
          {"breakdown", breakdownJson(report.breakdown)},
          {"activity", activityJson(report)},
          {"idle", table(report.idle, most, [&](const auto& idle) { return idleJson(trace, idle); })},
          {"transfers", table(report.transfers, most, [&](const auto& one) { return transferJson(trace, one); })},
          {"memory", memoryJson(trace, report.memory, most)},
          {"roofline", table(report.roofline, most, [&](const auto& point) { return rooflineJson(trace, point); })},
          {"peaks", toJson(report.peaks)},
          {"cut", {{"events", trace.events_cut}, {"memory", trace.memory_cut}}}};
}

}  // namespace atelier::trace
