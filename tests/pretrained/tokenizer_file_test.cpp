#include "core/pretrained/tokenizer_file.h"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tokenizer_fixture.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;
using testing::addedToken;
using testing::argument;
using testing::Ids;
using testing::idsOf;
using testing::inner;
using testing::json;
using testing::kClass;
using testing::kEnd;
using testing::kMask;
using testing::kTokens;
using testing::kUnknown;
using testing::refusedAs;
using testing::special;
using testing::vocabularyText;
using testing::wholeTokenizer;

class TokenizerFileTest : public testing::TokenizerFolder {};

}  // namespace

TEST_F(TokenizerFileTest, CaseAndAccentsAreAsTheConfigurationSays) {
  write("vocab.txt", vocabularyText());
  write("tokenizer_config.json", R"({"do_lower_case": false, "model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(inner(*open(), "A a é"), (Ids{17, 11, 13})) << "without lower case accents stay";
  write("tokenizer_config.json", R"({"do_lower_case": true, "strip_accents": false})");
  EXPECT_EQ(inner(*open(), "A É"), (Ids{11, 13}));
  write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true})");
  EXPECT_EQ(inner(*open(), "A é"), (Ids{17, 14}));
  write("tokenizer_config.json", R"({"tokenize_chinese_chars": false})");
  EXPECT_EQ(inner(*open(), "the中the"), (Ids{kUnknown}));
}

TEST_F(TokenizerFileTest, LinesMayEndAsOnWindowsAndTheLastNeedsNoEnd) {
  std::string text;
  for (const auto& token : kTokens) text += token + "\r\n";
  text.resize(text.size() - 2);
  write("vocab.txt", text);
  const auto tokenizer = open();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->size(), static_cast<std::int32_t>(kTokens.size()));
  EXPECT_EQ(inner(*tokenizer, "playing mask]"), (Ids{6, 7, 20, 21}));
}

TEST_F(TokenizerFileTest, TheConfigurationNamesSpecialTokensOfItsOwn) {
  write("vocab.txt", "<p>\n<u>\n<c>\n<s>\nthe\n<x>\n");
  write("tokenizer_config.json",
        R"({"pad_token": {"content": "<p>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
            "unk_token": "<u>", "cls_token": "<c>", "sep_token": "<s>", "additional_special_tokens": ["<x>", "<new>"]})");
  const auto tokenizer = open();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(idsOf(*tokenizer, "the<x>no<new>"), (Ids{2, 4, 5, 1, 6, 3}));
  EXPECT_EQ(tokenizer->pad(), 0);
  EXPECT_EQ(tokenizer->find("<new>"), 6);
  EXPECT_EQ(tokenizer->token(6), "<new>");
  EXPECT_EQ(tokenizer->size(), 7);
}

TEST_F(TokenizerFileTest, TokensWithNumbersInTheConfigurationAreThose) {
  write("vocab.txt", vocabularyText());
  const auto next = static_cast<std::int32_t>(kTokens.size());
  json config{
      {"added_tokens_decoder", {{std::to_string(next), addedToken(0, "<new>", {{"lstrip", true}})}, {"4", special(4)}}}};
  write("tokenizer_config.json", config.dump());
  EXPECT_EQ(inner(*open(), "the  <new>the[MASK]"), (Ids{5, next, 5, kMask}));
  config["added_tokens_decoder"][std::to_string(next + 2)] = addedToken(0, "<gap>", json::object());
  write("tokenizer_config.json", config.dump());
  EXPECT_EQ(refusedAs(openTokenizer(m_folder)), "tokenizer.malformed");
}

TEST_F(TokenizerFileTest, BothKindsOfFileSayTheSame) {
  write("vocab.txt", vocabularyText());
  const auto lines = open();
  const auto whole = openJson(wholeTokenizer());
  ASSERT_NE(whole, nullptr);
  for (const char* text : {"The playing [MASK] unplayable. É 中 x", "", "[UNK]a[SEP]"})
    EXPECT_EQ(idsOf(*lines, text), idsOf(*whole, text)) << text;
  EXPECT_EQ(whole->size(), lines->size());
}

