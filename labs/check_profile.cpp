// What the kinds of checks that read profiles share.
#include <algorithm>

#include "check_support.h"
#include "core/wire/json_read.h"
#include "outcome.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

constexpr std::string_view kRule = "rule.", kTitle = ".title";

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string all;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) all += (i == 0 ? "" : ", ") + names[i];
  return all;
}

}  // namespace

const std::vector<std::string>& ruleIds() {
  static const auto ids = [] {
    std::vector<std::string> rules;
    for (const auto& id : wire::Catalog::builtIn("en").ids())
      if (id.starts_with(kRule) && id.ends_with(kTitle))
        rules.push_back(id.substr(kRule.size(), id.size() - kRule.size() - kTitle.size()));
    return rules;
  }();
  return ids;
}

std::optional<std::vector<json>> findingsOf(const CheckInput& input) {
  if (!hasResult(input)) return std::nullopt;
  const auto diagnosis = wire::memberAt(input.outcome->result, "diagnosis");
  if (!diagnosis.is_array()) return std::nullopt;
  std::vector<json> findings;
  for (const auto& finding : diagnosis)
    if (!wire::textAt(finding, "rule").empty() && wire::textAt(finding, "severity") != "healthy") findings.push_back(finding);
  return findings;
}

std::vector<wire::Message> quoted(const json& finding) {
  auto messages = findingTitles(json{{"diagnosis", json::array({finding})}});
  const auto evidence = wire::messagesFromJson(wire::memberAt(finding, "evidence"));
  if (!evidence.empty()) messages.push_back(evidence.front());
  return messages;
}

CheckResult judgeChoice(const CheckInput& input, const std::vector<std::string>& names, int top) {
  const auto count = static_cast<std::size_t>(std::max(1, top));
  const auto wanted = "among the first " + std::to_string(count);
  if (!hasResult(input) || names.empty()) return notRun(input, wanted);
  if (input.chosen.empty()) {
    auto result = conclude(input, CheckState::NotPredicted, wanted);
    result.sentence = {"check.not_chosen", {{"name", listed(names, count)}}};
    return result;
  }
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(count, names.size()));
  const bool right =
      std::any_of(names.begin(), end, [&](const std::string& name) { return name.find(input.chosen) != std::string::npos; });
  return conclude(input, right ? CheckState::Passed : CheckState::Failed, wanted,
                  {{"value", input.chosen}, {"name", listed(names, count)}});
}

}  // namespace atelier::lab
