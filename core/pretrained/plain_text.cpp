#include "plain_text.h"

#include "unicode_text.h"

namespace atelier::pretrained {

std::string printable(std::string_view text, std::size_t longest) {
  constexpr std::size_t kLongestCharacter = 4;
  const auto sound = repairUtf8(text.substr(0, longest + kLongestCharacter));
  const char *at = sound.data(), *const end = at + sound.size();
  std::string line;
  while (at != end) {
    const char* const begin = at;
    const auto code = decodeUtf8(at);
    const std::string_view character(begin, static_cast<std::size_t>(at - begin));
    if (line.size() + character.size() > longest) return line.append("…");
    line.append(code < 0x20 || (code >= 0x7F && code < 0xA0) ? std::string_view("?") : character);
  }
  return line;
}

}  // namespace atelier::pretrained
