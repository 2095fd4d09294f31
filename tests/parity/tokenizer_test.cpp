// The same texts here and through the `tokenizers` library, byte for byte: every code point alone, between letters and doubled,
// and strings of everything that has ever gone wrong.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "core/pretrained/tokenizer.h"
#include "core/pretrained/unicode_text.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Texts = std::vector<std::string>;

constexpr int kHostile = 20'000;

void append(std::string& text, char32_t code) {
  char bytes[4];
  text.append(bytes, encodeUtf8(code, bytes));
}

std::string utf8(char32_t code) {
  std::string text;
  append(text, code);
  return text;
}

// In blocks: "c acb cc " for each.
void addEveryCodePoint(Texts& texts) {
  constexpr char32_t kBlock = 64;
  for (char32_t first = 0; first < 0x110000; first += kBlock) {
    if (first >= 0xD800 && first < 0xE000) continue;
    std::string text;
    for (char32_t code = first; code < first + kBlock; ++code) {
      const auto one = utf8(code);
      text.append(one).append(" a").append(one).append("b ").append(one).append(one).append(" ");
    }
    texts.push_back(std::move(text));
  }
}

// Marks of every kind of class, of class 0, and such as only one of the library's tables knows.
const std::u32string kMarks =
    U"\u0300\u0301\u0323\u0327\u0334\u0345\u034F\u302E\u302F\U0001D165\U0001D166\U0001D16D\U0001D16E\U0001D172\u1B44\u1B3A"
    U"\u1B35"
    U"\u08D4\U0001E000\U00011446\U00011442\U0001E94A\U0001E944\U00016FF0\u1715\u0591\uFB1E\u200D\uFE0F\u20E3\U000E0061";
// Controls, spaces, letters whose case is peculiar, edges of ranges, compositions.
const std::u32string kPeculiar =
    U"\u0001\u0008\t\n\u000B\u000C\r\u001C\u007F\u0085\u00A0\u00AD\u0130\u0131\u0149\u01C5\u01F0\u03A3\u03C2\u0587\u1E9E\u00DF"
    U"\u212A\u212B\u2126\u1680\u2003\u200B\u200E\u2028\u202E\u2060\u3000\uFEFF\uFFFC\uFFFD\uFFFF\uE000\uF8FF\U000F0000"
    U"\U0010FFFF"
    U"\uAC00\uAC01\uD7A3\u1100\u1161\u11A8\u4E00\u9FFF\u3400\u4DBF\u4DC0\uF900\U00020000\U0002A6E0\U0002B820\U0002CEAF"
    U"\U0002F800"
    U"\U00030000\U0001F600\U0001F468\U0001F1EB\U0001F3FD\uFB01\uFF21\U0001D400\U00010400\U000118A0\u13A0\u10A0\u0F43\u0F73"
    U"\u0344"
    U"\U0001D15F\U0001D1BE\u2ADC\u0958\u09CB\u0CCA\U0001112E";

class Hostile {
 public:
  std::string text() {
    static constexpr int kLengths[] = {1, 2, 3, 5, 8, 13, 30, 120, 260};
    std::string text;
    for (int left = kLengths[below(std::size(kLengths))]; left > 0; --left) add(text);
    return text;
  }

 private:
  std::size_t below(std::size_t count) { return m_random() % count; }