TEST_F(TokenizerFileTest, OldFilesAndBertProcessingAreRead) {
  auto all = wholeTokenizer();
  all["model"].erase("type");
  all["post_processor"] = {{"type", "BertProcessing"}, {"cls", {"[CLS]", kClass}}, {"sep", {"[SEP]", kEnd}}};
  EXPECT_EQ(idsOf(*openJson(all), "the"), (Ids{kClass, 5, kEnd}));
  all["post_processor"] = nullptr;
  all["added_tokens"] = json::array();
  const auto plain = openJson(all);
  EXPECT_EQ(idsOf(*plain, "the [MASK]"), (Ids{5, 19, 20, 21}));
  EXPECT_EQ(plain->pad(), 0) << "[PAD] of the vocabulary";
  all["model"]["vocab"] = {{"[UNK]", 0}, {"the", 1}};
  EXPECT_EQ(openJson(all)->pad(), -1);
  all["padding"] = {{"pad_id", 1}};
  EXPECT_EQ(openJson(all)->pad(), 1);
}

TEST_F(TokenizerFileTest, AFolderWithoutOneIsNamed) {
  const auto opened = openTokenizer(m_folder);
  ASSERT_EQ(refusedAs(opened), "tokenizer.missing");
  EXPECT_EQ(argument(opened.error(), "folder"), m_folder.string());
}

TEST_F(TokenizerFileTest, WhatItDoesNotKnowIsNamed) {
  const std::vector<std::pair<std::string, std::function<void(json&)>>> cases{
      {"model \"BPE\"", [](json& all) { all["model"]["type"] = "BPE"; }},
      {"model null",
       [](json& all) {
         all["model"] = {{"vocab", json::object()}, {"merges", json::array()}};
       }},
      {"model null", [](json& all) { all.erase("model"); }},
      {"version \"2.0\"", [](json& all) { all["version"] = "2.0"; }},
      {"normalizer \"NFKC\"",
       [](json& all) {
         all["normalizer"] = {{"type", "NFKC"}};
       }},
      {"pre_tokenizer \"Whitespace\"",
       [](json& all) {
         all["pre_tokenizer"] = {{"type", "Whitespace"}};
       }},
      {"pre_tokenizer null", [](json& all) { all["pre_tokenizer"] = nullptr; }},
      {"post_processor \"ByteLevel\"",
       [](json& all) {
         all["post_processor"] = {{"type", "ByteLevel"}};
       }},
      {"post_processor: 3 > 2", [](json& all) {
         all["post_processor"]["special_tokens"]["[SEP]"]["ids"] = {3, 3};
       }}};
  for (const auto& [what, change] : cases) {
    auto all = wholeTokenizer();
    change(all);
    write("tokenizer.json", all.dump());
    const auto opened = openTokenizer(m_folder);
    ASSERT_EQ(refusedAs(opened), "tokenizer.unsupported") << what;
    EXPECT_EQ(argument(opened.error(), "what"), what);
    EXPECT_EQ(argument(opened.error(), "file"), (m_folder / "tokenizer.json").string());
  }
  fs::remove(m_folder / "tokenizer.json");
  write("vocab.txt", vocabularyText());
  write("added_tokens.json", R"({"<new>": 22})");
  EXPECT_EQ(refusedAs(openTokenizer(m_folder)), "tokenizer.unsupported");
}

