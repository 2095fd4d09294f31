// A figure is at most a value, with its whole interval; an interval that straddles the value decides nothing.
#include <cmath>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const double threshold = numberParameter(input.spec, "value");
  const auto wanted = "<= " + rounded(threshold);
  const auto figure = hasResult(input) ? figureAt(input.outcome->result, textParameter(input.spec, "quantity")) : std::nullopt;
  if (!figure) return notRun(input, wanted);
  auto state = CheckState::Noise;
  if (figure->high <= threshold) state = CheckState::Passed;
  else if (figure->low > threshold || std::isnan(figure->median)) state = CheckState::Failed;
  auto result = conclude(input, state, wanted, {{"wanted", rounded(threshold)}});
  setFigure(result, *figure);
  return result;
}

}  // namespace

CheckKind checkKind_value_at_most() {
  return {"value_at_most", {{"quantity", Parameter::Type::Quantity}, {"value"}}, run};
}

}  // namespace atelier::lab
