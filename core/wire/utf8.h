// UTF-8 from anywhere: what is sound in it, and its code points. Strict: no surrogates, no overlong forms, nothing above U+10FFFF.
// Any thread; pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atelier::wire {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

// Length of the sound sequence at the beginning of `text`, or minus the number of bytes that one U+FFFD stands for: those of the
// longest beginning of a sound one, or one. REQUIRES: not empty.
// The bounds of the second byte keep out overlong forms, surrogates and what lies above U+10FFFF (Unicode, table 3-7).
inline int utf8Sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return -1;
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (int i = 1; i < length; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at == text.size() || byte(at) < low || byte(at) > high) return -i;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

// The code point at `at`, which is moved behind it. REQUIRES: valid UTF-8.
inline char32_t decodeUtf8(const char*& at) {
  const auto next = [&at] { return static_cast<unsigned char>(*at++); };
  const char32_t lead = next();
  if (lead < 0x80) return lead;
  int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t code = lead & (0x3FU >> more);
  for (; more > 0; --more) code = code << 6 | (next() & 0x3FU);
  return code;
}

// Writes 1 … 4 bytes and says how many.
std::size_t encodeUtf8(char32_t code, char* out);

bool isUtf8(std::string_view text);
// Each ill-formed sequence (the longest beginning of a sound one, or a byte) replaced by U+FFFD, as Python's "replace" does.
std::string repairUtf8(std::string_view text);

}  // namespace atelier::wire
