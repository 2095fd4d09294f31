// The share of the steps' time in which they wait for data is at most, or at least, so much. In a race of either side; in a
// profile of the profiled steps.
#include <optional>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

constexpr double kPercent = 100;

std::optional<double> shareIn(const CheckInput& input) {
  if (!hasResult(input)) return std::nullopt;
  const auto& result = input.outcome->result;
  const auto side = textParameter(input.spec, "side", input.outcome->verb == "race" ? "b" : "");
  const std::string stages = side.empty() ? "stages." : side + ".stages.";
  if (const auto profiled = figureAt(result, "shares.data"); profiled && side.empty()) return profiled->median;
  const auto data = figureAt(result, stages + "data"), wall = figureAt(result, stages + "wall_ns");
  if (!data || !wall || !(wall->median > 0)) return std::nullopt;
  return data->median / wall->median;
}

CheckResult run(const CheckInput& input) {
  const bool above = input.spec.parameters.contains("at_least"), below = input.spec.parameters.contains("at_most");
  const double least = numberParameter(input.spec, "at_least"), most = numberParameter(input.spec, "at_most", kPercent);
  const auto wanted = above && !below ? ">= " + rounded(least) + " %" : "<= " + rounded(most) + " %";
  const auto share = shareIn(input);
  if (!share) return notRun(input, wanted);
  const double percent = *share * kPercent;
  const bool low = percent < least, high = percent > most;
  auto result = conclude(input, low || high ? CheckState::Failed : CheckState::Passed, wanted,
                         {{"measured", rounded(percent)}, {"wanted", rounded(low || (above && !high) ? least : most)}});
  if (low) result.sentence.id += ".low";
  if (high) result.sentence.id += ".high";
  result.measured = percent;
  return result;
}

}  // namespace

CheckKind checkKind_waiting_share() {
  return {"waiting_share",
          {{"at_most", Parameter::Type::Percent, false},
           {"at_least", Parameter::Type::Percent, false},
           {"side", Parameter::Type::Text, false, {}, {"a", "b"}}},
          run};
}

}  // namespace atelier::lab
