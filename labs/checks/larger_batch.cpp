// The largest batch that fits is so many times that of another search. Where nothing was too large for one of them, the data
// set was the limit and not the memory: nothing is decided.
#include <cmath>
#include <optional>
#include <string>

#include "labs/check_support.h"

namespace atelier::lab {
namespace {

struct Found {
  double batch = 0;
  bool limited = false;  // by memory
};

std::optional<Found> foundIn(const Outcome* outcome) {
  if (!outcome || hasFailed(outcome->result)) return std::nullopt;
  const auto batch = figureAt(outcome->result, "batch");
  if (!batch || !(batch->median >= 1)) return std::nullopt;
  return Found{batch->median, figureAt(outcome->result, "out_of_memory_at").has_value()};
}

std::string whole(double batch) {
  return std::to_string(std::llround(batch));
}

CheckResult run(const CheckInput& input) {
  const double times = numberParameter(input.spec, "times", 1);
  const auto wanted = ">= " + rounded(times) + " x";
  const auto found = foundIn(input.outcome), other = foundIn(input.other);
  if (!found) return notRun(input, wanted);
  if (!other) {
    auto result = conclude(input, CheckState::NotRun, wanted);
    result.sentence.id += ".other";
    return result;
  }
  const double factor = found->batch / other->batch;
  auto state = factor >= times ? CheckState::Passed : CheckState::Failed;
  // A search that ran into the data's end could have gone on.
  if (!other->limited || (state == CheckState::Failed && !found->limited)) state = CheckState::Noise;
  auto result = conclude(input, state, wanted,
                         {{"at", whole(other->batch)}, {"count", whole(found->batch)}, {"wanted", rounded(times)}});
  setFigure(result, {factor, factor, factor, 1});
  return result;
}

}  // namespace

CheckKind checkKind_larger_batch() {
  CheckKind kind{"larger_batch", {{"times"}, {"than", Parameter::Type::Step}}, run};
  kind.of_batch = true;
  return kind;
}

}  // namespace atelier::lab
