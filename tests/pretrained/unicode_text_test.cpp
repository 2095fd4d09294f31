#include "core/pretrained/unicode_text.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace atelier::pretrained {
namespace {

constexpr Steps kUncased{true, true, true, true};
constexpr Steps kCased{true, true, false, false};
constexpr Steps kBare{false, false, true, false};
constexpr Steps kLower{false, false, false, true};

std::string utf8(std::u32string_view codes) {
  std::string text;
  char bytes[4];
  for (const auto code : codes) text.append(bytes, encodeUtf8(code, bytes));
  return text;
}

std::string through(std::u32string_view codes, const Steps& steps) {
  return normalised(utf8(codes), steps);
}

}  // namespace

TEST(Utf8, EveryCodePointIsReadBack) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    char bytes[4];
    const auto length = encodeUtf8(code, bytes);
    ASSERT_TRUE(isUtf8({bytes, length})) << std::hex << static_cast<std::uint32_t>(code);
    const char* at = bytes;
    ASSERT_EQ(decodeUtf8(at), code);
    ASSERT_EQ(at, bytes + length);
  }
}

// The counts are those of bytes.decode("utf-8", "replace").
TEST(Utf8, WhatIsIllFormedIsReplacedByAsManyMarksAsInPython) {
  const std::vector<std::pair<std::string, int>> cases{{"\x80", 1},
                                                       {"\xFF", 1},
                                                       {"\xC0\xAF", 2},          // overlong
                                                       {"\xE0\x80\x80", 3},      // overlong
                                                       {"\xF0\x8F\xBF\xBF", 4},  // overlong
                                                       {"\xED\xA0\x80", 3},      // a surrogate
                                                       {"\xF4\x90\x80\x80", 4},  // above U+10FFFF
                                                       {"\xF5\x80\x80\x80", 4},
                                                       {"\xE2\x82", 1},  // cut short
                                                       {"\xF0\x9F\x98", 1},
                                                       {"\xF0\x9F", 1},
                                                       {"\xC3", 1},
                                                       {"\xC3\xC3", 2}};
  for (const auto& [bytes, marks] : cases) {
    std::string wanted = "abcdefgh";
    for (int i = 0; i < marks; ++i) wanted += "\xEF\xBF\xBD";
    EXPECT_FALSE(isUtf8("abcdefgh" + bytes + "i"));
    EXPECT_EQ(repairUtf8("abcdefgh" + bytes + "i"), wanted + "i");
    EXPECT_EQ(repairUtf8("abcdefgh" + bytes), wanted);
  }
  const std::string sound = "é中😀\xEF\xBF\xBD" + std::string(1, '\0');
  EXPECT_TRUE(isUtf8(sound));
  EXPECT_EQ(repairUtf8(sound), sound);
  EXPECT_TRUE(isUtf8(""));
}

TEST(Normalised, AccentsGoAndLettersAreLowered) {
  EXPECT_EQ(normalised("Filipović", kUncased), "filipovic");
  EXPECT_EQ(normalised("Filipović", kCased), "Filipović");
  EXPECT_EQ(normalised("ÀÉÎÕÜ ñ Å ǖ", kUncased), "aeiou n a u");
  EXPECT_EQ(normalised("Straße ẞ ﬁ Ǆ", kUncased), "straße ß ﬁ ǆ") << "nothing is folded";
}

TEST(Normalised, LowerCaseHasNoContextAndMayBeSeveral) {
  EXPECT_EQ(normalised("ΟΔΟΣ ΟΔΟΣ", kLower), "οδοσ οδοσ") << "no final sigma";
  EXPECT_EQ(through(U"\u0130", kLower), utf8(U"i\u0307"));
  EXPECT_EQ(through(U"\u0130", kUncased), "i") << "its dot is an accent";
  EXPECT_EQ(through(U"\u0131I\u212A", kLower), utf8(U"\u0131ik"));
  EXPECT_EQ(through(U"\U00010400\U00016E40\U0001E900", kLower), utf8(U"\U00010428\U00016E60\U0001E922"));
}

