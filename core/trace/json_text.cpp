#include "json_text.h"

#include <charconv>

#include "core/wire/utf8.h"

namespace atelier::trace {
namespace {

void appendEscaped(std::string& json, unsigned char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      json += "\\\"";
      return;
    case '\\':
      json += "\\\\";
      return;
    case '\n':
      json += "\\n";
      return;
    case '\r':
      json += "\\r";
      return;
    case '\t':
      json += "\\t";
      return;
    default:
      break;
  }
  json += "\\u00";
  json += kHex[c >> 4];
  json += kHex[c & 15];
}

template <class T>
void append(std::string& json, T value) {
  char digits[24];
  json.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

void appendJsonText(std::string& json, std::string_view text) {
  json += '"';
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const int size = wire::utf8Sequence(text);
    if (first < 0x20 || first == 0x7F || first == '"' || first == '\\') appendEscaped(json, first);
    else if (size < 0) json += wire::kReplacementCharacter;
    else json.append(text, 0, static_cast<std::size_t>(size));
    text.remove_prefix(size < 0 ? 1 : static_cast<std::size_t>(size));
  }
  json += '"';
}

std::string jsonText(std::string_view text) {
  std::string json;
  appendJsonText(json, text);
  return json;
}

void appendInteger(std::string& json, std::int64_t value) {
  append(json, value);
}

void appendInteger(std::string& json, std::uint64_t value) {
  append(json, value);
}

}  // namespace atelier::trace
