// What BERT's normaliser and pre-tokeniser do to text, one code point after another, as the `tokenizers` library does it. The
// tables are its own (packaging/python/unicode_tables.py), of the Unicode versions that the models were trained with: newer
// ones would give other ids. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/wire/utf8.h"

namespace atelier::pretrained {

// The normaliser's steps, in their order.
struct Steps {
  bool clean = false;       // drop controls, U+0000 and U+FFFD; white space becomes U+0020
  bool ideographs = false;  // a space on both sides of each CJK ideograph
  bool bare = false;        // canonical decomposition (NFD) without its nonspacing marks
  bool lower = false;       // each code point's lower case: no context, so no final sigma
};

struct CharInfo {
  std::uint8_t flags;
  std::uint8_t order;  // above 0: a mark that stays and is sorted by its combining class
  std::uint16_t bare;  // places in the table of texts; 0: the code point itself
  std::uint16_t lower;

  static constexpr std::uint8_t kDropped = 1, kWhite = 2, kPunctuation = 4, kIdeograph = 8, kWord = 16;
  static constexpr std::uint8_t kBarrier = 32;  // decomposes into a mark of class 0, which goes but ends a run of marks
  static constexpr std::uint8_t kHangul = 64;   // a syllable; its Jamo are computed
};

// REQUIRES: code ≤ 0x10FFFF.
const CharInfo& infoOf(char32_t code);
// The text at a place that is not 0.
std::u32string_view textAt(std::uint16_t place);

using wire::decodeUtf8;
using wire::encodeUtf8;
using wire::isUtf8;
using wire::repairUtf8;

// The whole text through the steps. REQUIRES: valid UTF-8.
std::string normalised(std::string_view text, const Steps& steps);

// One code point through the steps. Sink: put(code, order) for what is left of it, space() for white space, barrier() where a
// run of marks ends; put and space return false to stop. Marks come in the text's order; the sink sorts each run by `order`,
// stably. Returns false when the sink did.
template <class Sink>
bool normalise(char32_t code, const Steps& steps, Sink& sink) {
  const CharInfo& info = infoOf(code);
  if (steps.clean && (info.flags & CharInfo::kDropped) != 0) return true;
  if (steps.clean && (info.flags & CharInfo::kWhite) != 0) return sink.space();
  const auto lowered = [&](char32_t one, const CharInfo& its, std::uint8_t order) {
    if (!steps.lower || its.lower == 0) return sink.put(one, order);
    for (const char32_t small : textAt(its.lower))
      if (!sink.put(small, order)) return false;
    return true;
  };
  const bool alone = steps.ideographs && (info.flags & CharInfo::kIdeograph) != 0;
  if (alone && !sink.space()) return false;
  if (steps.bare && (info.flags & CharInfo::kHangul) != 0) {
    const char32_t index = code - 0xAC00, last = index % 28;
    if (!sink.put(0x1100 + index / 588, 0) || !sink.put(0x1161 + index % 588 / 28, 0)) return false;
    return last == 0 || sink.put(0x11A7 + last, 0);
  }
  if (!steps.bare) {
    if (!lowered(code, info, 0)) return false;
  } else {
    if ((info.flags & CharInfo::kBarrier) != 0) sink.barrier();
    if (info.bare == 0 && !lowered(code, info, info.order)) return false;
    if (info.bare != 0)
      for (const char32_t part : textAt(info.bare))
        if (const CharInfo& its = infoOf(part); !lowered(part, its, its.order)) return false;
  }
  return !alone || sink.space();
}

}  // namespace atelier::pretrained
