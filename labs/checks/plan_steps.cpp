// A plan was applied: so many of its fixes were raced one by one, and every race has decided something, so that a measured gain
// stands beside each predicted one. A plan that is shorter on this machine asks for no more than it has.
#include <algorithm>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

bool decided(const AppliedFix& fix) {
  return fix.raced() && fix.verdict != "machine-busy" && fix.measured;
}

// What the fixes brought together, as predicted and as measured one after the other; those that did not win were not kept.
struct Gain {
  double predicted = 1, measured = 1;
};

Gain gainOf(const std::vector<AppliedFix>& fixes) {
  Gain gain;
  for (const auto& fix : fixes) {
    if (fix.number == 0 || !fix.raced() || !fix.fix) continue;
    gain.predicted *= fix.fix->predicted;
    if (fix.won() && fix.measured) gain.measured *= fix.measured->median;
  }
  return gain;
}

CheckResult run(const CheckInput& input) {
  const std::ptrdiff_t asked = countParameter(input.spec, "at_least");
  const auto wantedOf = [](std::ptrdiff_t count) { return ">= " + std::to_string(count) + " fixes raced and decided"; };
  if (!hasResult(input) || !input.outcome->result.contains("plan")) return notRun(input, wantedOf(asked));
  const auto planned = static_cast<std::ptrdiff_t>(planOf(input.outcome->result).size());
  const auto needed = std::min(asked, planned);
  const auto wanted = wantedOf(needed > 0 ? needed : asked);
  const auto count = [&](const auto& is) {
    return std::count_if(input.fixes.begin(), input.fixes.end(),
                         [&](const AppliedFix& fix) { return fix.number > 0 && is(fix); });
  };
  const auto raced = count([](const AppliedFix& fix) { return fix.raced(); }), sure = count(decided);
  auto state = sure >= needed ? CheckState::Passed : raced >= needed ? CheckState::Noise : CheckState::NotRun;
  if (needed <= 0) state = CheckState::NotRun;
  const auto gain = gainOf(input.fixes);
  auto result = conclude(input, state, wanted,
                         {{"count", std::to_string(state == CheckState::Noise ? raced - sure : sure)},
                          {"at", std::to_string(needed)},
                          {"predicted", rounded(gain.predicted)},
                          {"measured", rounded(gain.measured)}});
  if (needed <= 0) result.sentence.id += ".empty";
  else if (state == CheckState::Passed && needed < asked) result.sentence.id += ".short";
  if (state == CheckState::Passed) result.measured = gain.measured;
  return result;
}

}  // namespace

CheckKind checkKind_plan_steps() {
  return {"plan_steps", {{"at_least", Parameter::Type::Number}}, run, false, true};
}

}  // namespace atelier::lab
