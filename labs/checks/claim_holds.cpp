// A published claim about what B brings over A, judged here: it holds, it does not, it can't be told yet, or this machine lacks
// what the claim is about.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/wire/json_read.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

using wire::Interval;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double limit(const CheckSpec& spec, const char* name, double none) {
  return spec.parameters.contains(name) ? numberParameter(spec, name) : none;
}

// A ratio as it is; a saving of memory and a difference of accuracies in percent.
std::optional<Interval> gainOf(const nlohmann::json& race, const std::string& of) {
  constexpr double kPercent = 100;
  if (of == "memory") {
    const auto a = figureAt(race, "a.peak_memory_bytes.total"), b = figureAt(race, "b.peak_memory_bytes.total");
    if (!a || !b || !(a->median > 0)) return std::nullopt;
    const double saved = (1 - b->median / a->median) * kPercent;
    return Interval{saved, saved, saved, 1};
  }
  if (of == "accuracy") {
    const auto a = figureAt(race, "a.accuracy"), b = figureAt(race, "b.accuracy");
    if (!a || !b) return std::nullopt;
    const double apart = std::fabs(b->median - a->median) * kPercent, margin = accuracyMargin(race) * kPercent;
    return Interval{apart, std::max(0.0, apart - margin), apart + margin, 1};
  }
  return figureAt(race, "ratio");
}

// What the claim asks of the machine and this one has not; "" when it has it, or nobody knows.
std::string lacking(const nlohmann::json& race, const std::string& needs) {
  const auto machine = wire::memberAt(wire::memberAt(race, "a"), "machine");
  const auto gpus = figureAt(machine, "gpus"), units = figureAt(machine, "low_precision");
  if (!gpus || !units) return {};
  const bool fast = gpus->median > 0 || units->median > 0;
  const bool has = needs == "gpu" ? gpus->median > 0 : needs == "fast_16_bit" ? fast : needs == "slow_16_bit" ? !fast : true;
  return has ? std::string() : needs;
}

CheckState judge(const Interval& gain, double least, double most, bool busy) {
  // Without a limit nothing is claimed, and nothing can hold.
  if (busy || (std::isinf(least) && std::isinf(most))) return CheckState::Noise;
  if (gain.high < least || gain.low > most) return CheckState::Failed;
  return gain.median >= least && gain.median <= most ? CheckState::Passed : CheckState::Noise;
}

CheckResult run(const CheckInput& input) {
  const auto of = textParameter(input.spec, "of", "speed");
  const double least = limit(input.spec, "at_least", -kInfinite), most = limit(input.spec, "at_most", kInfinite);
  auto wanted = of;
  if (!std::isinf(least)) wanted += " >= " + rounded(least);
  if (!std::isinf(most)) wanted += " <= " + rounded(most);
  const auto gain = hasResult(input) ? gainOf(input.outcome->result, of) : std::nullopt;
  if (!gain) return notRun(input, wanted);
  if (const auto lacks = lacking(input.outcome->result, textParameter(input.spec, "needs")); !lacks.empty()) {
    auto result = conclude(input, CheckState::NotRun, wanted);
    result.sentence.id += "." + lacks;
    return result;
  }
  auto result = conclude(input, judge(*gain, least, most, of == "speed" && machineBusy(input)), wanted);
  result.sentence.id += "." + of;
  setFigure(result, *gain);
  return result;
}

}  // namespace

CheckKind checkKind_claim_holds() {
  return {"claim_holds",
          {{"of", Parameter::Type::Text, true, {}, {"speed", "memory", "accuracy"}},
           {"at_least", Parameter::Type::Number, false},
           {"at_most", Parameter::Type::Number, false},
           {"needs", Parameter::Type::Text, false, {}, {"gpu", "fast_16_bit", "slow_16_bit"}}},
          run,
          true};
}

}  // namespace atelier::lab
