#include "core/pretrained/tokenizer.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tokenizer_fixture.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;
using testing::Ids;
using testing::idsOf;
using testing::inner;
using testing::json;
using testing::kClass;
using testing::kEnd;
using testing::kMask;
using testing::kTokens;
using testing::kUnknown;
using testing::vocabularyText;

class TokenizerTest : public testing::TokenizerFolder {};

}  // namespace

TEST_F(TokenizerTest, WordsAreCutIntoTheLongestPieces) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(idsOf(*tokenizer, "The PLAYING unplayable."), (Ids{kClass, 5, 6, 7, 9, 16, 8, 12, kEnd}));
  EXPECT_EQ(idsOf(*tokenizer, ""), (Ids{kClass, kEnd}));
  EXPECT_EQ(idsOf(*tokenizer, " \t\n "), (Ids{kClass, kEnd}));
  EXPECT_EQ(inner(*tokenizer, "É"), (Ids{14})) << "its accent goes with the case";
  EXPECT_EQ(inner(*tokenizer, "the中the"), (Ids{5, 15, 5}));
  EXPECT_EQ(inner(*tokenizer, "aa"), (Ids{11, 10}));
}

TEST_F(TokenizerTest, AWordWithAnUnmatchedTailIsOneUnknown) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  EXPECT_EQ(inner(*tokenizer, "playingx the"), (Ids{kUnknown, 5}));
  EXPECT_EQ(inner(*tokenizer, "xyz"), (Ids{kUnknown}));
  EXPECT_EQ(inner(*tokenizer, "##ing"), (Ids{kUnknown, kUnknown, kUnknown})) << "a piece is no word";
}

TEST_F(TokenizerTest, TheLongestOfManyBeginningsIsTaken) {
  std::string tokens = vocabularyText() + "##b\n";
  const auto first = static_cast<std::int32_t>(kTokens.size()) + 1;
  for (std::size_t length = 2; length <= 90; ++length) tokens += std::string(length, 'a') + "\n";
  write("vocab.txt", tokens);
  const auto tokenizer = open();
  ASSERT_NE(tokenizer, nullptr);
  for (std::int32_t length = 2; length <= 90; ++length)
    EXPECT_EQ(inner(*tokenizer, std::string(static_cast<std::size_t>(length), 'a') + "b"),
              (Ids{first + length - 2, first - 1}));
  EXPECT_EQ(inner(*tokenizer, std::string(92, 'a')), (Ids{first + 88, 10, 10}));
}

TEST_F(TokenizerTest, MarksAreSortedBeforeWordsAreLookedUp) {
  write("vocab.txt", vocabularyText() + "a\U0001D165\U0001D16D\na\U0001D16D\U0001D165\na\U0001D16E\U0001D165\U0001D16D\n");
  const auto tokenizer = open();
  ASSERT_NE(tokenizer, nullptr);
  const auto sorted = static_cast<std::int32_t>(kTokens.size());
  EXPECT_EQ(inner(*tokenizer, "a\U0001D16D\U0001D165"), (Ids{sorted}));
  EXPECT_EQ(inner(*tokenizer, "A\U0001D16D\u0301\U0001D165"), (Ids{sorted})) << "over an accent that goes";
  EXPECT_EQ(inner(*tokenizer, "a\U0001D16D\u034F\U0001D165"), (Ids{sorted + 1})) << "not over one of class 0";
  EXPECT_EQ(inner(*tokenizer, "a\U0001D16D\U0001D16E\U0001D165 a\U0001D165\U0001D16D"), (Ids{sorted + 2, sorted}));
}

