// B of a race needs so much less memory than A: of all tensors, or of the activations alone. Both peaks are counted to the
// byte, so there is no interval.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  constexpr double kPercent = 100, kMebi = 1024.0 * 1024.0;
  const double percent = numberParameter(input.spec, "percent");
  const auto part = textParameter(input.spec, "of", "total");
  const auto wanted = ">= " + rounded(percent) + " % of " + part;
  if (!hasResult(input)) return notRun(input, wanted);
  const auto& race = input.outcome->result;
  const auto a = figureAt(race, "a.peak_memory_bytes." + part), b = figureAt(race, "b.peak_memory_bytes." + part);
  if (!a || !b || !(a->median > 0)) return notRun(input, wanted);
  const double saved = (1 - b->median / a->median) * kPercent;
  auto result = conclude(input, saved >= percent ? CheckState::Passed : CheckState::Failed, wanted,
                         {{"a", rounded(a->median / kMebi)}, {"b", rounded(b->median / kMebi)}, {"wanted", rounded(percent)}});
  result.sentence.id += "." + part;
  setFigure(result, {saved, saved, saved, 1});
  return result;
}

}  // namespace

CheckKind checkKind_memory_saved() {
  return {"memory_saved",
          {{"percent", Parameter::Type::Percent},
           {"of", Parameter::Type::Text, false, "total", {"total", "activations"}}},
          run,
          true};
}

}  // namespace atelier::lab
