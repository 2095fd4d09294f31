// The birthplace of the first NaN or infinity is known: the module and the step, and if asked for the operator too.
#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const bool wantsOperator = flagParameter(input.spec, "operator");
  const std::string wanted = wantsOperator ? "module, step, operator" : "module, step";
  // What was run to its end and has no such place was sound, or was not looked at.
  if (!hasResult(input) || wire::textAt(input.outcome->result, "status") != "done") return notRun(input, wanted);
  const auto origin = wire::memberAt(input.outcome->result, "origin");
  const auto module = wire::textAt(origin, "module"), name = wire::textAt(origin, "operator");
  const auto step = origin.is_object() ? wire::getNumber(origin, "step") : std::nullopt;
  if (module.empty() || !step) {
    auto result = conclude(input, CheckState::Failed, wanted);
    result.sentence.id += ".nowhere";
    return result;
  }
  const bool passed = !wantsOperator || !name.empty();
  auto result = conclude(input, passed ? CheckState::Passed : CheckState::Failed, wanted,
                         {{"module", module}, {"operator", name}, {"at", rounded(*step)}});
  if (passed && name.empty()) result.sentence.id += ".module";
  result.measured = *step;
  return result;
}

}  // namespace

CheckKind checkKind_finding_origin() {
  return {"finding_origin", {{"operator", Parameter::Type::Boolean, false, "false"}}, run};
}

}  // namespace atelier::lab
