// Options: how a unit (model, data set, technique, …) describes what can be asked of it. The engine's units declare them,
// `atelier-engine describe` prints them, the app builds its forms from them, and a RunSpec is checked against them.
// Invariant of a Schema: every key stands once. Any thread once built.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "result.h"

namespace atelier::wire {

enum class OptionType { Boolean, Integer, Number, Choice, Text, Bytes };
using Value = std::variant<bool, std::int64_t, double, std::string>;

// A key of the RunSpec. Label and help are catalog texts "option.KEY.label" and "option.KEY.help".
struct Option {
  std::string key;
  OptionType type = OptionType::Text;
  Value fallback;                    // the default; its alternative fits the type (Choice, Text: string; Bytes: int64)
  double min = 0, max = 0;           // inclusive bounds of Integer, Number, Bytes
  std::vector<std::string> choices;  // of Choice
  std::vector<std::string> prefixes{};  // of Choice: a value may also be one of these with anything behind it ("hf:DIR")
  std::string unit;                  // the id of the unit that declared it: "session", "technique.optimizer"
  bool common = false;               // has a flag of its own on the command line (--learning-rate)
  std::string group = "training";    // heading in forms and help: training, model, data, machine, measurement, memory
};

Option booleanOption(std::string key, bool fallback);
Option integerOption(std::string key, std::int64_t fallback, std::int64_t min, std::int64_t max);
Option numberOption(std::string key, double fallback, double min, double max);
Option choiceOption(std::string key, std::vector<std::string> choices);  // the first is the default
Option textOption(std::string key, std::string fallback);
Option bytesOption(std::string key);  // 0, "none": no limit

class Schema {
 public:
  Schema() = default;
  // Fails with option.twice when a key is declared by two units.
  static Result<Schema> build(std::vector<Option> options);
  static Result<Schema> fromJson(const nlohmann::json& described);

  const std::vector<Option>& options() const { return m_options; }
  const Option* find(std::string_view key) const;
  // The known key nearest to a mistyped one, or "" when none is near.
  std::string nearestKey(std::string_view key) const;
  nlohmann::json toJson() const;

 private:
  std::vector<Option> m_options;
};

// A JSON value as an option's value, or the message that names the mistake and the allowed values.
Result<Value> readValue(const Option& option, const nlohmann::json& json);
// The same from command-line text ("true", "1e-3", "512MiB").
Result<Value> readText(const Option& option, std::string_view text);
nlohmann::json valueJson(const Value& value);
// As a person types it; bytes as "512MiB" where even.
std::string valueText(const Option& option, const Value& value);

// The nearest of the candidates within a third of the word's length (Damerau–Levenshtein), or "".
std::string nearestName(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace atelier::wire