TEST_F(TokenizerFileTest, WhatIsMalformedIsNamed) {
  const std::vector<std::pair<std::string, std::function<void(json&)>>> cases{
      {"model.vocab: \"the\" = 5", [](json& all) { all["model"]["vocab"]["play"] = 5; }},
      {"model.vocab: \"un\" = 22", [](json& all) { all["model"]["vocab"]["un"] = 22; }},
      {"model.vocab: \"un\" = -1", [](json& all) { all["model"]["vocab"]["un"] = -1; }},
      {"model.vocab: \"un\" = 9.5", [](json& all) { all["model"]["vocab"]["un"] = 9.5; }},
      {"model.vocab: \"un\" = \"9\"", [](json& all) { all["model"]["vocab"]["un"] = "9"; }},
      {"model.vocab: \"un\" = 18446744073709551615", [](json& all) { all["model"]["vocab"]["un"] = UINT64_MAX; }},
      {"model.vocab = []", [](json& all) { all["model"]["vocab"] = json::array(); }},
      {"model.unk_token = \"[unk]\"", [](json& all) { all["model"]["unk_token"] = "[unk]"; }},
      {"model.unk_token = 1", [](json& all) { all["model"]["unk_token"] = 1; }},
      {"model.unk_token = \"[UNK]\"", [](json& all) { all["model"]["vocab"] = json::object(); }},
      {"model.continuing_subword_prefix = null", [](json& all) { all["model"].erase("continuing_subword_prefix"); }},
      {"model.max_input_chars_per_word = -1", [](json& all) { all["model"]["max_input_chars_per_word"] = -1; }},
      {"model.max_input_chars_per_word = 10001", [](json& all) { all["model"]["max_input_chars_per_word"] = 10001; }},
      {"normalizer.lowercase = 1", [](json& all) { all["normalizer"]["lowercase"] = 1; }},
      {"normalizer.clean_text = null", [](json& all) { all["normalizer"].erase("clean_text"); }},
      {"normalizer.strip_accents = \"no\"", [](json& all) { all["normalizer"]["strip_accents"] = "no"; }},
      {"added_tokens = {}", [](json& all) { all["added_tokens"] = json::object(); }},
      {"added_tokens[0].id = null", [](json& all) { all["added_tokens"][0] = 7; }},
      {"added_tokens[4].lstrip = null", [](json& all) { all["added_tokens"][4].erase("lstrip"); }},
      {"added_tokens[4]: \"[MASK]\" = 5 ≠ 4", [](json& all) { all["added_tokens"][4]["id"] = 5; }},
      {"added_tokens[5]: \"<new>\" = 23 ≠ 22",
       [](json& all) { all["added_tokens"].push_back(addedToken(23, "<new>", json::object())); }},
      {"added_tokens[5]: 2 × \"[MASK]\"", [](json& all) { all["added_tokens"].push_back(special(4)); }},
      {"added_tokens[5].content = \"\"", [](json& all) { all["added_tokens"].push_back(addedToken(22, "", json::object())); }},
      {"added_tokens[5].content = \"\\u0001\"",
       [](json& all) {
         all["added_tokens"].push_back(addedToken(22, "\x01", {{"normalized", true}}));
       }},
      {"post_processor.single = []", [](json& all) { all["post_processor"]["single"] = json::array(); }},
      {"post_processor.single = null", [](json& all) { all["post_processor"].erase("single"); }},
      {"post_processor.single: {\"Sequence\":{\"id\":\"B\"}}",
       [](json& all) {
         all["post_processor"]["single"][1] = {{"Sequence", {{"id", "B"}}}};
       }},
      {"post_processor.special_tokens: \"[SEP]\"", [](json& all) { all["post_processor"]["special_tokens"].erase("[SEP]"); }},
      {"post_processor.special_tokens: \"[SEP]\" = 22",
       [](json& all) { all["post_processor"]["special_tokens"]["[SEP]"]["ids"] = {22}; }},
      {"post_processor.sep = null", [](json& all) {
         all["post_processor"] = {{"type", "BertProcessing"}, {"cls", {"[CLS]", kClass}}};
       }}};
  for (const auto& [why, change] : cases) {
    auto all = wholeTokenizer();
    change(all);
    write("tokenizer.json", all.dump());
    const auto opened = openTokenizer(m_folder);
    ASSERT_EQ(refusedAs(opened), "tokenizer.malformed") << why;
    EXPECT_EQ(argument(opened.error(), "why"), why);
  }
}

