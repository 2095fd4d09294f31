#include "core/wire/catalog.h"

#include <algorithm>
#include <clocale>
#include <set>

#include <gtest/gtest.h>

#include "core/wire/format.h"
#include "core/wire/number.h"

namespace atelier::wire {
namespace {

std::set<std::string> placeholders(const std::string& text) {
  std::set<std::string> found;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1))
    found.insert(text.substr(at, text.find('}', at) - at));
  return found;
}

}  // namespace

TEST(Catalog, BothLanguagesHaveTheSameTextsAndPlaceholders) {
  const auto english = Catalog::builtIn("en"), french = Catalog::builtIn("fr");
  EXPECT_GT(english.ids().size(), 200U);
  for (const auto& id : english.ids()) {
    ASSERT_TRUE(french.has(id)) << id << " has no French text";
    EXPECT_EQ(placeholders(english.text(id)), placeholders(french.text(id))) << id;
    EXPECT_FALSE(french.text(id).empty() != english.text(id).empty()) << id;
  }
  for (const auto& id : french.ids()) EXPECT_TRUE(english.has(id)) << id << " has no English text";
}

TEST(Catalog, PutsValuesIn) {
  const auto texts = Catalog::builtIn("en");
  const auto text = texts.text(Message{"spec.unknown_key_near", {{"key", "bacth"}, {"nearest", "batch"}}});
  EXPECT_NE(text.find("bacth"), std::string::npos);
  EXPECT_NE(text.find("batch?"), std::string::npos);
  EXPECT_EQ(text.find('{'), std::string::npos);
  EXPECT_EQ(texts.text("no.such.id"), "no.such.id");
}

TEST(Format, WritesNumbersAsTheReaderDoes) {
  const Format english("en"), french("fr");
  EXPECT_EQ(english.number(2107.4, 4), "2,107");
  EXPECT_EQ(french.number(2107.4, 4), "2\u202f107");
  EXPECT_EQ(english.ratio(1.42), "1.42×");
  EXPECT_EQ(french.ratio(1.42), "1,42\u202f×");
  EXPECT_EQ(english.integer(-1234567), "-1,234,567");
  EXPECT_EQ(english.integer(-123), "-123");
  EXPECT_EQ(english.number(0), "0");
  EXPECT_EQ(english.number(std::nan("")), "—");
  EXPECT_EQ(french.interval({1.42, 1.37, 1.47, 9}), "[1,37\u00a0; 1,47]");
  EXPECT_EQ(english.interval({1, 0.98, 1.1, 9}), "[0.98, 1.1]");
  EXPECT_EQ(english.compact(10), "10");
  EXPECT_EQ(english.compact(2100), "2,100");
  EXPECT_EQ(french.compact(0.5), "0,5");
  EXPECT_EQ(english.compact(std::nan("")), "—");
  EXPECT_EQ(english.bytes(412LL << 20), "412\u00a0MiB");
  EXPECT_EQ(english.duration(125), "2\u00a0min 5\u00a0s");
  EXPECT_EQ(english.duration(60), "1\u00a0min");
}

TEST(Format, FilesAndNumbersIgnoreTheLocale) {
  ASSERT_NE(std::setlocale(LC_ALL, "fr_FR.UTF-8"), nullptr) << "generate it: localedef -i fr_FR -f UTF-8 fr_FR.UTF-8";
  EXPECT_EQ(numberText(1.5), "1.5");
  EXPECT_EQ(parseNumber("1.5"), 1.5);
  EXPECT_EQ(Format("en").fixed(1.5, 2), "1.50");
  nlohmann::json object;
  putNumber(object, "x", 0.25);
  EXPECT_EQ(object.dump(), R"({"x":0.25})");
  std::setlocale(LC_ALL, "C");
}

}  // namespace atelier::wire
