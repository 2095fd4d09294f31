// A race has decided something, whatever it is: faster, slower, or a "no difference" that is narrow enough to mean it.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const double percent = numberParameter(input.spec, "percent");
  const auto wanted = "decided, or no-difference +- <= " + rounded(percent) + " %";
  const auto verdict = hasResult(input) ? input.outcome->result.value("verdict", nlohmann::json()) : nlohmann::json();
  const auto ratio = hasResult(input) ? figureAt(input.outcome->result, "ratio") : std::nullopt;
  const auto finish = [&](CheckState state, const std::string& suffix) {
    auto result = conclude(input, state, wanted, {{"wanted", rounded(percent)}});
    result.sentence.id += "." + suffix;
    if (!ratio) return result;
    result.sentence.args.emplace_back("width", rounded(halfWidthPercent(*ratio)));
    setFigure(result, *ratio);
    return result;
  };
  if (verdict == "machine-busy") return finish(CheckState::Noise, "machine-busy");
  if (!verdict.is_string() || verdict == "" || !ratio) return notRun(input, wanted);
  if (verdict == "no-difference" && halfWidthPercent(*ratio) > percent) return finish(CheckState::Noise, "too_wide");
  return finish(CheckState::Passed, verdict.get<std::string>());
}

}  // namespace

CheckKind checkKind_decided() {
  return {"decided", {{"percent", Parameter::Type::Percent}}, run, true};
}

}  // namespace atelier::lab
