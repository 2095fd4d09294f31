#include "unicode_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace atelier::pretrained {
namespace {

#include "unicode_tables.inc"

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

std::string normalised(std::string_view text, const Steps& steps) {
  TextSink sink;
  for (const char *at = text.data(), *const end = at + text.size(); at < end;) normalise(decodeUtf8(at), steps, sink);
  return sink.take();
}

}  // namespace atelier::pretrained