  void add(std::string& text) {
    static const Texts kWords{"[CLS]",
                              "[SEP]",
                              "[MASK]",
                              "[UNK]",
                              "[PAD]",
                              " [MASK] ",
                              "[mask]",
                              "##",
                              "the",
                              "playing",
                              "ΟΔΟΣ",
                              "Filipović",
                              "Straße",
                              "İ",
                              "don't",
                              "<l>",
                              "<r>",
                              "word",
                              "  ",
                              "été",
                              "ETE",
                              "[X]",
                              "[X]Y",
                              "\xFF",
                              "\xC3",
                              "\xED\xA0\x80",
                              "\xF0\x9F",
                              " a",
                              "_",
                              "\u0661",
                              std::string(1, '\0')};
    switch (below(8)) {
      case 0:
        return append(text, kMarks[below(kMarks.size())]);
      case 1:
        return append(text, kPeculiar[below(kPeculiar.size())]);
      case 2:
        return append(text, static_cast<char32_t>(0x21 + below(0x5E)));
      case 3:
        text += ' ';
        return;
      case 4:
        return append(text, static_cast<char32_t>(0xA0 + below(0x2F60)));
      case 5:
        return append(text, static_cast<char32_t>(0xAC00 + below(11'172)));
      case 6:
        text += kWords[below(kWords.size())];
        return;
      default:
        return append(text, static_cast<char32_t>(0xE000 + below(0x110000 - 0xE000)));
    }
  }

  std::mt19937 m_random{20261130};
};

void writeTexts(const fs::path& file, const Texts& texts) {
  std::ofstream output(file, std::ios::binary);
  for (const auto& text : texts) {
    const auto size = static_cast<std::uint32_t>(text.size());
    output.write(reinterpret_cast<const char*>(&size), sizeof size);
    output.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
}

Texts readTexts(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  Texts texts;
  for (std::uint32_t size = 0; input.read(reinterpret_cast<char*>(&size), sizeof size);) {
    texts.emplace_back(size, '\0');
    input.read(texts.back().data(), size);
  }
  return texts;
}

// Letters of many scripts, alone and as pieces: what is mapped wrongly becomes another id, not the same [UNK].
json lettersTokenizer(bool lower, const json& accents, bool added) {
  Texts tokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "play", "##ing"};
  for (char32_t code = 0x21; code < 0x3400; ++code)
    for (const char* prefix : {"", "##"}) tokens.push_back(prefix + utf8(code));
  for (const auto* some : {&kMarks, &kPeculiar})
    for (const auto code : *some)
      if (code >= 0x3400)
        for (const char* prefix : {"", "##"}) tokens.push_back(prefix + utf8(code));
  json vocabulary, list = json::array();
  for (std::size_t i = 0; i < tokens.size(); ++i) vocabulary[tokens[i]] = i;
  const auto add = [&](std::size_t id, const std::string& content, const json& how) {
    json token{{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
               {"rstrip", false}, {"normalized", false}, {"special", true}};
    token.update(how);
    list.push_back(token);
  };
  for (std::size_t i = 0; i < 5; ++i) add(i, tokens[i], json::object());
  if (added) {
    const std::vector<std::pair<std::string, json>> more{{"<l>", {{"lstrip", true}}},       {"<r>", {{"rstrip", true}}},
                                                         {"word", {{"single_word", true}}}, {"[X]", {{"lstrip", false}}},
                                                         {"[X]Y", {{"lstrip", false}}},     {" a", {{"special", false}}},
                                                         {"Été", {{"normalized", true}}}};
    for (std::size_t i = 0; i < more.size(); ++i) add(tokens.size() + i, more[i].first, more[i].second);
  }
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", list},
          {"normalizer",
           {{"type", "BertNormalizer"},
            {"clean_text", true},
            {"handle_chinese_chars", true},
            {"strip_accents", accents},
            {"lowercase", lower}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"post_processor", {{"type", "BertProcessing"}, {"cls", {"[CLS]", 2}}, {"sep", {"[SEP]", 3}}}},
          {"decoder", nullptr},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 100},
            {"vocab", vocabulary}}}};
}

Texts idsOf(const fs::path& folder, std::int64_t max, const Texts& texts) {
  const auto opened = openTokenizer(folder);
  EXPECT_TRUE(opened.ok()) << opened.error().messages.front().id;
  if (!opened.ok()) return {};
  Texts all;
  Encoding encoding;
  for (const auto& text : texts) {
    (*opened)->encode(text, max, encoding);
    all.emplace_back(reinterpret_cast<const char*>(encoding.ids.data()), encoding.ids.size() * sizeof(std::int32_t));
  }
  return all;
}

std::string shown(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, 200)) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%02x ", static_cast<unsigned char>(byte));
    text += hex;
  }
  return text;
}

class TokenizerParity : public testing::Test {
 protected:
  TokenizerParity() : m_folder(fs::temp_directory_path() / ("atelier-tokenizer-parity-" + std::to_string(getpid()))) {
    fs::create_directories(m_folder);
    addEveryCodePoint(m_texts);
    Hostile hostile;
    for (int i = 0; i < kHostile; ++i) m_texts.push_back(hostile.text());
  }
  ~TokenizerParity() override { fs::remove_all(m_folder); }

