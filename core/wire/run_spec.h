// RunSpec: what a run is asked to do, as flat keys. Invariant: every key of the schema is present, typed and in range.
// A spec is made only through parse(), so whoever holds one need not check it again. Any thread; values only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "option.h"
#include "result.h"

namespace atelier::wire {

class RunSpec {
 public:
  // Absent keys take their defaults. Every mistake is named, not only the first: unknown keys with the nearest known
  // one, wrong types, values out of range, values not among the choices.
  static Result<RunSpec> parse(const Schema& schema, const nlohmann::json& json);
  // From text, where also malformed JSON and keys given twice are named.
  static Result<RunSpec> parseText(const Schema& schema, std::string_view text);

  // REQUIRES: the key is in the schema, with that type.
  bool flag(const std::string& key) const { return std::get<bool>(m_values.at(key)); }
  std::int64_t integer(const std::string& key) const { return std::get<std::int64_t>(m_values.at(key)); }
  double number(const std::string& key) const { return std::get<double>(m_values.at(key)); }
  const std::string& text(const std::string& key) const { return std::get<std::string>(m_values.at(key)); }

  const std::map<std::string, Value>& values() const { return m_values; }
  // Takes a checked value of the key's type.
  void set(const std::string& key, Value value) { m_values.at(key) = std::move(value); }
  nlohmann::json toJson() const;
  bool operator==(const RunSpec&) const = default;

 private:
  std::map<std::string, Value> m_values;
};

}  // namespace atelier::wire