TEST_F(TokenizerTest, AWordOfMoreThanAHundredCharactersIsOneUnknown) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  EXPECT_EQ(inner(*tokenizer, std::string(100, 'a')).size(), 100U);
  EXPECT_EQ(inner(*tokenizer, std::string(101, 'a')), (Ids{kUnknown}));
  EXPECT_EQ(inner(*tokenizer, std::string(1 << 20, 'a') + " the"), (Ids{kUnknown, 5}));
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "é";
  EXPECT_EQ(inner(*tokenizer, accents), (Ids{kUnknown})) << "characters, not bytes: e and ##e, which is none";
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  const auto cased = open();
  EXPECT_EQ(inner(*cased, accents).size(), 100U);
  EXPECT_EQ(inner(*cased, accents + "é"), (Ids{kUnknown}));
}

TEST_F(TokenizerTest, TheLimitCountsBothEnds) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  Encoding encoding;
  std::string text;
  for (int i = 0; i < 1015; ++i) text += "the ";
  tokenizer->encode(text, 512, encoding);
  EXPECT_EQ(encoding.ids.size(), 512U);
  EXPECT_EQ(encoding.ids.back(), kEnd);
  EXPECT_TRUE(encoding.cut);
  tokenizer->encode(text, 1017, encoding);
  EXPECT_EQ(encoding.ids.size(), 1017U);
  EXPECT_FALSE(encoding.cut) << "it fits exactly";
  tokenizer->encode(text, 1016, encoding);
  EXPECT_TRUE(encoding.cut);
  tokenizer->encode("playing the", 3, encoding);
  EXPECT_EQ(encoding.ids, (Ids{kClass, 6, kEnd})) << "inside a word";
  tokenizer->encode("playing", 2, encoding);
  EXPECT_EQ(encoding.ids, (Ids{kClass, kEnd}));
  EXPECT_TRUE(encoding.cut);
  tokenizer->encode("", 2, encoding);
  EXPECT_FALSE(encoding.cut) << "the buffer of the last text tells nothing of this one";
  tokenizer->encode(text, 0, encoding);
  EXPECT_EQ(encoding.ids.size(), 1017U) << "no limit";
}

TEST_F(TokenizerTest, SpecialTokensAreFoundInTheText) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  EXPECT_EQ(inner(*tokenizer, "the[MASK]the [SEP] [CLS]"), (Ids{5, kMask, 5, kEnd, kClass}));
  EXPECT_EQ(inner(*tokenizer, "[mask]"), (Ids{19, 20, 21})) << "as it is written, or not at all";
  EXPECT_EQ(inner(*tokenizer, "[MASK"), (Ids{19, 20}));
  EXPECT_EQ(inner(*tokenizer, "[[MASK]]"), (Ids{19, kMask, 21}));
}

TEST_F(TokenizerTest, TheVocabularyIsToldBothWays) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  EXPECT_EQ(tokenizer->size(), static_cast<std::int32_t>(kTokens.size()));
  EXPECT_EQ(tokenizer->pad(), 0);
  for (std::int32_t id = 0; id < tokenizer->size(); ++id) EXPECT_EQ(tokenizer->find(tokenizer->token(id)), id);
  EXPECT_EQ(tokenizer->find("##ing"), 7);
  for (const char* none : {"", "ing", "##", "The", "th"}) EXPECT_EQ(tokenizer->find(none), -1) << none;
  EXPECT_EQ(tokenizer->token(-1), "");
  EXPECT_EQ(tokenizer->token(tokenizer->size()), "");
}

