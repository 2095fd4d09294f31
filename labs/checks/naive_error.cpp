// A naive stopwatch was read beside the honest one and lies: its reading is outside the honest interval. For
// "reused_model" the reading is a second timing over the first, held against the same relative interval.
#include <cmath>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

constexpr double kPercent = 100;

// Why this machine has no such reading: the engine's reason, when it gave one.
std::string reasonFor(const CheckInput& input, const std::string& naive) {
  if (!hasResult(input) || !input.outcome->result.contains("naive")) return {};
  for (const auto& reading : input.outcome->result["naive"])
    if (reading.is_object() && reading.value("kind", nlohmann::json()) == naive && reading.contains("reason") &&
        reading["reason"].is_string())
      return reading["reason"].get<std::string>();
  return {};
}

// Takes the two figures that are compared; false when one of them was not measured.
bool readFigures(const CheckInput& input, const std::string& naive, wire::Interval& honest, wire::Interval& ratio) {
  if (!hasResult(input)) return false;
  const auto& result = input.outcome->result;
  honest = figureAt(result, "samples_per_second").value_or(wire::Interval{});
  ratio = figureAt(result, "naive." + naive + ".ratio").value_or(wire::Interval{});
  return honest.median > 0 && ratio.count > 0;
}

CheckResult run(const CheckInput& input) {
  const auto naive = textParameter(input.spec, "naive");
  const double atLeast = numberParameter(input.spec, "at_least_percent");
  const auto wanted = "outside the honest interval" + (atLeast > 0 ? ", by >= " + rounded(atLeast) + " %" : std::string());
  wire::Interval honest, ratio;
  if (!readFigures(input, naive, honest, ratio)) {
    auto result = notRun(input, wanted);
    if (const auto reason = reasonFor(input, naive); !reason.empty()) result.sentence = {reason, {}};
    return result;
  }
  const double lie = std::fabs(ratio.median - 1) * kPercent;
  const double reading = ratio.median * honest.median;
  const bool outside = reading < honest.low || reading > honest.high;
  const auto state = !outside ? CheckState::Noise : lie >= atLeast ? CheckState::Passed : CheckState::Failed;
  auto result = conclude(input, state, wanted, {{"lie", rounded(lie)}, {"wanted", rounded(atLeast)}});
  if (state == CheckState::Passed) result.sentence.id += std::string(".") + naive + (ratio.median < 1 ? ".low" : ".high");
  setFigure(result, ratio);
  return result;
}

}  // namespace

CheckKind checkKind_naive_error() {
  return {"naive_error",
          {{"naive", Parameter::Type::Text, true, {}, {"no_warmup", "first_epoch", "reused_model", "no_synchronisation"}},
           {"at_least_percent", Parameter::Type::Percent, false, "0"}},
          run};
}

}  // namespace atelier::lab
