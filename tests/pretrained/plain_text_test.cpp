#include "core/pretrained/plain_text.h"

#include <string>

#include <gtest/gtest.h>

namespace atelier::pretrained {

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(printable("embeddings.LayerNorm.weight"), "embeddings.LayerNorm.weight");
  EXPECT_EQ(printable("é 中 😀"), "é 中 😀");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, NothingMovesTheCursorOrBreaksTheEncoding) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\x7f"), "a?[2Jb?c?");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "2J"),
            "a?2J")
      << "the control sequence introducer of 8 bits";
  EXPECT_EQ(printable("a\xFF"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Printable, IsCutBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef…");
  EXPECT_EQ(printable("ab中中", 6), "ab中…");
  EXPECT_EQ(printable(std::string(1 << 20, 'x'), 3), "xxx…");
  EXPECT_EQ(printable("中中中中", 3), "中…");
}

}  // namespace atelier::pretrained
