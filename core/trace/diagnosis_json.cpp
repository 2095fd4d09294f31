#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "diagnosis.h"

namespace atelier::trace {
namespace {

using nlohmann::json;
using Args = std::vector<std::pair<std::string, std::string>>;

json argsJson(const Args& args) {
  auto object = json::object();
  for (const auto& [key, value] : args) object[key] = value;
  return object;
}

Args argsFromJson(const json& object) {
  Args args;
  if (!object.is_object()) return args;
  for (const auto& [key, value] : object.items())
    if (value.is_string()) args.emplace_back(key, value.get<std::string>());
  return args;
}

std::vector<std::string> textsFromJson(const json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const auto& entry : list)
    if (entry.is_string()) texts.push_back(entry.get<std::string>());
  return texts;
}

std::vector<std::int32_t> eventsFromJson(const json& list) {
  std::vector<std::int32_t> events;
  if (!list.is_array()) return events;
  for (const auto& entry : list) {
    if (!entry.is_number_integer()) continue;
    const auto number = entry.get<double>();
    if (number >= 0 && number <= INT32_MAX) events.push_back(static_cast<std::int32_t>(number));
  }
  return events;
}

Severity severityFromName(std::string_view name) {
  for (const auto severity : {Severity::Critical, Severity::Warning, Severity::Healthy})
    if (severityName(severity) == name) return severity;
  return Severity::Hint;
}

}  // namespace

json toJson(const Finding& finding) {
  auto set = json::object();
  for (const auto& [key, value] : finding.fix.set) set[key] = value;
  json object{{"rule", finding.rule},
              {"severity", severityName(finding.severity)},
              {"once_a_step", finding.once_a_step},
              {"evidence", wire::toJson(finding.evidence)},
              {"args", argsJson(finding.args)},
              {"fix", {{"set", std::move(set)}, {"args", argsJson(finding.fix.args)}}},
              {"events", finding.events},
              {"modules", finding.modules},
              {"operators", finding.operators}};
  wire::putNumber(object, "share", finding.share);
  wire::putNumber(object, "expected_gain", finding.expected_gain);
  wire::putNumber(object, "gain_low", finding.gain_low);
  wire::putNumber(object, "gain_high", finding.gain_high);
  return object;
}

Finding findingFromJson(const json& object) {
  Finding finding;
  if (!object.is_object()) return finding;
  finding.rule = wire::textAt(object, "rule");
  finding.severity = severityFromName(wire::textAt(object, "severity"));
  finding.evidence = wire::messagesFromJson(wire::memberAt(object, "evidence"));
  finding.args = argsFromJson(wire::memberAt(object, "args"));
  finding.share = wire::getNumber(object, "share").value_or(0);
  finding.expected_gain = wire::getNumber(object, "expected_gain").value_or(1);
  finding.gain_low = wire::getNumber(object, "gain_low").value_or(1);
  finding.gain_high = wire::getNumber(object, "gain_high").value_or(1);
  const auto once = wire::memberAt(object, "once_a_step");
  finding.once_a_step = once.is_boolean() && once.get<bool>();
  const auto fix = wire::memberAt(object, "fix");
  const auto set = wire::memberAt(fix, "set");
  if (set.is_object())
    for (const auto& [key, value] : set.items()) finding.fix.set[key] = value;
  finding.fix.args = argsFromJson(wire::memberAt(fix, "args"));
  finding.events = eventsFromJson(wire::memberAt(object, "events"));
  finding.modules = textsFromJson(wire::memberAt(object, "modules"));
  finding.operators = textsFromJson(wire::memberAt(object, "operators"));
  return finding;
}

}  // namespace atelier::trace
