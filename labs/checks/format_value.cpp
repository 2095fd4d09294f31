// The learner's number is the very number that was asked for, as what a number format makes of another one is: near is not
// enough. It is judged once the step's experiment has run, when it can no longer be changed.
#include "core/wire/number.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const auto quantity = textParameter(input.spec, "quantity");
  const std::string wanted = "= " + quantity;
  const auto figure = hasResult(input) ? figureAt(input.outcome->result, quantity) : std::nullopt;
  if (!figure) return notRun(input, wanted);
  if (!input.predicted) {
    auto result = conclude(input, CheckState::NotPredicted, wanted);
    result.sentence = {"check.not_predicted", {}};
    result.measured = figure->median;
    return result;
  }
  const bool equal = *input.predicted == figure->median;
  auto result = conclude(input, equal ? CheckState::Passed : CheckState::Failed, wanted,
                         {{"value", quantity},
                          {"measured", wire::numberText(figure->median)},
                          {"predicted", wire::numberText(*input.predicted)}});
  result.measured = figure->median;
  return result;
}

}  // namespace

CheckKind checkKind_format_value() {
  return {"format_value", {{"quantity", Parameter::Type::Quantity, false}}, run, false, false, true};
}

}  // namespace atelier::lab
