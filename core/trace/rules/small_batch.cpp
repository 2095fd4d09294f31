// small_batch: so few samples a step that the matmuls are too small for the machine, or that few share what each step costs
// anyway (the optimizer, the framework).
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Up to here a batch is smaller than the tiles in which matmuls are computed.
constexpr std::int64_t kSmall = 32;
// Of the machine's peak: what well-fed matmuls and convolutions of small nets reach at the least.
constexpr double kGoodReach = 0.5;
constexpr double kLeastGain = 1.1;

struct Matmuls {
  double ns = 0, reached = 0;  // of the peak, weighted by time
  double well_fed = 0;         // nanoseconds, had each reached what well-fed ones do, or `factor` times as much as it does
  std::vector<const OperatorRow*> rows;
};

Matmuls matmulsOf(const Facts& facts, double factor) {
  Matmuls all;
  double known = 0;
  for (const auto& row : facts.report.operators) {
    if (!isMatmul(nameOf(facts, row))) continue;
    const double ns = workNs(facts, row);
    all.ns += ns;
    all.rows.push_back(&row);
    if (row.peak_share <= 0) {
      all.well_fed += ns;
      continue;
    }
    known += ns;
    all.reached += ns * row.peak_share;
    all.well_fed += ns / std::clamp(kGoodReach / row.peak_share, 1.0, factor);
  }
  all.reached = known > 0 ? all.reached / known : 0;
  return all;
}

// Of the step, what it costs whatever its batch.
double fixedShare(const Facts& facts) {
  const auto& breakdown = facts.report.breakdown;
  const auto data = breakdown.stage_ns[static_cast<std::size_t>(Stage::Data)];
  const auto outside = static_cast<double>(std::max<std::int64_t>(0, breakdown.overhead_ns - data));
  return std::min(1.0, facts.stageShare(Stage::Optimizer) + shareOfWall(facts, outside));
}

std::optional<Finding> look(const Facts& facts) {
  const auto batch = facts.integer("batch");
  if (placeOf(facts) == Place::Unknown || batch <= 0 || batch > kSmall) return std::nullopt;
  const auto larger = largerBatch(facts);
  if (!larger) return std::nullopt;
  const double factor = static_cast<double>(*larger) / static_cast<double>(batch);
  const auto matmuls = matmulsOf(facts, factor);
  if (matmuls.reached <= 0) return std::nullopt;
  const double work = shareOfWall(facts, matmuls.ns), fixed = std::min(fixedShare(facts), 1 - work);
  // Matmuls gain until they reach what well-fed ones do, what is fixed is shared by more samples.
  const double saved = shareOfWall(facts, matmuls.ns - matmuls.well_fed) + fixed * (1 - 1 / factor);
  if (saved <= 0) return std::nullopt;
  Finding finding;
  expectGain(finding, work + fixed, (work + fixed) / (work + fixed - saved));
  if (finding.expected_gain < kLeastGain) return std::nullopt;
  finding.severity = severityOf(finding);
  finding.args = {{"batch", std::to_string(batch)}};
  finding.evidence.push_back({"evidence.matmul_reach", {{"percent", percent(matmuls.reached)}}});
  finding.evidence.push_back({"evidence.fixed_cost", {{"percent", percent(fixed)}}});
  finding.fix.set["batch"] = *larger;
  finding.fix.args = {{"batch", std::to_string(*larger)}};
  for (const auto* row : matmuls.rows) {
    addOperator(finding, nameOf(facts, *row));
    addModules(finding, facts, *row);
  }
  return finding;
}

}  // namespace

Rule rule_small_batch() {
  return {"small_batch", look};
}

}  // namespace atelier::trace