  // The answers of each job.
  std::vector<Texts> python(json jobs) const {
    writeTexts(m_folder / "texts", m_texts);
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i]["output"] = (m_folder / std::to_string(i)).string();
    std::ofstream(m_folder / "request.json") << json{{"texts", (m_folder / "texts").string()}, {"jobs", jobs}}.dump();
    const auto command = std::string(ATELIER_PYTHON) + " -B " + ATELIER_SOURCE_DIR + "/tests/parity/tokenizer_oracle.py " +
                         (m_folder / "request.json").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << "the Python side failed";
    std::vector<Texts> all;
    for (const auto& job : jobs) all.push_back(readTexts(job["output"].get<std::string>()));
    return all;
  }

  void compare(const Texts& ours, const Texts& theirs, const std::string& what) const {
    ASSERT_EQ(ours.size(), m_texts.size()) << what;
    ASSERT_EQ(theirs.size(), m_texts.size()) << what;
    int wrong = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] == theirs[i]) continue;
      if (++wrong == 1)
        ADD_FAILURE() << what << ", text " << i << ": " << shown(m_texts[i]) << "\n  ours   " << shown(ours[i]) << "\n  theirs "
                      << shown(theirs[i]);
    }
    EXPECT_EQ(wrong, 0) << what;
  }

  const fs::path m_folder;
  Texts m_texts;
};

}  // namespace

TEST_F(TokenizerParity, EveryStepOfTheNormaliserIsTheLibrarys) {
  const std::vector<Steps> settings{{true, true, true, true},    {true, false, false, false}, {false, true, false, false},
                                    {false, false, true, false}, {false, false, false, true}, {true, true, false, false}};
  auto jobs = json::array();
  for (const auto& steps : settings) jobs.push_back({{"steps", {steps.clean, steps.ideographs, steps.bare, steps.lower}}});
  const auto answers = python(jobs);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Texts ours;
    for (const auto& text : m_texts) ours.push_back(normalised(isUtf8(text) ? text : repairUtf8(text), settings[i]));
    compare(ours, answers[i], jobs[i]["steps"].dump());
  }
}

TEST_F(TokenizerParity, IdsAreTheLibrarys) {
  struct Case {
    std::string name;
    json tokenizer;
    std::int64_t max;
  };
  const std::vector<Case> cases{{"uncased", lettersTokenizer(true, nullptr, false), 0},
                                {"cased", lettersTokenizer(false, nullptr, false), 0},
                                {"lowered", lettersTokenizer(true, false, true), 7},
                                {"bare", lettersTokenizer(false, true, true), 0},
                                {"added", lettersTokenizer(true, nullptr, true), 0}};
  auto jobs = json::array();
  for (const auto& one : cases) {
    const auto file = m_folder / one.name / "tokenizer.json";
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << one.tokenizer.dump();
    jobs.push_back({{"tokenizer", file.string()}, {"max", one.max}});
  }
  const auto answers = python(jobs);
  for (std::size_t i = 0; i < cases.size(); ++i)
    compare(idsOf(m_folder / cases[i].name, cases[i].max, m_texts), answers[i], cases[i].name);
  std::set<std::string> different(answers[0].begin(), answers[0].end());
  EXPECT_GT(different.size(), 15'000U) << "the vocabulary tells the texts apart";
}

TEST_F(TokenizerParity, TheInstalledModelsIdsAreTheLibrarys) {
  const auto model = fs::path(ATELIER_MODELS_DIR) / "minilm";
  if (!fs::exists(model / "tokenizer.json")) GTEST_SKIP() << model << " is not installed";
  auto jobs = json::array();
  for (const int max : {0, 16}) jobs.push_back({{"tokenizer", (model / "tokenizer.json").string()}, {"max", max}});
  const auto answers = python(jobs);
  compare(idsOf(model, 0, m_texts), answers[0], "whole");
  compare(idsOf(model, 16, m_texts), answers[1], "cut to 16");
}

}  // namespace atelier::pretrained
