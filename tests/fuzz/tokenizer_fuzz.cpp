// A tokenizer from anywhere and a text from anywhere: "@tokenizer.json", "@vocab.txt", "@tokenizer_config.json" and "@text".
// What is refused is told why; what is taken gives ids of its own vocabulary, at most as many as asked, the same as without a
// limit.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/pretrained/tokenizer.h"
#include "core/pretrained/unicode_text.h"
#include "fuzz.h"

namespace atelier::fuzz {
namespace {

namespace fs = std::filesystem;
using pretrained::Encoding;

std::vector<std::int32_t> idsOf(const pretrained::Tokenizer& tokenizer, std::string_view text) {
  Encoding whole;
  tokenizer.encode(text, 0, whole);
  require(!whole.cut, "nothing is cut without a limit");
  for (const auto id : whole.ids) require(id >= 0 && id < tokenizer.size(), "an id is one of the vocabulary's");
  return whole.ids;
}

void checkEncoding(const pretrained::Tokenizer& tokenizer, std::string_view text) {
  const auto whole = idsOf(tokenizer, text);
  const auto ends = idsOf(tokenizer, "").size();
  Encoding part;
  for (const std::int64_t max : {2, 3, 5, 1 << 20}) {
    tokenizer.encode(text, max, part);
    const auto most = static_cast<std::size_t>(max);
    require(part.ids.size() == std::min(most, whole.size()), "as many ids as fit");
    require(part.cut == (whole.size() > most), "what is cut is said to be");
    const auto ending = part.cut ? static_cast<std::ptrdiff_t>(ends) : 0;  // [SEP], and no less than it
    require(std::equal(part.ids.begin(), part.ids.end() - ending, whole.begin()), "what is cut begins like the whole");
  }
  require(idsOf(tokenizer, pretrained::repairUtf8(text)) == whole, "ill-formed text is repaired text");
  require(idsOf(tokenizer, text) == whole, "the same text gives the same ids");
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string specials =
      R"("added_tokens":[{"id":1,"content":"[CLS]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},)"
      R"({"id":9,"content":"new Y","single_word":true,"lstrip":true,"rstrip":true,"normalized":true,"special":false}],)";
  const std::string whole =
      R"({"version":"1.0",)" + specials +
      R"("normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},)"
      R"("pre_tokenizer":{"type":"BertPreTokenizer"},)"
      R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},)"
      R"({"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],)"
      R"("special_tokens":{"[CLS]":{"id":"[CLS]","ids":[1]},"[SEP]":{"id":"[SEP]","ids":[2]}}},"padding":{"pad_id":0},)"
      R"("model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":8,)"
      R"("vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"##a":4,"##b":5,"aab":6,"é":7,"中":8}}})";
  const std::string text = "\n@text\naab aaab [CLS]aaaaaaaaaaa É中a new y [UNK]\xFF \U0001D16D\U0001D165\u034F\n";
  return {"@tokenizer.json\n" + whole + text,
          "@vocab.txt\n[UNK]\n[CLS]\n[SEP]\na\n##a\n##b\naab\n@tokenizer_config.json\n" +
              std::string(R"({"do_lower_case":false,"strip_accents":true,"additional_special_tokens":["<x>"]})") + text,
          "@vocab.txt\n[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n@tokenizer_config.json\n" +
              std::string(R"({"added_tokens_decoder":{"4":{"content":"<y>","single_word":false,"lstrip":true,"rstrip":false,)"
                          R"("normalized":false}}})") +
              text};
}

std::vector<std::string> words() {
  return {R"("type":"BertProcessing","cls":["a",3],"sep":["a",3],)",
          R"("normalizer":null,)",
          R"("lowercase":false,)",
          R"("strip_accents":true,)",
          R"("continuing_subword_prefix":"",)",
          R"("max_input_chars_per_word":0,)",
          R"("max_input_chars_per_word":10000,)",
          R"("normalized":true)",
          R"("single_word":true)",
          R"("ids":[1,2])",
          R"("ids":[18446744073709551615])",
          R"("##é":9,)",
          R"(" ":9,)",
          R"("added_tokens_decoder":{"-1":{}},)",
          "\\u0000",
          "\\ud800",
          "[CLS]",
          "new y",
          "\n##中\n",
          "\n@text\n",
          "\u0301\u302E\U0001D165",
          "\u0130\u03A3\uAC01\u3000\uFEFF",
          "\xF0\x9F\x98",
          "null"};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier::fuzz;
  static const Playground ground;
  const auto folder = ground.beside("model");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::string text;
  for (const auto& [name, content] : sections(textOf(data, size))) {
    if (name == "text") text = content;
    else if (name == "tokenizer.json" || name == "vocab.txt" || name == "tokenizer_config.json")
      writeFile(folder / name, content);
  }
  const auto opened = atelier::pretrained::openTokenizer(folder);
  if (opened) checkEncoding(**opened, text);
  else requireTold(opened.error());
  return 0;
}
