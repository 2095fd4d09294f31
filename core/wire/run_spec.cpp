#include "run_spec.h"

#include "number.h"

namespace atelier::wire {

Result<RunSpec> RunSpec::parse(const Schema& schema, const nlohmann::json& json) {
  if (!json.is_object()) return Error{ExitCode::Usage, {"spec.not_object"}};
  RunSpec spec;
  Error mistakes{ExitCode::Usage, std::vector<Message>{}};
  for (const auto& option : schema.options()) spec.m_values[option.key] = option.fallback;
  for (const auto& [key, given] : json.items()) {
    const auto* option = schema.find(key);
    if (!option) {
      const auto nearest = schema.nearestKey(key);
      mistakes.messages.push_back(
          {nearest.empty() ? "spec.unknown_key" : "spec.unknown_key_near", {{"key", key}, {"nearest", nearest}}});
      continue;
    }
    const auto value = readValue(*option, given);
    if (value.ok()) spec.m_values[key] = value.value();
    else mistakes.messages.push_back(value.error().messages.front());
  }
  if (!mistakes.messages.empty()) return mistakes;
  return spec;
}

Result<RunSpec> RunSpec::parseText(const Schema& schema, std::string_view text) {
  std::string duplicate;
  const auto json = parseJson(text, &duplicate);
  if (json) return parse(schema, *json);
  if (!duplicate.empty()) return Error{ExitCode::Usage, {"spec.key_twice", {{"key", duplicate}}}};
  return Error{ExitCode::Usage, {"spec.malformed"}};
}

nlohmann::json RunSpec::toJson() const {
  auto json = nlohmann::json::object();
  for (const auto& [key, value] : m_values) json[key] = valueJson(value);
  return json;
}

}  // namespace atelier::wire
