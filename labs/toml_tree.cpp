#include "toml_tree.h"

#include <algorithm>
#include <cmath>

// The packaged shared library throws; header-only, without exceptions, errors are values like everywhere else here.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// Values in values, on many lines: with the bound on a line this bounds the depth that parser and destructors recurse to.
#define TOML_MAX_NESTED_VALUES 8
// "[[[" fails one of its assertions, behind which the error is told all the same: a file must not end a program.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include "core/wire/number.h"
#include "core/wire/option.h"

namespace atelier::lab {
namespace {

using Args = std::vector<std::pair<std::string, std::string>>;
using Kind = TomlValue::Kind;

// Dotted keys nest one table a dot: a bounded line bounds the depth that parser and destructors recurse to.
constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kLongestText = 500;
constexpr int kDeepest = 16;

int lineNumber(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

bool convert(const toml::node& node, TomlValue& value, int depth) {
  if (depth > kDeepest) return false;
  value.line = lineNumber(node);
  if (const auto* table = node.as_table()) {
    value.kind = Kind::Table;
    for (const auto& [key, member] : *table) {
      auto& child = value.members[std::string(key.str())];
      if (!convert(member, child, depth + 1)) return false;
      if (child.line == 0) child.line = static_cast<int>(key.source().begin.line);
    }
    return true;
  }
  if (const auto* list = node.as_array()) {
    value.kind = Kind::List;
    for (const auto& item : *list)
      if (!convert(item, value.items.emplace_back(), depth + 1)) return false;
    return true;
  }
  if (const auto* flag = node.as_boolean()) {
    value.kind = Kind::Boolean;
    value.boolean = flag->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Kind::Integer;
    value.integer = integer->get();
    value.number = static_cast<double>(value.integer);
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Kind::Number;
    value.number = number->get();
  } else if (const auto* text = node.as_string()) {
    value.kind = Kind::Text;
    value.text = text->get();
  }
  return true;
}

std::optional<int> tooLongLine(std::string_view content) {
  int line = 1;
  for (std::size_t begin = 0; begin < content.size(); ++line) {
    const auto end = std::min(content.find('\n', begin), content.size());
    if (end - begin > kLongestLine) return line;
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace

wire::Message fileMessage(std::string id, const std::string& file, int line, Args args) {
  wire::Message message{std::move(id), {{"file", file}, {"line", std::to_string(line)}}};
  for (auto& arg : args) message.args.push_back(std::move(arg));
  return message;
}

bool isIdentifier(std::string_view word) {
  constexpr std::size_t kLongest = 64;
  return !word.empty() && word.size() <= kLongest && word.front() != '-' &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

wire::Result<TomlValue> parseToml(std::string_view content, const std::string& file) {
  if (const auto line = tooLongLine(content))
    return wire::Error{wire::ExitCode::Usage,
                       fileMessage("lab.line_too_long", file, *line, {{"limit", std::to_string(kLongestLine)}})};
  const auto parsed = toml::parse(content);
  if (!parsed) {
    const auto& error = parsed.error();
    return wire::Error{wire::ExitCode::Usage, fileMessage("lab.syntax", file, static_cast<int>(error.source().begin.line),
                                                          {{"detail", std::string(error.description())}})};
  }
  TomlValue root;
  if (!convert(parsed.table(), root, 0))
    return wire::Error{wire::ExitCode::Usage,
                       fileMessage("lab.nested_too_deep", file, 1, {{"limit", std::to_string(kDeepest)}})};
  root.line = 1;
  return root;
}

std::optional<nlohmann::json> scalarJson(const TomlValue& value) {
  switch (value.kind) {
    case Kind::Boolean:
      return nlohmann::json(value.boolean);
    case Kind::Integer:
      return nlohmann::json(value.integer);
    case Kind::Number:
      return std::isfinite(value.number) ? std::optional(nlohmann::json(value.number)) : std::nullopt;
    case Kind::Text:
      return nlohmann::json(value.text);
    default:
      return std::nullopt;
  }
}

void TableReader::mistake(std::string id, int line, Args args) {
  if (m_mistakes.size() >= kMostMistakes) return;
  m_mistakes.push_back(fileMessage(std::move(id), m_file, line, std::move(args)));
}

int TableReader::lineOf(const std::string& key) const {
  const auto found = m_table.members.find(key);
  return found == m_table.members.end() ? m_table.line : found->second.line;
}

void TableReader::wrongType(const std::string& key, const std::string& wanted) {
  mistake("lab.wrong_type." + wanted, lineOf(key), {{"key", key}});
}

const TomlValue* TableReader::find(const std::string& key, Need need) {
  const auto found = m_table.members.find(key);
  if (found != m_table.members.end()) return &found->second;
  if (need == Need::Required) mistake("lab.missing_key", m_table.line, {{"key", key}});
  return nullptr;
}

std::string TableReader::text(const std::string& key, Need need) {
  const auto* value = find(key, need);
  if (!value) return {};
  if (value->kind != Kind::Text || value->text.empty()) wrongType(key, "text");
  else if (value->text.size() > kLongestText)
    mistake("lab.text_too_long", value->line, {{"key", key}, {"limit", std::to_string(kLongestText)}});
  else return value->text;
  return {};
}

std::string TableReader::labNumber(const std::string& key) {
  constexpr std::size_t kLongest = 16;
  const auto number = text(key);
  const bool fits = number.size() <= kLongest && std::all_of(number.begin(), number.end(), [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
                    });
  if (fits) return number;
  mistake("lab.bad_number", lineOf(key), {{"key", key}, {"given", number}, {"limit", std::to_string(kLongest)}});
  return {};
}

std::string TableReader::identifier(const std::string& key, Need need) {
  const auto word = text(key, need);
  if (word.empty() || isIdentifier(word)) return word;
  mistake("lab.bad_identifier", lineOf(key), {{"key", key}, {"given", word}});
  return {};
}

std::int64_t TableReader::integer(const std::string& key, std::int64_t min, std::int64_t max, std::int64_t fallback,
                                  Need need) {
  const auto* value = find(key, need);
  if (!value) return fallback;
  if (value->kind != Kind::Integer) {
    wrongType(key, "integer");
  } else if (value->integer < min || value->integer > max) {
    mistake(
        "lab.out_of_range", value->line,
        {{"key", key}, {"given", std::to_string(value->integer)}, {"min", std::to_string(min)}, {"max", std::to_string(max)}});
  } else {
    return value->integer;
  }
  return fallback;
}

double TableReader::number(const std::string& key, Need need) {
  const auto* value = find(key, need);
  if (!value) return 0;
  const bool isNumber = value->kind == Kind::Integer || value->kind == Kind::Number;
  if (isNumber && std::isfinite(value->number)) return value->number;
  wrongType(key, "number");
  return 0;
}

bool TableReader::boolean(const std::string& key) {
  const auto* value = find(key, Need::Optional);
  if (value && value->kind != Kind::Boolean) wrongType(key, "boolean");
  return value && value->boolean;
}

std::vector<std::string> TableReader::wordOrWords(const std::string& key) {
  const auto* value = find(key, Need::Optional);
  if (!value || value->kind != Kind::Text) return words(key, 1);
  auto word = text(key);
  return word.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(word)};
}

std::vector<std::string> TableReader::words(const std::string& key, std::size_t fewest) {
  const auto* value = find(key, Need::Optional);
  if (!value) return {};
  std::vector<std::string> all;
  bool fits = value->kind == Kind::List;
  for (const auto& item : value->items) {
    fits = fits && item.kind == Kind::Text;
    all.push_back(item.text);
  }
  if (!fits) wrongType(key, "words");
  else if (all.size() < fewest) mistake("lab.too_few", value->line, {{"key", key}, {"limit", std::to_string(fewest)}});
  fits = fits && isShort(*value, key);
  return fits ? all : std::vector<std::string>{};
}

nlohmann::json TableReader::scalars(const std::string& key) {
  auto object = nlohmann::json::object();
  const auto* value = table(key, Need::Optional);
  if (!value) return object;
  for (const auto& [name, member] : value->members) {
    if (const auto scalar = scalarJson(member)) object[name] = *scalar;
    else mistake("lab.wrong_type.scalar", member.line, {{"key", key + "." + name}});
  }
  return object;
}

const TomlValue* TableReader::table(const std::string& key, Need need) {
  const auto* value = find(key, need);
  if (!value || value->kind == Kind::Table) return value;
  wrongType(key, "table");
  return nullptr;
}

std::vector<const TomlValue*> TableReader::tables(const std::string& key) {
  const auto* value = find(key, Need::Optional);
  if (!value) return {};
  std::vector<const TomlValue*> all;
  bool fits = value->kind == Kind::List;
  for (const auto& item : value->items) {
    fits = fits && item.kind == Kind::Table;
    all.push_back(&item);
  }
  if (!fits) wrongType(key, "tables");
  fits = fits && isShort(*value, key);
  return fits ? all : std::vector<const TomlValue*>{};
}

bool TableReader::isShort(const TomlValue& list, const std::string& key) {
  if (list.items.size() <= kMostItems) return true;
  mistake("lab.too_many", list.line, {{"key", key}, {"limit", std::to_string(kMostItems)}});
  return false;
}

void TableReader::finish(const std::vector<std::string>& known) {
  for (const auto& [key, value] : m_table.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (m_mistakes.size() >= kMostMistakes) return;
    const auto nearest = wire::nearestName(key, known);
    mistake(nearest.empty() ? "lab.unknown_key" : "lab.unknown_key_near", value.line, {{"key", key}, {"nearest", nearest}});
  }
}

}  // namespace atelier::lab
