// Both variants of a race learn equally well; the engine judged it by the interval of each accuracy (or loss).
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const std::string wanted = "same-quality";
  const auto same = hasResult(input) ? input.outcome->result.value("same_quality", nlohmann::json()) : nlohmann::json();
  if (!same.is_boolean()) return notRun(input, wanted);
  const auto& race = input.outcome->result;
  const auto a = figureAt(race, "a.accuracy"), b = figureAt(race, "b.accuracy");
  const bool byLoss = !(a && b);
  if (byLoss && !(figureAt(race, "a.loss") && figureAt(race, "b.loss"))) return notRun(input, wanted);
  auto result = conclude(input, same.get<bool>() ? CheckState::Passed : CheckState::Failed, wanted);
  if (byLoss) {
    result.sentence.id += ".by_loss";
    return result;
  }
  constexpr double kPercent = 100;
  result.measured = b->median - a->median;
  result.sentence.args = {{"a", rounded(a->median * kPercent)}, {"b", rounded(b->median * kPercent)}};
  return result;
}

}  // namespace

CheckKind checkKind_same_quality() {
  return {"same_quality", {}, run, true};
}

}  // namespace atelier::lab
