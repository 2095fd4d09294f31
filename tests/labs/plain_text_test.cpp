#include "labs/plain_text.h"

#include <gtest/gtest.h>

namespace atelier::lab {
namespace {

TEST(PlainTextTest, Utf8) {
  EXPECT_TRUE(isUtf8("é × \xF0\x9F\x98\x80"));
  EXPECT_TRUE(isUtf8(""));
  for (const char* bad : {"\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "a\xFF", "\xE2\x82"})
    EXPECT_FALSE(isUtf8(bad));
}

TEST(PlainTextTest, ALineHasNoControlsAndIsUtf8) {
  EXPECT_EQ(plainLine("Zoë"), "Zoë");
  EXPECT_EQ(plainLine("a\nb\x1b[31m\tc"), "a b [31m c");
  EXPECT_EQ(plainLine("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(plainLine("left\xE2\x80\xAEright"), "left right");
  EXPECT_EQ(plainLine("ééé", 5), "éé") << "never cut inside a character";
  EXPECT_EQ(plainLine(std::string(1000, 'x')).size(), 200U);
}

TEST(PlainTextTest, AFileStemFitsAnyDrive) {
  EXPECT_EQ(fileStem("Anna Smith"), "Anna-Smith");
  EXPECT_EQ(fileStem("Zoë 李"), "Zoë-李");
  EXPECT_EQ(fileStem("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(fileStem("a\\b:c*?\"<>|d"), "a-b-c-d");
  for (const char* empty : {"", " ", ".", "..", "///", "\n", "\xFF\xFE", "\xE2\x80\x8B"}) EXPECT_EQ(fileStem(empty), "learner");
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "é";
  EXPECT_LE(fileStem(accents).size(), 60U);
  EXPECT_TRUE(isUtf8(fileStem(accents)));
  EXPECT_EQ(fileStem("-x-"), "x");
}

}  // namespace
}  // namespace atelier::lab