TEST_F(TokenizerTest, AddedTokensTakeSpacesAndAskForWholeWords) {
  const auto first = static_cast<std::int32_t>(kTokens.size());
  const auto tokenizer = withAdded({{"<l>", {{"lstrip", true}}},
                                    {"<r>", {{"rstrip", true}}},
                                    {"word", {{"single_word", true}}},
                                    {"[X]", json::object()},
                                    {"[X]Y", json::object()},
                                    {" a", json::object()}});
  ASSERT_NE(tokenizer, nullptr);
  const auto l = first, r = first + 1, word = first + 2, x = first + 3, longer = first + 4, spaced = first + 5;
  EXPECT_EQ(inner(*tokenizer, "the  <l>the<r> \u3000the"), (Ids{5, l, 5, r, 5}));
  EXPECT_EQ(inner(*tokenizer, "<r>  <l>"), (Ids{r, l})) << "spaces go to the first";
  EXPECT_EQ(inner(*tokenizer, "<r> a"), (Ids{r, spaced})) << "a token that begins with them is found all the same";
  EXPECT_EQ(inner(*tokenizer, "word word. (word)"), (Ids{word, word, 12, kUnknown, word, kUnknown}));
  for (const char* part : {"words", "sword", "word1", "word_", "wordé", "éword", "word\u0301", "\u0301word"})
    EXPECT_NE(inner(*tokenizer, part)[0], word) << part;
  EXPECT_EQ(inner(*tokenizer, "[X][X]Y[X]Z"), (Ids{x, longer, x, kUnknown})) << "the longest of those that begin first";
  EXPECT_EQ(tokenizer->find("[X]Y"), longer);
}

TEST_F(TokenizerTest, NormalisedTokensAreFoundInNormalisedText) {
  const auto first = static_cast<std::int32_t>(kTokens.size());
  const auto tokenizer = withAdded({{"Été", {{"normalized", true}}}, {"<S>", {{"normalized", true}, {"lstrip", true}}}});
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(inner(*tokenizer, "the ETE ete the"), (Ids{5, first, first, 5}));
  EXPECT_EQ(inner(*tokenizer, "the \t <s>the"), (Ids{5, first + 1, 5}));
  EXPECT_EQ(inner(*tokenizer, "unete[MASK]"), (Ids{9, first, kMask}));
}

TEST_F(TokenizerTest, WhatIsNotUtf8IsReplacedFirst) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  EXPECT_EQ(inner(*tokenizer,
                  "pl\xFF"
                  "ay\xC3 the\xED\xA0\x80."),
            (Ids{6, 5, 12}))
      << "and U+FFFD is dropped";
  EXPECT_EQ(inner(*tokenizer, std::string_view("pl\0ay", 5)), (Ids{6}));
}

TEST_F(TokenizerTest, ManyThreadsShareOne) {
  write("vocab.txt", vocabularyText());
  const auto tokenizer = open();
  const std::string text = "The unplayable É 中 playingx [MASK] a.";
  const auto wanted = idsOf(*tokenizer, text);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  threads.reserve(wrong.size());
  for (auto& count : wrong)
    threads.emplace_back([&count, &tokenizer, &text, &wanted] {
      for (int i = 0; i < 500; ++i) count += idsOf(*tokenizer, text) == wanted ? 0 : 1;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST_F(TokenizerTest, TheInstalledModelHasItsIds) {
  const auto folder = fs::path(ATELIER_MODELS_DIR) / "minilm";
  if (!fs::exists(folder / "tokenizer.json")) GTEST_SKIP() << folder << " is not installed";
  const auto opened = openTokenizer(folder);
  ASSERT_TRUE(opened.ok());
  const auto& tokenizer = **opened;
  EXPECT_EQ(tokenizer.size(), 30522);
  EXPECT_EQ(idsOf(tokenizer, "Filipović"), (Ids{101, 10882, 15000, 9142, 102}));
  EXPECT_EQ(idsOf(tokenizer, "Filipovi\u0063\u0301"), (Ids{101, 10882, 15000, 9142, 102})) << "decomposed before";
  EXPECT_EQ(idsOf(tokenizer, "hello \uE000world\uF8FF"), (Ids{101, 7592, 2088, 102})) << "private use";
  const auto cut = idsOf(tokenizer, std::string(1015, 'a').replace(0, 0, "hello "), 512);
  EXPECT_EQ(cut, (Ids{101, 7592, 100, 102})) << "one unknown, however long";
  std::string text;
  for (int i = 0; i < 1015; ++i) text += "hello ";
  const auto ids = idsOf(tokenizer, text, 512);
  EXPECT_EQ(ids.size(), 512U);
  EXPECT_EQ(ids.back(), 102);
}

}  // namespace atelier::pretrained
