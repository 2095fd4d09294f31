// memory_near_limit: the run's peak comes close to what it may use; one longer batch and it ends.
#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Peaks of runs with batches of unequal length differ by some percent from epoch to epoch.
constexpr double kNear = 0.90;

struct Peak {
  double total = 0, weights = 0, optimizer = 0, activations = 0;
};

Peak peakOf(const Facts& facts) {
  if (facts.summary && facts.summary->peak_memory_bytes.total > 0) {
    const auto& bytes = facts.summary->peak_memory_bytes;
    return {static_cast<double>(bytes.total), static_cast<double>(bytes.weights), static_cast<double>(bytes.optimizer),
            static_cast<double>(bytes.activations)};
  }
  const auto& peak = facts.report.memory.peak;
  const auto of = [&](Category category) { return static_cast<double>(peak.bytes[static_cast<std::size_t>(category)]); };
  return {static_cast<double>(peak.total()), of(Category::Weights), of(Category::Optimizer), of(Category::Activations)};
}

std::optional<Finding> look(const Facts& facts) {
  const auto peak = peakOf(facts);
  if (facts.budget_bytes <= 0 || peak.total <= 0) return std::nullopt;
  const double used = peak.total / static_cast<double>(facts.budget_bytes);
  if (used < kNear) return std::nullopt;
  Finding finding;
  finding.severity = Severity::Warning;
  finding.args = {{"percent", percent(used)}};
  finding.evidence.push_back(
      {"evidence.peak_of_budget",
       {{"mebibytes", mebibytes(peak.total)}, {"limit", mebibytes(static_cast<double>(facts.budget_bytes))}}});
  finding.evidence.push_back({"evidence.peak_parts",
                              {{"weights", percent(peak.weights / peak.total)},
                               {"optimizer", percent(peak.optimizer / peak.total)},
                               {"activations", percent(peak.activations / peak.total)}}});
  return finding;
}

}  // namespace

Rule rule_memory_near_limit() {
  return {"memory_near_limit", look};
}

}  // namespace atelier::trace
