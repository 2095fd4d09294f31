#include "xml_text.h"

#include <cstdint>

namespace atelier::trace {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Bytes of the character that begins with this one; 0: none does.
std::size_t lengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

std::uint32_t decoded(std::string_view bytes) {
  constexpr std::uint32_t kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t code = static_cast<unsigned char>(bytes[0]) & kFirstBits[bytes.size()];
  for (const char c : bytes.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

bool allowed(std::uint32_t code, std::size_t length) {
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length]) return false;  // an overlong form
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF;
}

// The whole character at the head of the text, or "" when it is none that XML allows.
std::string_view character(std::string_view text) {
  const auto length = lengthOf(static_cast<unsigned char>(text[0]));
  if (length == 0 || length > text.size()) return {};
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text[i])) return {};
  const auto bytes = text.substr(0, length);
  return allowed(decoded(bytes), length) ? bytes : std::string_view();
}

}  // namespace

std::string repairedText(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const auto next = character(text);
    repaired += next.empty() ? kReplacement : next;
    text.remove_prefix(next.empty() ? 1 : next.size());
  }
  return repaired;
}

std::string clippedText(std::string_view text, std::size_t characters) {
  std::size_t seen = 0, cut = 0;  // cut: where the last character that may stay ends
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    if (seen + 1 == characters) cut = i;
    if (++seen > characters) return characters == 0 ? std::string() : std::string(text.substr(0, cut)) + "…";
  }
  return std::string(text);
}

std::string xmlText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') escaped += "&amp;";
    else if (c == '<') escaped += "&lt;";
    else if (c == '>') escaped += "&gt;";
    else if (c == '"') escaped += "&quot;";
    else if (c == '\'') escaped += "&apos;";
    else escaped += c;
  }
  return escaped;
}

}  // namespace atelier::trace
