// The learner's choice is what was measured: the first of the names that the step's prediction is about, or among the first.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  return judgeChoice(input, input.found, countParameter(input.spec, "top", 1));
}

}  // namespace

CheckKind checkKind_chosen_right() {
  return {"chosen_right", {{"top", Parameter::Type::Number, false, "1"}}, run, false, false, true, true};
}

}  // namespace atelier::lab
