#include "core/trace/json_scan.h"

#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/trace/json_text.h"

namespace atelier::trace::testing {
namespace {

// What was said, in a line: "{k(a)=t(b)}".
class Told : public JsonSink {
 public:
  std::string line;

  void open(bool object) override {
    line += object ? '{' : '[';
    m_open += object ? '}' : ']';
  }
  void close() override {
    line += m_open.back();
    m_open.pop_back();
  }
  void key(std::string_view text) override { line.append(text).append(":"); }
  void text(std::string_view text) override { line.append("'").append(text).append("' "); }
  void number(std::string_view digits) override { line.append(digits).append(" "); }
  void word(std::string_view word) override { line.append(word).append(" "); }

 private:
  std::string m_open;
};

// In pieces of so many bytes.
std::pair<JsonFault, std::string> scanned(std::string_view text, std::size_t piece, std::size_t deepest = 64) {
  Told told;
  const auto more = [&text, piece] {
    const auto next = text.substr(0, piece);
    text.remove_prefix(next.size());
    return next;
  };
  const auto fault = JsonScanner(more, told, deepest).run();
  return {fault, told.line};
}

}  // namespace

TEST(JsonScan, SaysWhatStandsThereHoweverItIsCutInPieces) {
  const std::string text =
      " {\"a\" : [1, -2.5e+3, true, false, null, \"x\"], \"\\u00e9\\uD83D\\uDE00\\n\":{}, \"e\":[[],{}] }\n";
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
    const auto [fault, line] = scanned(text, piece);
    EXPECT_EQ(fault.kind, JsonFault::Kind::None) << piece;
    EXPECT_EQ(line, "{a:[1 -2.5e+3 true false null 'x' ]é😀\n:{}e:[[]{}]}") << piece;
  }
}

TEST(JsonScan, TakesAnyValueAtTheTop) {
  EXPECT_EQ(scanned("17", 100).second, "17 ");
  EXPECT_EQ(scanned("\"\"", 100).second, "'' ");
  EXPECT_EQ(scanned("\xEF\xBB\xBF[]", 100).second, "[]");
}

TEST(JsonScan, TakesTheNumbersThatPythonAndKinetoWrite) {
  EXPECT_EQ(scanned("[NaN,Infinity,-Infinity,nan,-inf]", 4).second, "[NaN Infinity -Infinity nan -inf ]");
}

TEST(JsonScan, HandsOnWhatIsNotUtf8AndRepairsHalfCharacters) {
  EXPECT_EQ(scanned("\"a\xFF\"", 100).second, "'a\xFF' ");
  EXPECT_EQ(scanned(R"("\uD800x\uDC00\uD800")", 3).second, "'\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD' ");
  EXPECT_EQ(scanned(R"("\uD800\uD83D\uDE00")", 3).second, "'\xEF\xBF\xBD\xF0\x9F\x98\x80' ");
}

TEST(JsonScan, RefusesWhatTheLibraryRefuses) {
  for (const char* text : {"{",
                           "[",
                           "\"",
                           "\"\\",
                           "\"\\u12",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "[1,",
                           "",
                           "  ",
                           "[1 2]",
                           "[1,]",
                           "{,}",
                           "{\"a\" 1}",
                           "{1:2}",
                           "]",
                           "}",
                           "[}",
                           "{]",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "tru",
                           "nul",
                           "True",
                           "'a'",
                           "[1]]",
                           "1 2",
                           "\"\\x\"",
                           "-Nan",
                           "--1",
                           "0x10",
                           "{\"a\":1,}",
                           "\"a\nb\"",
                           "\"\\u12g4\"",
                           "NaNN",
                           "{\"a\":1 \"b\":2}"}) {
    EXPECT_FALSE(nlohmann::json::accept(text)) << text;
    for (const std::size_t piece : {1U, 100U}) EXPECT_NE(scanned(text, piece).first.kind, JsonFault::Kind::None) << text;
  }
}

TEST(JsonScan, SaysWhereTheFaultIs) {
  const auto [wrong, told] = scanned("[1, 2, oops]", 5);
  EXPECT_EQ(wrong.kind, JsonFault::Kind::Unexpected);
  EXPECT_EQ(wrong.at, 7);
  EXPECT_EQ(wrong.found, "oops");
  const auto [ended, told2] = scanned("{\"a\": [1", 3);
  EXPECT_EQ(ended.kind, JsonFault::Kind::Ended);
  EXPECT_EQ(ended.at, 8);
  const auto [control, told3] = scanned("[1,\x01]", 100);
  EXPECT_EQ(control.found, "?]");
  EXPECT_EQ(control.at, 3);
}

TEST(JsonScan, GoesOnlySoDeep) {
  EXPECT_EQ(scanned("[[[]]]", 100, 3).first.kind, JsonFault::Kind::None);
  EXPECT_EQ(scanned("[[[[]]]]", 100, 3).first.kind, JsonFault::Kind::TooDeep);
  EXPECT_EQ(scanned(std::string(1'000'000, '['), 4096, 64).first.kind, JsonFault::Kind::TooDeep);
}

TEST(JsonScan, TextsWithoutEndAreCutAndNumbersRefused) {
  const auto [fault, line] = scanned("\"" + std::string(3'000'000, 'x') + "\"", 4096);
  EXPECT_EQ(fault.kind, JsonFault::Kind::None);
  EXPECT_EQ(line.size(), (1U << 20) + 3);
  EXPECT_EQ(scanned(std::string(3'000'000, '1'), 4096).first.kind, JsonFault::Kind::Unexpected);
}

TEST(JsonText, IsValidJsonForAnyBytes) {
  for (int first = 0; first < 256; ++first)
    for (const int second : {-1, 0, 0x61, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xED, 0xF4}) {
      std::string text(1, static_cast<char>(first));
      if (second >= 0) text += static_cast<char>(second);
      for (const char* tail : {"", "\x80", "\x80\x80"})
        EXPECT_TRUE(nlohmann::json::accept(jsonText(text + tail))) << first << " " << second;
    }
  EXPECT_EQ(jsonText("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(jsonText("é€😀"), "\"é€😀\"");
  EXPECT_EQ(jsonText("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // half a character, byte by byte
}

}  // namespace atelier::trace::testing
