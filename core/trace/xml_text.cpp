#include "xml_text.h"

#include "core/wire/utf8.h"

namespace atelier::trace {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool allowed(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0xFFFE && code != 0xFFFF;
}

// The whole character at the head of the text, or "" when it is none that XML allows.
std::string_view character(std::string_view text) {
  const int length = wire::utf8Sequence(text);
  if (length < 0) return {};
  const char* at = text.data();
  return allowed(wire::decodeUtf8(at)) ? text.substr(0, static_cast<std::size_t>(length)) : std::string_view();
}

}  // namespace

std::string repairedText(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const auto next = character(text);
    repaired += next.empty() ? wire::kReplacementCharacter : next;
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
