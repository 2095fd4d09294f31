// B of a race learns as well as A, or better; the engine judged by the interval of each accuracy (or loss) whether they are
// equal.
#include "labs/check_support.h"
#include "labs/plan.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const std::string wanted = "same-quality or better";
  const auto same = hasResult(input) ? input.outcome->result.value("same_quality", nlohmann::json()) : nlohmann::json();
  if (!same.is_boolean()) return notRun(input, wanted);
  const auto& race = input.outcome->result;
  const auto a = figureAt(race, "a.accuracy"), b = figureAt(race, "b.accuracy");
  const bool byLoss = !(a && b);
  if (byLoss && !(figureAt(race, "a.loss") && figureAt(race, "b.loss"))) return notRun(input, wanted);
  const bool kept = keptQuality(wire::raceSummaryFromJson(race));
  auto result = conclude(input, kept ? CheckState::Passed : CheckState::Failed, wanted);
  if (kept && !same.get<bool>()) result.sentence.id += ".better";
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
