// What the tests of the tokenizer share: a small vocabulary and its files, ids of texts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/pretrained/tokenizer.h"
#include "model_files.h"

namespace atelier::pretrained::testing {

using nlohmann::json;
using Ids = std::vector<std::int32_t>;

inline const std::vector<std::string> kTokens{"[PAD]",  "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "play", "##ing",
                                              "##able", "un",    "##a",   "a",     ".",      "é",   "e",    "中",
                                              "##play", "A",     "##é",   "[",     "mask",   "]"};
inline constexpr std::int32_t kUnknown = 1, kClass = 2, kEnd = 3, kMask = 4;

inline std::string vocabularyText() {
  std::string text;
  for (const auto& token : kTokens) text += token + "\n";
  return text;
}

inline json special(std::int32_t id) {
  return {{"id", id},
          {"content", kTokens[static_cast<std::size_t>(id)]},
          {"single_word", false},
          {"lstrip", false},
          {"rstrip", false},
          {"normalized", false},
          {"special", true}};
}

inline json addedToken(std::int32_t id, const std::string& content, const json& how) {
  json token = special(0);
  token["id"] = id;
  token["content"] = content;
  token.update(how);
  return token;
}

inline json wholeTokenizer() {
  json vocabulary, specials{{"[CLS]", {{"id", "[CLS]"}, {"ids", {kClass}}, {"tokens", {"[CLS]"}}}},
                            {"[SEP]", {{"id", "[SEP]"}, {"ids", {kEnd}}, {"tokens", {"[SEP]"}}}}};
  for (std::size_t i = 0; i < kTokens.size(); ++i) vocabulary[kTokens[i]] = i;
  json all{{"version", "1.0"},
           {"truncation", nullptr},
           {"padding", nullptr},
           {"normalizer",
            {{"type", "BertNormalizer"},
             {"clean_text", true},
             {"handle_chinese_chars", true},
             {"strip_accents", nullptr},
             {"lowercase", true}}},
           {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
           {"model",
            {{"type", "WordPiece"},
             {"unk_token", "[UNK]"},
             {"continuing_subword_prefix", "##"},
             {"max_input_chars_per_word", 100},
             {"vocab", vocabulary}}}};
  all["added_tokens"] = json::array({special(0), special(1), special(2), special(3), special(4)});
  all["post_processor"] = {{"type", "TemplateProcessing"}, {"pair", json::array()}, {"special_tokens", specials}};
  all["post_processor"]["single"] =
      json::array({json{{"SpecialToken", {{"id", "[CLS]"}, {"type_id", 0}}}}, json{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                   json{{"SpecialToken", {{"id", "[SEP]"}, {"type_id", 0}}}}});
  return all;
}

class TokenizerFolder : public FolderTest {
 protected:
  std::shared_ptr<const Tokenizer> open() const {
    auto opened = openTokenizer(m_folder);
    EXPECT_TRUE(opened.ok()) << refusedAs(opened) << ": " << (opened.ok() ? "" : argument(opened.error(), "why"));
    return opened.ok() ? *opened : nullptr;
  }
  std::shared_ptr<const Tokenizer> openJson(const json& tokenizer) const {
    write("tokenizer.json", tokenizer.dump());
    return open();
  }
  std::shared_ptr<const Tokenizer> withAdded(const std::vector<std::pair<std::string, json>>& added) const {
    auto all = wholeTokenizer();
    auto id = static_cast<std::int32_t>(kTokens.size());
    for (const auto& [content, how] : added) all["added_tokens"].push_back(addedToken(id++, content, how));
    return openJson(all);
  }
};

inline Ids idsOf(const Tokenizer& tokenizer, std::string_view text, std::int64_t max = 0) {
  Encoding encoding;
  tokenizer.encode(text, max, encoding);
  return encoding.ids;
}

// Without [CLS] and [SEP].
inline Ids inner(const Tokenizer& tokenizer, std::string_view text) {
  auto ids = idsOf(tokenizer, text);
  EXPECT_EQ(ids.front(), kClass);
  EXPECT_EQ(ids.back(), kEnd);
  return {ids.begin() + 1, ids.end() - 1};
}

}  // namespace atelier::pretrained::testing
