// The diagnosis of a profile does not name what is not there: a sound run, or one that was mended.
#include <algorithm>

#include "core/wire/json_read.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

CheckResult run(const CheckInput& input) {
  const auto rules = wordsParameter(input.spec, "rules");
  std::string wanted = "not";
  for (const auto& rule : rules) wanted += " " + rule;
  const auto findings = findingsOf(input);
  if (!findings) return notRun(input, wanted);
  const auto named = std::find_if(findings->begin(), findings->end(), [&](const nlohmann::json& finding) {
    return std::find(rules.begin(), rules.end(), wire::textAt(finding, "rule")) != rules.end();
  });
  auto result = conclude(input, named == findings->end() ? CheckState::Passed : CheckState::Failed, wanted,
                         {{"count", std::to_string(rules.size())}});
  if (named != findings->end()) result.quoted = quoted(*named);
  return result;
}

}  // namespace

CheckKind checkKind_diagnosis_silent() {
  return {"diagnosis_silent", {{"rules", Parameter::Type::Words, true, {}, ruleIds()}}, run, false, true};
}

}  // namespace atelier::lab
