// B of a race learns better than A: its accuracy is higher by so many points, and by more than chance would make it.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  constexpr double kPercent = 100;
  const double points = numberParameter(input.spec, "points");
  const auto wanted = ">= " + rounded(points) + " points";
  if (!hasResult(input)) return notRun(input, wanted);
  const auto& race = input.outcome->result;
  const auto a = figureAt(race, "a.accuracy"), b = figureAt(race, "b.accuracy");
  if (!a || !b) return notRun(input, wanted);
  const double gain = (b->median - a->median) * kPercent, margin = accuracyMargin(race) * kPercent;
  auto state = CheckState::Noise;
  if (gain >= points && gain > margin) state = CheckState::Passed;
  else if (gain + margin < points) state = CheckState::Failed;
  auto result = conclude(input, state, wanted,
                         {{"a", rounded(a->median * kPercent)},
                          {"b", rounded(b->median * kPercent)},
                          {"points", rounded(gain)},
                          {"margin", rounded(margin)},
                          {"wanted", rounded(points)}});
  result.measured = gain;
  return result;
}

}  // namespace

CheckKind checkKind_learns_better() {
  return {"learns_better", {{"points", Parameter::Type::Percent}}, run, true};
}

}  // namespace atelier::lab
