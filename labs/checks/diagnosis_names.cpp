// The diagnosis of a profile names what the lesson is about, anywhere in it or before all else.
#include <algorithm>

#include "core/wire/json_read.h"
#include "labs/check_support.h"

namespace atelier::lab {
namespace {

std::string ruleOf(const nlohmann::json& finding) {
  return wire::textAt(finding, "rule");
}

CheckResult run(const CheckInput& input) {
  const auto rules = wordsParameter(input.spec, "rule");
  const bool first = flagParameter(input.spec, "first");
  std::string wanted;
  for (const auto& rule : rules) wanted += (wanted.empty() ? "" : " or ") + rule;
  wanted += first ? ", first" : "";
  const auto findings = findingsOf(input);
  if (!findings) return notRun(input, wanted);
  const auto named = std::find_if(findings->begin(), findings->end(), [&](const nlohmann::json& finding) {
    return std::find(rules.begin(), rules.end(), ruleOf(finding)) != rules.end();
  });
  if (named == findings->end()) {
    auto result = conclude(input, CheckState::Failed, wanted);
    if (findings->empty()) result.sentence.id += ".nothing";
    else result.quoted = quoted(findings->front());
    return result;
  }
  const bool isFirst = named == findings->begin();
  auto result = conclude(input, isFirst || !first ? CheckState::Passed : CheckState::Failed, wanted,
                         {{"at", std::to_string(named - findings->begin() + 1)}});
  if (!isFirst) result.sentence.id += first ? ".not_first" : ".later";
  result.quoted = quoted(first && !isFirst ? findings->front() : *named);
  return result;
}

}  // namespace

CheckKind checkKind_diagnosis_names() {
  return {"diagnosis_names",
          {{"rule", Parameter::Type::Words, true, {}, ruleIds()}, {"first", Parameter::Type::Boolean, false, "false"}},
          run,
          false,
          true};
}

}  // namespace atelier::lab
