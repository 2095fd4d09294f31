#include "plan.h"

#include <algorithm>
#include <optional>

namespace atelier::trace {
namespace {

using nlohmann::json;
using Set = std::map<std::string, json>;

// Of a step's time as it was, something is always left: shares are measured one by one and may overlap.
constexpr double kLeastLeft = 0.02;

double saved(const Finding& finding) {
  return 1 - 1 / finding.expected_gain;
}

bool shareOperators(const Finding& a, const Finding& b) {
  return std::any_of(a.operators.begin(), a.operators.end(), [&](const std::string& name) {
    return std::find(b.operators.begin(), b.operators.end(), name) != b.operators.end();
  });
}

// What is left of a finding's part of the step once the steps before have sped up the same operators.
double leftOfPart(const std::vector<PlanStep>& plan, const Finding& finding) {
  double left = 1;
  for (const auto& step : plan)
    if (step.finding.share > 0 && shareOperators(step.finding, finding))
      left *= std::clamp(1 - saved(step.finding) / step.finding.share, 0.0, 1.0);
  return left;
}

// How many times larger than the spec's a fix makes the batch; 1: it leaves it be.
double largerBatch(const Finding& finding, const json& spec) {
  const auto set = finding.fix.set.find("batch");
  const auto now = spec.find("batch");
  if (set == finding.fix.set.end() || now == spec.end() || !set->second.is_number() || !now->is_number()) return 1;
  const auto before = now->get<double>(), after = set->second.get<double>();
  return before > 0 && after > before ? after / before : 1;
}

// Of the step as it was, what a fix saves after those before it. A larger batch and a cheaper step save the same part twice.
double stillSaved(const std::vector<PlanStep>& plan, const Finding& finding, const json& spec) {
  double all = saved(finding) * leftOfPart(plan, finding);
  const double larger = largerBatch(finding, spec);
  for (const auto& step : plan) {
    if (finding.once_a_step) all /= largerBatch(step.finding, spec);
    if (step.finding.once_a_step) all -= saved(step.finding) * (1 - 1 / larger);
  }
  return std::max(all, 0.0);
}

// What a fix still has to change; nothing when it contradicts what was taken before it.
std::optional<Set> stillToSet(const Finding& finding, const Set& taken, const json& spec) {
  Set open;
  for (const auto& [key, value] : finding.fix.set) {
    const auto before = taken.find(key);
    if (before != taken.end() && before->second != value) return std::nullopt;
    const auto now = spec.find(key);
    if (before != taken.end() || (now != spec.end() && *now == value)) continue;
    open[key] = value;
  }
  return open;
}

}  // namespace

std::vector<PlanStep> planOf(const std::vector<Finding>& findings, const json& spec) {
  std::vector<const Finding*> ranked;
  for (const auto& finding : findings)
    if (!finding.fix.set.empty() && finding.expected_gain > 1) ranked.push_back(&finding);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Finding* a, const Finding* b) { return a->expected_gain > b->expected_gain; });
  std::vector<PlanStep> plan;
  Set taken;
  double left = 1;
  for (const auto* finding : ranked) {
    auto open = stillToSet(*finding, taken, spec);
    if (!open || open->empty()) continue;
    const double before = left;
    left = std::max(kLeastLeft, left - stillSaved(plan, *finding, spec));
    for (const auto& [key, value] : *open) taken[key] = value;
    plan.push_back({*finding, std::move(*open), before / left, 1 / left});
  }
  return plan;
}

}  // namespace atelier::trace
