// Whether a training came to a sound end or diverged, as the step expects: diverged is a loss at the end that is no finite
// number, or above that of the first block.
#include <cmath>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const auto wanted = textParameter(input.spec, "state", "sound");
  const auto side = textParameter(input.spec, "side");
  const auto path = [&](const char* figure) { return side.empty() ? std::string(figure) : side + "." + figure; };
  const auto loss = hasResult(input) ? figureAt(input.outcome->result, path("loss")) : std::nullopt;
  if (!loss) return notRun(input, wanted);
  const auto first = figureAt(input.outcome->result, path("curve.first"));
  const bool rose = first && std::isfinite(first->median) && loss->median > first->median;
  const std::string found = !std::isfinite(loss->median) || rose ? "diverged" : "sound";
  auto result = conclude(input, found == wanted ? CheckState::Passed : CheckState::Failed, wanted);
  result.sentence.id += "." + found;
  setFigure(result, *loss);
  return result;
}

}  // namespace

CheckKind checkKind_training_is() {
  return {"training_is",
          {{"state", Parameter::Type::Text, true, {}, {"sound", "diverged"}},
           {"side", Parameter::Type::Text, false, {}, {"a", "b"}}},
          run};
}

}  // namespace atelier::lab
