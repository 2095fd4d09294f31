#include "option.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "number.h"

namespace atelier::wire {
namespace {

constexpr std::pair<OptionType, std::string_view> kTypeNames[] = {
    {OptionType::Boolean, "boolean"}, {OptionType::Integer, "integer"}, {OptionType::Number, "number"},
    {OptionType::Choice, "choice"},   {OptionType::Text, "text"},       {OptionType::Bytes, "bytes"}};

std::string_view typeName(OptionType type) {
  for (const auto& [value, name] : kTypeNames)
    if (value == type) return name;
  return "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

Error wrong(std::string id, const Option& option, std::string given) {
  Message message{std::move(id), {{"key", option.key}, {"given", std::move(given)}}};
  if (option.type == OptionType::Choice) {
    auto allowed = option.choices;
    for (const auto& prefix : option.prefixes) allowed.push_back(prefix + "…");
    message.args.emplace_back("allowed", joined(allowed));
    message.args.emplace_back("nearest", nearestName(message.args[1].second, option.choices));
  } else if (option.max > option.min) {
    message.args.emplace_back(
        "min", valueText(option,
                         option.type == OptionType::Number ? Value(option.min) : Value(static_cast<std::int64_t>(option.min))));
    message.args.emplace_back("max", option.type == OptionType::Number ? numberText(option.max)
                                                                       : std::to_string(static_cast<std::int64_t>(option.max)));
  }
  return {ExitCode::Usage, std::move(message)};
}

Result<Value> inRange(const Option& option, double value, Value result, const std::string& given) {
  if (!(value >= option.min && value <= option.max)) return wrong("option.range", option, given);
  return result;
}

Result<Value> choice(const Option& option, const std::string& word) {
  const auto opens = [&](const std::string& prefix) { return word.starts_with(prefix) && word.size() > prefix.size(); };
  if (std::find(option.choices.begin(), option.choices.end(), word) != option.choices.end() ||
      std::any_of(option.prefixes.begin(), option.prefixes.end(), opens))
    return Value(word);
  return wrong("option.choice", option, word);
}

bool fits(const Option& option) {
  switch (option.type) {
    case OptionType::Boolean:
      return std::holds_alternative<bool>(option.fallback);
    case OptionType::Integer:
    case OptionType::Bytes:
      return std::holds_alternative<std::int64_t>(option.fallback);
    case OptionType::Number:
      return std::holds_alternative<double>(option.fallback);
    default:
      return std::holds_alternative<std::string>(option.fallback);
  }
}

}  // namespace

Option booleanOption(std::string key, bool fallback) {
  return {.key = std::move(key), .type = OptionType::Boolean, .fallback = fallback, .choices = {}, .unit = {}};
}

Option integerOption(std::string key, std::int64_t fallback, std::int64_t min, std::int64_t max) {
  return {.key = std::move(key),
          .type = OptionType::Integer,
          .fallback = fallback,
          .min = static_cast<double>(min),
          .max = static_cast<double>(max),
          .choices = {},
          .unit = {}};
}

Option numberOption(std::string key, double fallback, double min, double max) {
  return {.key = std::move(key),
          .type = OptionType::Number,
          .fallback = fallback,
          .min = min,
          .max = max,
          .choices = {},
          .unit = {}};
}

Option choiceOption(std::string key, std::vector<std::string> choices) {
  Value first = choices.empty() ? std::string() : choices.front();
  return {.key = std::move(key),
          .type = OptionType::Choice,
          .fallback = std::move(first),
          .choices = std::move(choices),
          .unit = {}};
}

Option textOption(std::string key, std::string fallback) {
  return {.key = std::move(key), .type = OptionType::Text, .fallback = std::move(fallback), .choices = {}, .unit = {}};
}

Option bytesOption(std::string key) {
  return {.key = std::move(key),
          .type = OptionType::Bytes,
          .fallback = std::int64_t{0},
          .min = 0,
          .max = 4611686018427387904.0,
          .choices = {},
          .unit = {}};
}

Result<Schema> Schema::build(std::vector<Option> options) {
  std::set<std::string> seen;
  for (const auto& option : options)
    if (!seen.insert(option.key).second)
      return Error{ExitCode::Failed, {"option.twice", {{"key", option.key}, {"unit", option.unit}}}};
  Schema schema;
  schema.m_options = std::move(options);
  return schema;
}

Result<Schema> Schema::fromJson(const nlohmann::json& described) {
  const Error malformed{ExitCode::Failed, {"schema.malformed"}};
  if (!described.is_array()) return malformed;
  std::vector<Option> options;
  for (const auto& entry : described) {
    if (!entry.is_object()) return malformed;
    for (const char* key : {"key", "type", "unit", "group"})
      if (entry.contains(key) && !entry[key].is_string()) return malformed;
    if (entry.contains("common") && !entry["common"].is_boolean()) return malformed;
    Option option;
    option.key = entry.value("key", "");
    const auto name = entry.value("type", "");
    for (const auto& [type, known] : kTypeNames)
      if (known == name) option.type = type;
    option.unit = entry.value("unit", "");
    option.group = entry.value("group", "");
    option.common = entry.value("common", false);
    option.min = getNumber(entry, "min").value_or(0);
    option.max = getNumber(entry, "max").value_or(0);
    for (const auto& choice : entry.contains("choices") ? entry["choices"] : nlohmann::json::array()) {
      if (!choice.is_string()) return malformed;
      option.choices.push_back(choice.get<std::string>());
    }
    for (const auto& prefix : entry.contains("prefixes") ? entry["prefixes"] : nlohmann::json::array()) {
      if (!prefix.is_string()) return malformed;
      option.prefixes.push_back(prefix.get<std::string>());
    }
    const auto& fallback = entry.contains("default") ? entry["default"] : nlohmann::json();
    const auto value = readValue(option, fallback);
    if (option.key.empty() || !value.ok()) return malformed;
    option.fallback = value.value();
    if (!fits(option)) return malformed;
    options.push_back(std::move(option));
  }
  return build(std::move(options));
}

const Option* Schema::find(std::string_view key) const {
  const auto found = std::find_if(m_options.begin(), m_options.end(), [&](const Option& o) { return o.key == key; });
  return found == m_options.end() ? nullptr : &*found;
}

std::string Schema::nearestKey(std::string_view key) const {
  std::vector<std::string> keys;
  for (const auto& option : m_options) keys.push_back(option.key);
  return nearestName(key, keys);
}

nlohmann::json Schema::toJson() const {
  auto list = nlohmann::json::array();
  for (const auto& option : m_options) {
    nlohmann::json entry{{"key", option.key},   {"type", typeName(option.type)}, {"default", valueJson(option.fallback)},
                         {"unit", option.unit}, {"group", option.group},         {"common", option.common}};
    if (option.type == OptionType::Choice) entry["choices"] = option.choices;
    if (!option.prefixes.empty()) entry["prefixes"] = option.prefixes;
    if (option.max > option.min) {
      entry["min"] = option.min;
      entry["max"] = option.max;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Result<Value> readValue(const Option& option, const nlohmann::json& json) {
  const auto given =
      json.is_string() ? json.get<std::string>() : json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  switch (option.type) {
    case OptionType::Boolean:
      if (json.is_boolean()) return Value(json.get<bool>());
      return wrong("option.boolean", option, given);
    case OptionType::Integer: {
      if (!json.is_number_integer() && !(json.is_number_float() && json.get<double>() == std::trunc(json.get<double>())))
        return wrong("option.integer", option, given);
      const double value = json.get<double>();
      if (auto checked = inRange(option, value, Value(std::int64_t{0}), given); !checked.ok()) return checked;
      return Value(json.get<std::int64_t>());
    }
    case OptionType::Number:
      if (!json.is_number()) return wrong("option.number", option, given);
      return inRange(option, json.get<double>(), json.get<double>(), given);
    case OptionType::Choice:
      if (!json.is_string()) return wrong("option.choice", option, given);
      return choice(option, given);
    case OptionType::Bytes: {
      if (json.is_null() || json == "none") return Value(std::int64_t{0});
      if (json.is_number_integer() && json.get<double>() >= 0 && json.get<double>() <= option.max)
        return Value(json.get<std::int64_t>());
      const auto bytes = json.is_string() ? parseBytes(given) : std::nullopt;
      if (!bytes) return wrong("option.bytes", option, given);
      return Value(*bytes);
    }
    case OptionType::Text:
      break;
  }
  if (!json.is_string()) return wrong("option.text", option, given);
  return Value(given);
}

Result<Value> readText(const Option& option, std::string_view text) {
  const std::string given(text);
  switch (option.type) {
    case OptionType::Boolean:
      if (given == "true" || given == "1" || given == "on" || given == "yes") return Value(true);
      if (given == "false" || given == "0" || given == "off" || given == "no") return Value(false);
      return wrong("option.boolean", option, given);
    case OptionType::Integer: {
      const auto value = parseInteger(text);
      if (!value) return wrong("option.integer", option, given);
      return inRange(option, static_cast<double>(*value), *value, given);
    }
    case OptionType::Number: {
      const auto value = parseNumber(text);
      if (!value) return wrong("option.number", option, given);
      return inRange(option, *value, *value, given);
    }
    default:
      return readValue(option, given);
  }
}

nlohmann::json valueJson(const Value& value) {
  return std::visit([](const auto& held) { return nlohmann::json(held); }, value);
}

std::string valueText(const Option& option, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return numberText(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto integer = std::get<std::int64_t>(value);
  if (option.type != OptionType::Bytes) return std::to_string(integer);
  if (integer == 0) return "none";
  for (const auto& [unit, size] : {std::pair{"GiB", 1LL << 30}, std::pair{"MiB", 1LL << 20}, std::pair{"KiB", 1LL << 10}})
    if (integer % size == 0) return std::to_string(integer / size) + unit;
  return std::to_string(integer);
}

std::string nearestName(std::string_view word, const std::vector<std::string>& candidates) {
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
      for (std::size_t j = 1; j <= b.size(); ++j) {
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    return d[a.size()][b.size()];
  };
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.size() > 64) return best;
  for (const auto& candidate : candidates) {
    const auto steps = distance(word, candidate);
    const bool prefix = word.size() >= 3 && candidate.starts_with(word);
    if (steps < least || (prefix && best.empty())) {
      best = candidate;
      least = std::min(least, steps);
    }
  }
  return best;
}

}  // namespace atelier::wire
