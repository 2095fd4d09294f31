// allocator_churn: each step allocates many times what is ever alive at once: temporaries made, written, read and thrown away.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// A training step allocates its activations and gradients once, that is one to three times the peak; ten times is a loop of
// temporaries.
constexpr double kUsualTurns = 3, kTurns = 10;
constexpr double kFewestAllocations = 200;
// A temporary is written once and read once.
constexpr double kPasses = 2;
// In-place operators and reused buffers seldom avoid all of it.
constexpr double kFaster = 2;

const OperatorRow* greediest(const Report& report) {
  const auto most = std::max_element(report.operators.begin(), report.operators.end(),
                                     [](const auto& a, const auto& b) { return a.allocated < b.allocated; });
  return most == report.operators.end() || most->allocated <= 0 ? nullptr : &*most;
}

std::optional<Finding> look(const Facts& facts) {
  const auto& memory = facts.report.memory;
  const auto peak = static_cast<double>(memory.peak.total());
  // Without a backward pass nothing is kept, and all that a forward makes passes through a small peak.
  const bool trains = facts.stageShare(Stage::Backward) > 0;
  if (!trains || peak <= 0 || memory.allocations_per_step < kFewestAllocations) return std::nullopt;
  const double turns = memory.allocated_bytes_per_step / peak;
  if (turns < kTurns) return std::nullopt;
  Finding finding;
  const double bandwidth = facts.report.peaks.bytes_per_second, step = facts.stepNs();
  const double excess = memory.allocated_bytes_per_step - kUsualTurns * peak;
  if (bandwidth > 0 && step > 0) expectGain(finding, kPasses * excess / bandwidth * 1e9 / step, kFaster);
  finding.severity = severityOf(finding);
  finding.args = {{"times", figure(turns, 2)}};
  finding.evidence.push_back({"evidence.allocations",
                              {{"count", figure(memory.allocations_per_step)},
                               {"mebibytes", mebibytes(memory.allocated_bytes_per_step)},
                               {"peak", mebibytes(peak)}}});
  if (const auto* row = greediest(facts.report)) {
    finding.evidence.push_back(
        {"evidence.allocates_most",
         {{"operator", nameOf(facts, *row)}, {"mebibytes", mebibytes(static_cast<double>(row->allocated) / stepsOf(facts))}}});
    addOperator(finding, nameOf(facts, *row));
    addModules(finding, facts, *row);
  }
  return finding;
}

}  // namespace

Rule rule_allocator_churn() {
  return {"allocator_churn", look};
}

}  // namespace atelier::trace
