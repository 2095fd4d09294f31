// The breakdown of a profile is whole: its parts sum to the wall time of the steps, none is counted twice, and little of the
// time lies between the stages. A breakdown that leaves a large rest hides the very thing that is looked for.
#include <cmath>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

struct Parts {
  double between = 0;  // percent of the wall that belongs to no stage
  bool sums = true;
};

// nullopt when there is no breakdown.
std::optional<Parts> partsOf(const nlohmann::json& breakdown) {
  constexpr double kPercent = 100, kRounding = 1e-6;
  if (!breakdown.is_object()) return std::nullopt;
  const auto wall = wire::getNumber(breakdown, "wall_ns"), between = wire::getNumber(breakdown, "between_ns");
  if (!wall || !between || !(*wall > 0)) return std::nullopt;
  double sum = 0;
  bool whole = true;
  for (const auto& [key, value] : breakdown.items()) {
    if (!key.ends_with("_ns") || key == "wall_ns") continue;
    if (!value.is_number()) return std::nullopt;
    sum += value.get<double>();
    // Less than nothing is left where time was counted twice.
    whole = whole && value.get<double>() >= 0;
  }
  return Parts{std::fabs(*between) / *wall * kPercent, whole && std::fabs(sum - *wall) <= kRounding * *wall};
}

CheckResult run(const CheckInput& input) {
  const double percent = numberParameter(input.spec, "percent");
  const auto wanted = "between <= " + rounded(percent) + " %";
  const auto parts = hasResult(input) ? partsOf(wire::memberAt(input.outcome->result, "breakdown")) : std::nullopt;
  if (!parts) return notRun(input, wanted);
  const bool passed = parts->sums && parts->between <= percent;
  auto result = conclude(input, passed ? CheckState::Passed : CheckState::Failed, wanted, {{"wanted", rounded(percent)}});
  if (!parts->sums) result.sentence.id += ".sum";
  setFigure(result, {parts->between, parts->between, parts->between, 1});
  return result;
}

}  // namespace

CheckKind checkKind_breakdown_sums() {
  return {"breakdown_sums", {{"percent", Parameter::Type::Percent}}, run, false, true};
}

}  // namespace atelier::lab