TEST(Normalised, ControlsGoAndSpacesAreOne) {
  EXPECT_EQ(through(std::u32string_view(U"a\0b\u0001\uFFFD\u007F\u0085\u00ADc", 9), kCased), "abc");
  EXPECT_EQ(through(U"a\tb\nc\rd\u00A0e\u2003f\u3000g\u2028h", kCased), "a b c d e f g h");
  EXPECT_EQ(through(U"\uE000\uF8FF\U000F0000\U0010FFFD", kCased), "") << "private use";
  EXPECT_EQ(through(U"a\u200B\u200D\u2060\uFEFF\U000E0061\U000E007Fb", kCased), "ab") << "formats and tags";
  EXPECT_EQ(through(U"\u0378\uFFFF\U000E0080", kCased), utf8(U"\u0378\uFFFF\U000E0080")) << "what is not assigned stays";
  EXPECT_EQ(through(U"\u2764\uFE0F", kCased), utf8(U"\u2764\uFE0F")) << "a variation selector is a mark";
  EXPECT_EQ(through(U"\u2764\uFE0F", kUncased), utf8(U"\u2764"));
  EXPECT_EQ(through(U"a\u0001\u0085\u00A0\uE000", {}), utf8(U"a\u0001\u0085\u00A0\uE000")) << "no step, no change";
}

TEST(Normalised, IdeographsStandAlone) {
  EXPECT_EQ(normalised("a中文b", kCased), "a 中  文 b");
  EXPECT_EQ(through(U"\uF900", kUncased), " 豈 ");
  EXPECT_EQ(through(U"\U0002B81F\U0002B820\U0002B920", {false, true, false, false}),
            utf8(U" \U0002B81F \U0002B820 \U0002B920 "))
      << "the library's range has a gap";
  EXPECT_EQ(normalised("かな ハ 가", {false, true, false, false}), "かな ハ 가");
}

TEST(Normalised, SyllablesFallIntoJamo) {
  EXPECT_EQ(through(U"\uAC00\uAC01\uD7A3", kBare), utf8(U"\u1100\u1161\u1100\u1161\u11A8\u1112\u1175\u11C2"));
  EXPECT_EQ(through(U"\uAC00", kCased), utf8(U"\uAC00"));
}

TEST(Normalised, MarksThatStayAreSortedByClass) {
  EXPECT_EQ(through(U"a\U0001D16D\U0001D165b", kBare), utf8(U"a\U0001D165\U0001D16Db"));
  EXPECT_EQ(through(U"a\U0001D16D\U0001D16E\U0001D165", kBare), utf8(U"a\U0001D16E\U0001D165\U0001D16D")) << "stably";
  EXPECT_EQ(through(U"a\U0001D16D\u0301\U0001D165", kBare), utf8(U"a\U0001D165\U0001D16D")) << "over a mark that goes";
  EXPECT_EQ(through(U"a\U0001D16D\u034F\U0001D165", kBare), utf8(U"a\U0001D16D\U0001D165"))
      << "not over one of class 0, though it goes";
  EXPECT_EQ(through(U"\U0001D15F\u302E", kBare), utf8(U"\U0001D158\U0001D165\u302E"));
  EXPECT_EQ(through(U"\u302E\U0001D15F", kBare), utf8(U"\u302E\U0001D158\U0001D165"));
  EXPECT_EQ(through(U"a\U0001D16D\U0001D165", kLower), utf8(U"a\U0001D16D\U0001D165")) << "without the step, as they are";
}

TEST(Normalised, AnEndlessRunOfMarksTakesNoEndlessTime) {
  std::u32string marks;
  for (int i = 0; i < 100'000; ++i) marks += U"\U0001D16D\U0001D165";
  const auto begin = std::chrono::steady_clock::now();
  const auto sorted = through(marks, kBare);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(sorted, utf8(std::u32string(100'000, U'\U0001D165') + std::u32string(100'000, U'\U0001D16D')));
}

}  // namespace atelier::pretrained
