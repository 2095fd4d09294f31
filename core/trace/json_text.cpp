#include "json_text.h"

#include <charconv>

namespace atelier::trace {
namespace {

// Bytes of the well-formed character at the beginning of the text (Unicode 15, table 3-7); 0: there is none.
std::size_t characterSize(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto isTail = [&byte](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const auto first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return isTail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    return isTail(1) && isTail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
    return isTail(1) && isTail(2) && isTail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

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
    const auto size = characterSize(text);
    if (first < 0x20 || first == 0x7F || first == '"' || first == '\\') appendEscaped(json, first);
    else if (size == 0) json += "\xEF\xBF\xBD";
    else json.append(text, 0, size);
    text.remove_prefix(size == 0 ? 1 : size);
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
