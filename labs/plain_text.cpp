#include "plain_text.h"

#include <algorithm>
#include <cstdint>

namespace atelier::lab {
namespace {

// The length in bytes of the character that the text begins with; 0 when it is not UTF-8.
std::size_t characterLength(std::string_view text) {
  return static_cast<std::size_t>(std::max(0, wire::utf8Sequence(text)));
}

std::uint32_t codePoint(std::string_view character) {
  const char* at = character.data();
  return wire::decodeUtf8(at);
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

std::string plainLine(std::string_view text, std::size_t longest) {
  std::string line;
  while (!text.empty()) {
    const auto length = characterLength(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    const auto shown = length == 0 ? wire::kReplacementCharacter : isControl(codePoint(character)) ? std::string_view(" ") : character;
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