// What no JSON library writes.
TEST_F(TokenizerFileTest, ATokenTwiceAndValuesThatAreNoNumbersAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\"play\":9", "model.vocab: 2 × \"play\""},
      {"\"un\":{\"a\":[1,{\"b\":2}]}", "model.vocab: \"un\" = …"},
      {"\"un\":[]", "model.vocab: \"un\" = …"},
      {"\"un\":null", "model.vocab: \"un\" = null"},
      {"\"un\":9,\"un\":22", "model.vocab: 2 × \"un\""},
      {"\"un\":9},\"vocab\":{\"un\":9", "2 × \"vocab\""},
      {"\"un\":" + std::string(200, '[') + std::string(200, ']'), "JSON"}};
  for (const auto& [entry, why] : cases) {
    auto all = wholeTokenizer().dump();
    all.replace(all.find("\"un\":9"), 6, entry);
    write("tokenizer.json", all);
    const auto opened = openTokenizer(m_folder);
    ASSERT_EQ(refusedAs(opened), "tokenizer.malformed") << entry;
    EXPECT_EQ(argument(opened.error(), "why"), why) << entry;
  }
  write("tokenizer.json", "{\"version\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}");
  EXPECT_EQ(refusedAs(openTokenizer(m_folder)), "tokenizer.malformed") << "nested without end";
}

TEST_F(TokenizerFileTest, WhatIsNoSuchFileIsRefused) {
  const auto whole = wholeTokenizer().dump();
  const std::vector<std::pair<std::string, std::string>> cases{{"", "0 B"},
                                                               {"{", "JSON"},
                                                               {"[]", "JSON"},
                                                               {whole + std::string("\0x", 2), "JSON"},
                                                               {whole + "}", "JSON"},
                                                               {"{\"\xFF\":1}", "UTF-8"},
                                                               {R"({"a":1,"a":2})", "2 × \"a\""},
                                                               {R"({"a":"\ud800"})", "JSON"}};
  for (const auto& [content, why] : cases) {
    write("tokenizer.json", content);
    const auto opened = openTokenizer(m_folder);
    ASSERT_EQ(refusedAs(opened), "tokenizer.malformed") << content;
    EXPECT_EQ(argument(opened.error(), "why"), why) << content;
  }
  fs::remove(m_folder / "tokenizer.json");
  ASSERT_EQ(::mkfifo((m_folder / "tokenizer.json").c_str(), 0600), 0);
  EXPECT_EQ(refusedAs(openTokenizer(m_folder)), "tokenizer.malformed") << "and doesn't wait for a writer";
  fs::remove(m_folder / "tokenizer.json");
  fs::create_directory(m_folder / "tokenizer.json");
  EXPECT_EQ(refusedAs(openTokenizer(m_folder)), "tokenizer.malformed");
}

TEST_F(TokenizerFileTest, WhatIsTooLargeIsRefusedUnread) {
  fs::resize_file(write("tokenizer.json", "{}"), (128ULL << 20) + 1);
  const auto file = openTokenizer(m_folder);
  ASSERT_EQ(refusedAs(file), "tokenizer.malformed");
  EXPECT_EQ(argument(file.error(), "why"), "134217729 B > 134217728 B");
  fs::remove(m_folder / "tokenizer.json");
  std::string ends;
  ends.resize(10'000'001, '\n');
  write("vocab.txt", ends);
  const auto lines = openTokenizer(m_folder);
  ASSERT_EQ(refusedAs(lines), "tokenizer.malformed");
  EXPECT_EQ(argument(lines.error(), "why"), "10000001 > 10000000");
}

TEST_F(TokenizerFileTest, AVocabularysMistakesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{{"a\nb\na\n", "1, 3: \"a\""},
                                                               {"a\n\n\n", "2, 3: \"\""},
                                                               {"a\n\xC3\n", "UTF-8"},
                                                               {"[CLS]\n[SEP]\n", "unk_token = \"[UNK]\""},
                                                               {"[UNK]\n[SEP]\n", "cls_token = \"[CLS]\""}};
  for (const auto& [content, why] : cases) {
    write("vocab.txt", content);
    const auto opened = openTokenizer(m_folder);
    ASSERT_EQ(refusedAs(opened), "tokenizer.malformed") << content;
    EXPECT_EQ(argument(opened.error(), "why"), why);
  }
  write("vocab.txt", vocabularyText());
  write("tokenizer_config.json", R"({"do_lower_case": "yes"})");
  const auto opened = openTokenizer(m_folder);
  ASSERT_EQ(refusedAs(opened), "tokenizer.malformed");
  EXPECT_EQ(argument(opened.error(), "why"), "tokenizer_config.do_lower_case = \"yes\"");
}

}  // namespace atelier::pretrained
