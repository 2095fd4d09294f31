// A ladder was climbed: so many rungs were raced and decided, and all that was kept, raced at once against the foot, is so many
// times faster. Where the foot was profiled and the machine multiplies bfloat16 at least twice as fast as float32, as measured,
// more can be asked.
#include <algorithm>
#include <optional>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

constexpr double kUnitsForBfloat16 = 2;

double wantedFactor(const CheckInput& input) {
  const double plain = numberParameter(input.spec, "at_least");
  const auto ratio = input.outcome ? figureAt(input.outcome->result, "peaks.bf16_over_fp32") : std::nullopt;
  return ratio && ratio->median >= kUnitsForBfloat16 ? numberParameter(input.spec, "with_bf16", plain) : plain;
}

CheckResult run(const CheckInput& input) {
  const double factor = wantedFactor(input);
  const auto rungs = countParameter(input.spec, "rungs");
  const auto wanted = ">= " + rounded(factor) + " x on >= " + std::to_string(rungs) + " rungs";
  const auto& ladder = input.ladder;
  if (!hasResult(input) || ladder.empty()) return notRun(input, wanted);
  const auto decided = std::count_if(ladder.rungs.begin(), ladder.rungs.end(), [](const Rung& rung) { return rung.decided(); });
  const auto kept = std::count_if(ladder.rungs.begin(), ladder.rungs.end(), [](const Rung& rung) { return rung.kept(); });
  const SentenceArgs args{{"count", std::to_string(decided)},
                          {"at", std::to_string(rungs)},
                          {"wanted", rounded(factor)}};
  const auto told = [&](CheckState state, const char* how) {
    auto result = conclude(input, state, wanted, args);
    result.sentence.id += how;
    if (ladder.whole) setFigure(result, *ladder.whole);
    return result;
  };
  if (decided < rungs) return told(CheckState::NotRun, ".rungs");
  if (!ladder.whole) return told(kept == 0 ? CheckState::Failed : CheckState::NotRun, kept == 0 ? ".nothing" : ".whole");
  if (!ladder.whole_quality) return told(CheckState::Failed, ".quality");
  if (ladder.whole_verdict == "machine-busy") return told(CheckState::Noise, "");
  if (ladder.whole->high < factor) return told(CheckState::Failed, "");
  const bool sure = ladder.whole->median >= factor && ladder.whole->low >= 1;
  return told(sure ? CheckState::Passed : CheckState::Noise, "");
}

}  // namespace

CheckKind checkKind_ladder_reaches() {
  return {"ladder_reaches",
          {{"at_least"}, {"with_bf16", Parameter::Type::Number, false}, {"rungs"}},
          run};
}

}  // namespace atelier::lab
