// A figure is known well enough: half its interval is at most so many percent of the median.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const double percent = numberParameter(input.spec, "percent");
  const auto wanted = "+- <= " + rounded(percent) + " %";
  const auto figure = hasResult(input) ? figureAt(input.outcome->result, textParameter(input.spec, "quantity")) : std::nullopt;
  if (!figure) return notRun(input, wanted);
  const double width = halfWidthPercent(*figure);
  auto state = width <= percent ? CheckState::Passed : CheckState::Failed;
  // One block has no spread: its width of zero is ignorance, not precision.
  if (figure->count < 2) state = CheckState::Noise;
  auto result = conclude(input, state, wanted, {{"wanted", rounded(percent)}, {"width", rounded(width)}});
  setFigure(result, *figure);
  return result;
}

}  // namespace

CheckKind checkKind_interval_within() {
  return {"interval_within", {{"quantity", Parameter::Type::Quantity}, {"percent", Parameter::Type::Percent}}, run};
}

}  // namespace atelier::lab
