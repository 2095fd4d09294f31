// "At least x": the median is, and the interval's lower bound shows that there is a gain at all.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const double wantedRatio = numberParameter(input.spec, "at_least");
  const auto wanted = ">= " + rounded(wantedRatio);
  const auto ratio =
      hasResult(input) ? figureAt(input.outcome->result, textParameter(input.spec, "quantity", "ratio")) : std::nullopt;
  if (!ratio) return notRun(input, wanted);
  auto state = CheckState::Noise;
  if (ratio->high < wantedRatio) state = CheckState::Failed;
  else if (ratio->median >= wantedRatio && ratio->low >= 1) state = CheckState::Passed;
  if (machineBusy(input)) state = CheckState::Noise;
  auto result = conclude(input, state, wanted, {{"wanted", rounded(wantedRatio)}});
  setFigure(result, *ratio);
  return result;
}

}  // namespace

CheckKind checkKind_ratio_at_least() {
  return {"ratio_at_least", {{"at_least"}, {"quantity", Parameter::Type::Quantity, false, "ratio"}}, run};
}

}  // namespace atelier::lab
