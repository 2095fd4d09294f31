// A race ends with the verdict that the lesson is about. A busy machine has not decided anything.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const auto wanted = textParameter(input.spec, "verdict");
  const auto verdict = hasResult(input) ? input.outcome->result.value("verdict", nlohmann::json()) : nlohmann::json();
  if (!verdict.is_string() || verdict == "") return notRun(input, wanted);
  const auto ratio = figureAt(input.outcome->result, "ratio");
  if (!ratio && verdict != "machine-busy") return notRun(input, wanted);
  auto state = verdict == wanted ? CheckState::Passed : CheckState::Failed;
  if (state == CheckState::Failed && verdict == "machine-busy") state = CheckState::Noise;
  auto result = conclude(input, state, wanted);
  if (state != CheckState::Noise) result.sentence.id += "." + verdict.get<std::string>();
  if (ratio) setFigure(result, *ratio);
  return result;
}

}  // namespace

CheckKind checkKind_verdict_is() {
  return {"verdict_is",
          {{"verdict", Parameter::Type::Text, true, {}, {"faster", "slower", "no-difference", "machine-busy"}}},
          run,
          true};
}

}  // namespace atelier::lab
