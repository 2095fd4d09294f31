#include "utf8.h"

#include <cstdint>
#include <cstring>

namespace atelier::wire {
namespace {

// Length of the beginning that is ASCII, by words of eight bytes where it is long.
std::size_t asciiLength(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + 8 <= text.size(); at += 8) {
    std::memcpy(&eight, text.data() + at, 8);
    if ((eight & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::size_t encodeUtf8(char32_t code, char* out) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    out[0] = static_cast<char>(0xC0 | code >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    out[0] = static_cast<char>(0xE0 | code >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | code >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

bool isUtf8(std::string_view text) {
  while (true) {
    text.remove_prefix(asciiLength(text));
    if (text.empty()) return true;
    const int length = utf8Sequence(text);
    if (length < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
}

std::string repairUtf8(std::string_view text) {
  std::string sound;
  sound.reserve(text.size() + 8);
  while (!text.empty()) {
    const int length = utf8Sequence(text);
    const auto bytes = static_cast<std::size_t>(length < 0 ? -length : length);
    sound += length < 0 ? kReplacementCharacter : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return sound;
}

}  // namespace atelier::wire
