#include "number.h"

#include <charconv>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace atelier::wire {
namespace {

constexpr int kDeepest = 100;

template <class T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

double unitFactor(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                                   {"B", 1},
                                                                   {"KiB", 1024.0},
                                                                   {"MiB", 1024.0 * 1024},
                                                                   {"GiB", 1073741824.0},
                                                                   {"TiB", 1099511627776.0},
                                                                   {"KB", 1e3},
                                                                   {"MB", 1e6},
                                                                   {"GB", 1e9},
                                                                   {"TB", 1e12}};
  for (const auto& [name, factor] : kUnits)
    if (name == unit) return factor;
  return 0;
}

}  // namespace

std::string_view nonFiniteName(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return "";
}

void putNumber(nlohmann::json& object, const std::string& key, std::optional<double> value) {
  if (!value) return;
  const auto name = nonFiniteName(*value);
  if (name.empty()) {
    object[key] = *value;
    return;
  }
  object[key] = nullptr;
  object["non_finite"][key] = name;
}

std::optional<double> getNumber(const nlohmann::json& object, const std::string& key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  if (!found->is_null()) return std::nullopt;
  const auto states = object.find("non_finite");
  if (states == object.end() || !states->is_object()) return std::nullopt;
  const auto state = states->find(key);
  if (state == states->end() || !state->is_string()) return std::nullopt;
  if (*state == "NaN") return std::nan("");
  if (*state == "Infinity") return HUGE_VAL;
  if (*state == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

std::string numberText(double value) {
  if (const auto name = nonFiniteName(value); !name.empty()) return std::string(name);
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::optional<double> parseNumber(std::string_view text) {
  // from_chars also takes "inf", "nan" and leading dots; JSON has none of them.
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  const auto digit = text.front() == '-' ? 1U : 0U;
  if (digit >= text.size() || text[digit] < '0' || text[digit] > '9') return std::nullopt;
  return whole<double>(text);
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  return whole<std::int64_t>(text);
}

std::optional<std::int64_t> parseBytes(std::string_view text) {
  // As a double a count beyond 2^53 would come back as its neighbour.
  constexpr double kMost = 4611686018427387904.0;
  if (const auto exact = parseInteger(text); exact && *exact >= 0 && static_cast<double>(*exact) <= kMost) return exact;
  const auto split = text.find_first_not_of("0123456789.");
  const auto amount = parseNumber(text.substr(0, split));
  if (!amount) return std::nullopt;
  auto unit = split == std::string_view::npos ? std::string_view{} : text.substr(split);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const double factor = unitFactor(unit);
  const double bytes = *amount * factor;
  if (factor == 0 || !(bytes <= kMost)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::optional<nlohmann::json> parseJson(std::string_view text, std::string* duplicateKey) {
  // The library takes a zero byte for the end of the text, and would not see what stands behind it.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  std::vector<std::set<std::string>> open;
  bool bad = false;
  int deepest = 0;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using enum nlohmann::json::parse_event_t;
    deepest = std::max(deepest, depth);
    if (event == object_start) open.emplace_back();
    if (event == object_end && !open.empty()) open.pop_back();
    if (event == key && !open.empty() && !open.back().insert(parsed.get<std::string>()).second) {
      bad = true;
      if (duplicateKey) *duplicateKey = parsed.get<std::string>();
    }
    return true;
  };
  // The depth is counted before parsing: a hostile file must not exhaust the stack of whoever walks the value.
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) return std::nullopt;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  auto value = nlohmann::json::parse(text.begin(), text.end(), watch, false);
  if (value.is_discarded() || bad) return std::nullopt;
  return value;
}

}  // namespace atelier::wire
