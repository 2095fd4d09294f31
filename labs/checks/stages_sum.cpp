// The stages of a step add up to its wall time: a breakdown that loses time hides the very thing that is looked for.
#include <algorithm>
#include <cmath>

#include "core/wire/number.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

// How far the sum is from the wall, as percent of it; nullopt when the breakdown is incomplete.
std::optional<double> gapPercent(const nlohmann::json& stages) {
  constexpr double kPercent = 100;
  const auto wall = wire::getNumber(stages, "wall_ns");
  if (!wall || !(*wall > 0)) return std::nullopt;
  double sum = 0;
  for (const char* stage : {"data", "forward", "backward", "optimizer", "other"}) {
    const auto time = wire::getNumber(stages, stage);
    if (!time) return std::nullopt;
    sum += *time;
  }
  return std::fabs(sum - *wall) / *wall * kPercent;
}

// A run has one breakdown, a race one a variant: the worse counts.
std::optional<double> worstGap(const nlohmann::json& result) {
  if (result.contains("stages")) return gapPercent(result["stages"]);
  const auto side = [&](const char* name) {
    const auto found = result.find(name);
    return found != result.end() && found->is_object() ? gapPercent(found->value("stages", nlohmann::json())) : std::nullopt;
  };
  const auto a = side("a"), b = side("b");
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

CheckResult run(const CheckInput& input) {
  const double percent = numberParameter(input.spec, "percent");
  const auto wanted = "gap <= " + rounded(percent) + " %";
  const auto gap = hasResult(input) ? worstGap(input.outcome->result) : std::nullopt;
  if (!gap) return notRun(input, wanted);
  auto result = conclude(input, *gap <= percent ? CheckState::Passed : CheckState::Failed, wanted, {{"wanted", rounded(percent)}});
  setFigure(result, {*gap, *gap, *gap, 1});
  return result;
}

}  // namespace

CheckKind checkKind_stages_sum() { return {"stages_sum", {{"percent"}}, run}; }

}  // namespace atelier::lab
