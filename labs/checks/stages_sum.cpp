// No time is lost: the stages add up to the wall time, and little of it belongs to no stage. A breakdown that leaves a large
// rest hides the very thing that is looked for.
#include <algorithm>
#include <cmath>

#include "core/wire/number.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

struct Breakdown {
  double rest = 0;  // percent of the wall that no stage accounts for
  bool sums = true;
};

// nullopt when the breakdown is incomplete.
std::optional<Breakdown> breakdownOf(const nlohmann::json& stages) {
  constexpr double kPercent = 100, kRounding = 1e-6;
  const auto wall = wire::getNumber(stages, "wall_ns");
  if (!wall || !(*wall > 0)) return std::nullopt;
  double sum = 0, other = 0;
  for (const char* stage : {"data", "forward", "backward", "optimizer", "other"}) {
    const auto time = wire::getNumber(stages, stage);
    if (!time) return std::nullopt;
    sum += *time;
    other = *time;
  }
  // A rest below zero is time that was counted twice: as wrong as time that is missing.
  return Breakdown{std::fabs(other) / *wall * kPercent, std::fabs(sum - *wall) <= kRounding * *wall};
}

// A run has one breakdown, a race one a variant: the worse counts.
std::optional<Breakdown> worstBreakdown(const nlohmann::json& result) {
  if (result.contains("stages")) return breakdownOf(result["stages"]);
  const auto side = [&](const char* name) {
    const auto found = result.find(name);
    return found != result.end() && found->is_object() ? breakdownOf(found->value("stages", nlohmann::json())) : std::nullopt;
  };
  const auto a = side("a"), b = side("b");
  if (!a || !b) return std::nullopt;
  return Breakdown{std::max(a->rest, b->rest), a->sums && b->sums};
}

CheckResult run(const CheckInput& input) {
  const double percent = numberParameter(input.spec, "percent");
  const auto wanted = "other <= " + rounded(percent) + " %";
  const auto found = hasResult(input) ? worstBreakdown(input.outcome->result) : std::nullopt;
  if (!found) return notRun(input, wanted);
  const bool passed = found->sums && found->rest <= percent;
  auto result = conclude(input, passed ? CheckState::Passed : CheckState::Failed, wanted, {{"wanted", rounded(percent)}});
  if (!found->sums) result.sentence.id += ".sum";
  setFigure(result, {found->rest, found->rest, found->rest, 1});
  return result;
}

}  // namespace

CheckKind checkKind_stages_sum() {
  return {"stages_sum", {{"percent", Parameter::Type::Percent}}, run};
}

}  // namespace atelier::lab
