// So many samples come to one update of the weights: micro-batches that were accumulated, counted from the run itself.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const std::int64_t least = std::llround(std::clamp(numberParameter(input.spec, "at_least"), 0.0, 1e9));
  const auto wanted = ">= " + std::to_string(least) + " samples an update";
  if (!hasResult(input)) return notRun(input, wanted);
  const auto side = textParameter(input.spec, "side", input.outcome->verb == "race" ? "b" : "");
  const auto path = [&](const char* figure) { return side.empty() ? std::string(figure) : side + "." + figure; };
  const auto& result = input.outcome->result;
  const auto samples = figureAt(result, path("samples")), updates = figureAt(result, path("optimizer_steps"));
  const auto skipped = figureAt(result, path("skipped_steps"));
  const double windows = (updates ? updates->median : 0) + (skipped ? skipped->median : 0);
  if (!samples || !(windows > 0)) return notRun(input, wanted);
  const double each = samples->median / windows;
  auto judged = conclude(input, each >= static_cast<double>(least) ? CheckState::Passed : CheckState::Failed, wanted,
                         {{"count", std::to_string(std::llround(each))}, {"at", std::to_string(least)}});
  judged.measured = each;
  return judged;
}

}  // namespace

CheckKind checkKind_effective_batch() {
  return {"effective_batch",
          {{"at_least"}, {"side", Parameter::Type::Text, false, {}, {"a", "b"}}},
          run};
}

}  // namespace atelier::lab
