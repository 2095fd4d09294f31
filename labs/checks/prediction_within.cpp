// The learner's number is near what was measured: within so many percent of the median.
#include <algorithm>
#include <cmath>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  constexpr double kPercent = 100;
  const double percent = numberParameter(input.spec, "percent");
  const auto wanted = "within " + rounded(percent) + " %";
  const auto figure = hasResult(input) ? figureAt(input.outcome->result, textParameter(input.spec, "quantity")) : std::nullopt;
  if (!input.predicted) {
    auto result = conclude(input, CheckState::NotPredicted, wanted);
    result.sentence = {"check.not_predicted", {}};
    if (figure) setFigure(result, *figure);
    return result;
  }
  if (!figure) return notRun(input, wanted);
  const double predicted = *input.predicted, tolerance = std::fabs(figure->median) * percent / kPercent;
  const double miss = std::fabs(predicted - figure->median);
  // The truth may lie anywhere in the interval: a miss that it could explain decides nothing.
  const double leastMiss = std::fabs(predicted - std::max(std::min(predicted, figure->high), figure->low));
  auto state = miss <= tolerance ? CheckState::Passed : leastMiss <= tolerance ? CheckState::Noise : CheckState::Failed;
  if (!std::isfinite(miss)) state = CheckState::Failed;
  auto result = conclude(input, state, wanted, {{"wanted", rounded(percent)}, {"predicted", rounded(predicted)}});
  if (figure->median != 0) result.sentence.args.emplace_back("miss", rounded(miss / std::fabs(figure->median) * kPercent));
  else result.sentence.args.emplace_back("miss", "—");
  setFigure(result, *figure);
  return result;
}

}  // namespace

CheckKind checkKind_prediction_within() {
  return {"prediction_within",
          {{"percent", Parameter::Type::Percent}, {"quantity", Parameter::Type::Quantity, false}},
          run,
          false,
          false,
          true};
}

}  // namespace atelier::lab
