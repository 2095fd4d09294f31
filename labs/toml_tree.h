// A TOML document as a plain tree in which every value knows its line, so that mistakes can be pointed at; and a reader
// of tables that collects mistakes instead of stopping at the first. The TOML library is known to toml_tree.cpp alone.
// Values are immutable once parsed; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"

namespace atelier::lab {

struct TomlValue {
  enum class Kind { Boolean, Integer, Number, Text, List, Table, Other };
  Kind kind = Kind::Other;
  int line = 0;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // also set for integers
  std::string text;
  std::vector<TomlValue> items;
  std::map<std::string, TomlValue> members;
};

// Fails with lab.syntax, lab.line_too_long or lab.nested_too_deep; `file` is only named in the messages.
wire::Result<TomlValue> parseToml(std::string_view content, const std::string& file);

// A scalar as JSON; nullopt for lists, tables, dates and numbers that are not finite.
std::optional<nlohmann::json> scalarJson(const TomlValue& value);

// More tables or words in one list, or more mistakes in one file, than a person would write.
inline constexpr std::size_t kMostItems = 200, kMostMistakes = 200;

// Reads one table key by key. Every mistake is appended to `mistakes` with file and line, kMostMistakes at most; finish()
// reports the keys that are not known. The table and the list of mistakes must outlive the reader.
class TableReader {
 public:
  enum class Need { Required, Optional };

  TableReader(const TomlValue& table, std::string file, std::vector<wire::Message>& mistakes)
      : m_table(table), m_file(std::move(file)), m_mistakes(mistakes) {}

  std::string text(const std::string& key, Need need = Need::Required);
  // "1.1", "2b": what stands before a lab's title; letters, digits, "." and "-", at most 16.
  std::string labNumber(const std::string& key);
  // A word of a-z, 0-9 and "-", at most 64 long, that can be a file's name.
  std::string identifier(const std::string& key, Need need = Need::Required);
  std::int64_t integer(const std::string& key, std::int64_t min, std::int64_t max, std::int64_t fallback,
                       Need need = Need::Optional);
  double number(const std::string& key, Need need = Need::Required);
  bool boolean(const std::string& key);  // false when absent
  std::vector<std::string> words(const std::string& key, std::size_t fewest = 0);
  std::vector<std::string> wordOrWords(const std::string& key);  // a text alone is a list of one; at least one
  nlohmann::json scalars(const std::string& key);  // a table of scalars; {} when absent
  const TomlValue* table(const std::string& key, Need need = Need::Optional);
  std::vector<const TomlValue*> tables(const std::string& key);  // [[key]]

  bool has(const std::string& key) const { return m_table.members.contains(key); }
  int lineOf(const std::string& key) const;
  void mistake(std::string id, int line, std::vector<std::pair<std::string, std::string>> args);
  void wrongType(const std::string& key, const std::string& wanted);
  void finish(const std::vector<std::string>& known);

 private:
  const TomlValue* find(const std::string& key, Need need);
  bool isShort(const TomlValue& list, const std::string& key);

  const TomlValue& m_table;
  std::string m_file;
  std::vector<wire::Message>& m_mistakes;
};

// file and line first, then the rest: the form of all messages about a lab's files.
wire::Message fileMessage(std::string id, const std::string& file, int line,
                          std::vector<std::pair<std::string, std::string>> args = {});

// Whether a word may stand as an id of a lab, a step, a check or a question.
bool isIdentifier(std::string_view word);

}  // namespace atelier::lab
