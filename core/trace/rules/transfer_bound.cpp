// transfer_bound: copies, between host and device, or on a CPU from one dtype or layout to another, take a part of the step
// that computes nothing.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Of the step. A batch's copy to a GPU is a few thousandths of a step; on a CPU a tenth is more than copies that belong to the
// work (gradients, a batch put together) take in the models here.
constexpr double kLeastOnDevice = 0.05, kLeastOnHost = 0.10;
// From pageable memory the driver copies twice, through a buffer of its own; pinned memory is read by the device itself.
constexpr double kPinned = 2;
// Conversions that are not made any more cost nothing; half of them may be needed.
constexpr double kConversions = 2;

// Copies that no kernel runs beside: a step's time less its kernels' is all that they can cost.
double exposedCopies(const Facts& facts) {
  double kernels = 0;
  for (const auto& event : facts.trace.events)
    if (event.kind == Kind::Kernel && facts.report.span.has(event)) kernels += static_cast<double>(event.duration);
  return std::clamp(static_cast<double>(facts.report.breakdown.copy_ns), 0.0, std::max(0.0, wallNs(facts) - kernels));
}

std::optional<Finding> lookAtDevice(const Facts& facts) {
  const double share = shareOfWall(facts, exposedCopies(facts));
  if (share < kLeastOnDevice) return std::nullopt;
  Finding finding;
  double bytes = 0;
  for (const auto& transfer : facts.report.transfers) {
    if (transfer.kind != "copy") continue;
    bytes += static_cast<double>(std::max<std::int64_t>(0, transfer.bytes));
    addModule(finding, moduleName(facts, transfer.module));
  }
  expectGain(finding, share, kPinned);
  finding.evidence.push_back(
      {"evidence.device_copies", {{"percent", percent(share)}, {"mebibytes", mebibytes(bytes / stepsOf(facts))}}});
  finding.events = longestEvents(facts, [](const Event& e) { return e.kind == Kind::Copy; });
  for (const char* key : {"pinned", "non_blocking"})
    if (facts.knows(key) && !facts.flag(key)) finding.fix.set[key] = true;
  return finding;
}

std::optional<Finding> lookAtHost(const Facts& facts) {
  double self = 0, calls = 0;
  Finding finding;
  for (const auto& row : facts.report.operators) {
    if (nameOf(facts, row) != "aten::copy_") continue;
    self += static_cast<double>(row.self_ns);
    calls += static_cast<double>(row.calls);
    addModules(finding, facts, row);
  }
  const double share = shareOfWall(facts, self);
  if (share < kLeastOnHost) return std::nullopt;
  expectGain(finding, share, kConversions);
  finding.evidence.push_back(
      {"evidence.host_copies", {{"percent", percent(share)}, {"count", figure(calls / stepsOf(facts))}}});
  addOperator(finding, "aten::copy_");
  finding.events = longestEvents(facts, [&](const Event& e) { return facts.trace.nameOf(e) == "aten::copy_"; });
  return finding;
}

std::optional<Finding> look(const Facts& facts) {
  const auto place = placeOf(facts);
  if (place == Place::Unknown) return std::nullopt;
  auto finding = place == Place::Device ? lookAtDevice(facts) : lookAtHost(facts);
  if (!finding) return std::nullopt;
  finding->severity = severityOf(*finding);
  finding->args = {{"percent", percent(finding->share)}};
  return finding;
}

}  // namespace

Rule rule_transfer_bound() {
  return {"transfer_bound", look};
}

}  // namespace atelier::trace
