// unfused_optimizer: the parameters are updated by many small operators where one could do all.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

constexpr double kLeastShare = 0.05;
// Plain AdamW reads and writes some sixteen arrays the size of the parameters in its seven operators, fused seven in one.
constexpr double kFaster = 2.3;
constexpr double kFewestCalls = 10;

struct Updates {
  double calls = 0, device_ns = 0;
  bool fused = false;
};

Updates updatesOf(const Facts& facts, Finding& finding) {
  Updates updates;
  const auto& trace = facts.trace;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.kind != Kind::Operator || event.stage != Stage::Optimizer || !facts.report.span.has(event)) continue;
    const auto& name = trace.nameOf(event);
    if (name.find("_fused_") != std::string::npos) updates.fused = true;
    if (facts.report.breakdown.device_busy_ns > 0) updates.device_ns += workNs(facts, i);
    const bool nested = event.parent >= 0 && trace.events[static_cast<std::size_t>(event.parent)].kind == Kind::Operator;
    if (nested) continue;
    ++updates.calls;
    addOperator(finding, name);
  }
  return updates;
}

double shareOf(const Facts& facts, const Updates& updates, Place place) {
  const double host = facts.stageShare(Stage::Optimizer);
  if (place == Place::Host) return host;
  // Beside a device the host's time counts only while the device waits for its launches.
  return std::max(shareOfWall(facts, updates.device_ns), std::min(host, idleShare(facts, "launch")));
}

std::optional<Finding> look(const Facts& facts) {
  const auto place = placeOf(facts);
  if (place == Place::Unknown || facts.flag("fused")) return std::nullopt;
  Finding finding;
  const auto updates = updatesOf(facts, finding);
  const double calls = updates.calls / stepsOf(facts), share = shareOf(facts, updates, place);
  if (updates.fused || calls < kFewestCalls || share < kLeastShare) return std::nullopt;
  expectGain(finding, share, kFaster);
  finding.severity = severityOf(finding);
  finding.once_a_step = true;
  finding.args = {{"percent", percent(share)}};
  finding.evidence.push_back({"evidence.optimizer_calls", {{"count", figure(calls)}, {"percent", percent(share)}}});
  finding.events = longestEvents(facts, [](const Event& e) { return e.kind == Kind::Range && e.stage == Stage::Optimizer; });
  if (facts.knows("fused")) finding.fix.set["fused"] = true;
  return finding;
}

}  // namespace

Rule rule_unfused_optimizer() {
  return {"unfused_optimizer", look};
}

}  // namespace atelier::trace
