#include "plain_text.h"

#include <algorithm>
#include <cstdint>

namespace atelier::lab {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The length in bytes of the character that the text begins with; 0 when it is not UTF-8.
std::size_t characterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80) return 0;
  const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : static_cast<unsigned char>(0x80);
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
      (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

std::uint32_t codePoint(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i])); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

// Controls, line and paragraph separators, invisible marks and those that turn the writing direction.
bool isControl(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x200B && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF;
}

// Spaces and punctuation beyond ASCII have no place in a file's name either.
bool fitsFileName(std::uint32_t point) {
  if (point < 0x80) {
    const auto c = static_cast<char>(point);
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  const bool punctuation = (point >= 0xA0 && point < 0xC0) || (point >= 0x2000 && point <= 0x206F) ||
                           (point >= 0x3000 && point <= 0x3004) || (point >= 0xE000 && point <= 0xF8FF);
  return !punctuation && !isControl(point) && point != 0xFFFD;
}

}  // namespace

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = characterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string plainLine(std::string_view text, std::size_t longest) {
  std::string line;
  while (!text.empty()) {
    const auto length = characterLength(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    const auto shown = length == 0 ? kReplacement : isControl(codePoint(character)) ? std::string_view(" ") : character;
    if (line.size() + shown.size() > longest) break;
    line += shown;
  }
  return line;
}

std::string fileStem(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  std::string stem;
  while (!name.empty()) {
    const auto length = characterLength(name);
    const auto character = name.substr(0, std::max<std::size_t>(length, 1));
    name.remove_prefix(character.size());
    const bool kept = length > 0 && fitsFileName(codePoint(character));
    if (stem.size() + character.size() > kLongest) break;
    if (kept) stem += character;
    else if (!stem.empty() && !stem.ends_with('-')) stem += '-';
  }
  while (stem.ends_with('-')) stem.pop_back();
  return stem.empty() ? "learner" : stem;
}

}  // namespace atelier::lab
