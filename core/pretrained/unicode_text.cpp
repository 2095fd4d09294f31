#include "unicode_text.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace atelier::pretrained {
namespace {

#include "unicode_tables.inc"

// Length of the sound sequence at the beginning of `text`, or minus the number of bytes that one U+FFFD stands for.
// The bounds of the second byte keep out overlong forms, surrogates and what lies above U+10FFFF (Unicode, table 3-7).
int sequence(std::string_view text) {
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

// Gathers the text; a run of marks is sorted when it ends.
class TextSink {
 public:
  bool put(char32_t code, std::uint8_t order) {
    if (order > 0) {
      m_run.emplace_back(order, code);
      return true;
    }
    barrier();
    append(code);
    return true;
  }
  bool space() { return put(U' ', 0); }
  void barrier() {
    if (m_run.empty()) return;
    std::stable_sort(m_run.begin(), m_run.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [order, code] : m_run) append(code);
    m_run.clear();
  }
  std::string take() {
    barrier();
    return std::move(m_text);
  }

 private:
  void append(char32_t code) {
    char bytes[4];
    m_text.append(bytes, encodeUtf8(code, bytes));
  }

  std::string m_text;
  std::vector<std::pair<std::uint8_t, char32_t>> m_run;
};

}  // namespace

const CharInfo& infoOf(char32_t code) {
  return kInfos[kPages[std::size_t{kPageOf[code >> 8]} << 8 | (code & 255)]];
}

std::u32string_view textAt(std::uint16_t place) {
  return {kTexts + place + 1, kTexts[place]};
}

bool isUtf8(std::string_view text) {
  while (true) {
    text.remove_prefix(asciiLength(text));
    if (text.empty()) return true;
    const int length = sequence(text);
    if (length < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
}

std::string repairUtf8(std::string_view text) {
  std::string sound;
  sound.reserve(text.size() + 8);
  while (!text.empty()) {
    const int length = sequence(text);
    const auto bytes = static_cast<std::size_t>(length < 0 ? -length : length);
    sound += length < 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return sound;
}

char32_t decodeUtf8(const char*& at) {
  const auto next = [&at] { return static_cast<unsigned char>(*at++); };
  const char32_t lead = next();
  if (lead < 0x80) return lead;
  int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t code = lead & (0x3FU >> more);
  for (; more > 0; --more) code = code << 6 | (next() & 0x3FU);
  return code;
}

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

std::string normalised(std::string_view text, const Steps& steps) {
  TextSink sink;
  for (const char *at = text.data(), *const end = at + text.size(); at < end;) normalise(decodeUtf8(at), steps, sink);
  return sink.take();
}

}  // namespace atelier::pretrained
