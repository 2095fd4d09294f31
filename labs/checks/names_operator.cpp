// The learner has named one of the operators that take most time, before they were measured.
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const auto operators = hasResult(input) ? namesAt(input.outcome->result, "operators") : std::vector<std::string>();
  constexpr int kTop = 3;
  return judgeChoice(input, operators, countParameter(input.spec, "top", kTop));
}

}  // namespace

CheckKind checkKind_names_operator() {
  return {"names_operator", {{"top", Parameter::Type::Number, false, "3"}}, run, false, true, true, true};
}

}  // namespace atelier::lab
