// not_finite: a NaN or an infinity has come up; where it was born, if that was seen.
#include <algorithm>
#include <cmath>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

std::string named(const std::string& module) {
  return module.empty() ? "model" : module;
}

// The first tensor in a list that holds one.
const wire::TensorStats* firstBad(const std::vector<wire::TensorStats>& list) {
  const auto bad = std::find_if(list.begin(), list.end(), [](const auto& s) { return s.nans > 0 || s.infinities > 0; });
  return bad == list.end() ? nullptr : &*bad;
}

std::optional<Finding> born(const wire::Health& health) {
  if (health.first_bad_stage.empty()) return std::nullopt;
  Finding finding;
  const auto module = named(health.first_bad_module);
  const bool forward = health.first_bad_stage == "forward";
  wire::Message message{forward ? "evidence.born_in_forward" : "evidence.born_in_backward",
                        {{"module", module}, {"step", std::to_string(health.first_bad_step)}}};
  finding.evidence.push_back(std::move(message));
  if (!health.first_bad_operator.empty()) {
    finding.evidence.push_back({"evidence.born_in_operator", {{"operator", health.first_bad_operator}}});
    addOperator(finding, health.first_bad_operator);
  }
  finding.args = {{"module", module}};
  addModule(finding, module);
  return finding;
}

std::optional<Finding> seen(const wire::Health& health) {
  for (const auto* list : {&health.activations, &health.gradients, &health.parameters}) {
    const auto* bad = firstBad(*list);
    if (!bad) continue;
    Finding finding;
    const auto module = named(bad->module);
    const bool forward = list == &health.activations;
    finding.evidence.push_back(
        {forward ? "evidence.bad_output" : "evidence.bad_gradient",
         {{"module", module}, {"nans", std::to_string(bad->nans)}, {"infinities", std::to_string(bad->infinities)}}});
    finding.args = {{"module", module}};
    addModule(finding, module);
    return finding;
  }
  return std::nullopt;
}

std::optional<Finding> look(const Facts& facts) {
  auto finding = born(facts.health);
  if (!finding) finding = seen(facts.health);
  const bool loss = facts.summary && facts.summary->loss && !std::isfinite(*facts.summary->loss);
  if (!finding && !loss) return std::nullopt;
  if (!finding) {
    finding.emplace();
    finding->args = {{"module", "loss"}};
  }
  if (loss) finding->evidence.push_back({"evidence.loss_not_finite"});
  finding->severity = Severity::Critical;
  return finding;
}

}  // namespace

Rule rule_not_finite() {
  return {"not_finite", look};
}

}  // namespace atelier::trace
