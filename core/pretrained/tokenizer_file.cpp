#include "tokenizer_file.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "tokenizer_reader.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLongestWord = 10'000, kMostEnds = 2;

std::string numbered(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

class JsonReader : public TokenizerReader {
 public:
  bool all(const fs::path& file, const fs::path& config) {
    json options, rest;
    StoredVocabulary stored;
    const bool sound = readOptions(config, options) && readJson(file, rest, stored) && version(memberOf(rest, "version")) &&
                       model(memberOf(rest, "model"), stored) && normalizer(memberOf(rest, "normalizer")) &&
                       preTokenizer(memberOf(rest, "pre_tokenizer")) && addedTokens(memberOf(rest, "added_tokens")) &&
                       postProcessor(memberOf(rest, "post_processor"));
    if (sound) findPadding(options, memberOf(rest, "padding"));
    return sound;
  }

 private:
  bool version(const json& version) {
    return version.is_null() || version == "1.0" || unsupported("version " + shownJson(version));
  }

  // Old files leave the type out: WordPiece is then told by the members that it alone has.
  bool model(const json& model, StoredVocabulary& stored) {
    const auto& type = memberOf(model, "type");
    const bool known = type.is_null() ? !memberOf(model, "max_input_chars_per_word").is_null() : type == "WordPiece";
    if (!known) return unsupported("model " + shownJson(type));
    std::string unknown;
    const auto& longest = memberOf(model, "max_input_chars_per_word");
    if (!longest.is_number_unsigned() || longest.get<std::uint64_t>() > kLongestWord)
      return malformed("model.max_input_chars_per_word = " + shownJson(longest));
    m_settings.longest_word = longest.get<std::size_t>();
    if (!text(model, "unk_token", "model", unknown) || !text(model, "continuing_subword_prefix", "model", m_settings.prefix) ||
        !vocabulary(memberOf(model, "vocab"), stored))
      return false;
    const auto id = idOf(unknown);
    if (!id) return malformed("model.unk_token = " + shownJson(unknown));
    m_settings.unknown = *id;
    return true;
  }

  // As many ids as tokens, each below that number and none twice: there is no gap.
  bool vocabulary(const json& place, StoredVocabulary& stored) {
    if (!place.is_object()) return malformed("model.vocab = " + shownJson(place));
    if (!stored.foreign.empty()) return malformed("model.vocab: " + stored.foreign);
    const auto count = stored.tokens.size();
    if (count > kLargestVocabulary)
      return malformed("model.vocab: " + std::to_string(count) + " > " + std::to_string(kLargestVocabulary));
    std::vector<bool> seen(count);
    m_settings.tokens.resize(count);
    m_settings.vocabulary = count;
    m_ids.reserve(count);
    for (auto& [token, id] : stored.tokens) {
      if (id >= count || seen[id]) return malformed("model.vocab: " + shownJson(token) + " = " + std::to_string(id));
      if (!m_ids.emplace(token, static_cast<std::int32_t>(id)).second) return malformed("model.vocab: 2 × " + shownJson(token));
      seen[id] = true;
      m_settings.tokens[id] = std::move(token);
    }
    return true;
  }

  bool normalizer(const json& normalizer) {
    if (normalizer.is_null()) return true;
    if (memberOf(normalizer, "type") != "BertNormalizer")
      return unsupported("normalizer " + shownJson(memberOf(normalizer, "type")));
    auto& steps = m_settings.steps;
    if (!flag(normalizer, "clean_text", "normalizer", steps.clean) ||
        !flag(normalizer, "handle_chinese_chars", "normalizer", steps.ideographs) ||
        !flag(normalizer, "lowercase", "normalizer", steps.lower))
      return false;
    steps.bare = steps.lower;
    return memberOf(normalizer, "strip_accents").is_null() || flag(normalizer, "strip_accents", "normalizer", steps.bare);
  }

  bool preTokenizer(const json& pre_tokenizer) {
    const auto& type = memberOf(pre_tokenizer, "type");
    return type == "BertPreTokenizer" || unsupported("pre_tokenizer " + shownJson(type));
  }

  bool addedTokens(const json& tokens) {
    if (tokens.is_null()) return true;
    if (!tokens.is_array()) return malformed("added_tokens = " + shownJson(tokens));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto place = numbered("added_tokens", i);
      AddedToken token;
      const auto& id = memberOf(tokens[i], "id");
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() > kLargestVocabulary)
        return malformed(place + ".id = " + shownJson(id));
      token.id = id.get<std::int32_t>();
      if (!readAdded(tokens[i], place, token) || !add(std::move(token), place)) return false;
    }
    return true;
  }

  bool postProcessor(const json& post) {
    if (post.is_null()) return true;
    const auto& type = memberOf(post, "type");
    const bool bert = type == "BertProcessing";
    if (!bert && type != "TemplateProcessing") return unsupported("post_processor " + shownJson(type));
    if (bert ? !bertEnd(post, "cls", m_settings.before) || !bertEnd(post, "sep", m_settings.after) : !pieces(post))
      return false;
    const auto ends = m_settings.before.size() + m_settings.after.size();
    return ends <= kMostEnds || unsupported("post_processor: " + std::to_string(ends) + " > " + std::to_string(kMostEnds));
  }

  // "cls": ["[CLS]", 101]
  bool bertEnd(const json& post, const char* key, std::vector<std::int32_t>& ids) {
    const auto& end = memberOf(post, key);
    const auto id = end.is_array() && end.size() == 2 ? idIn(end[1]) : std::nullopt;
    if (!id) return malformed(std::string("post_processor.") + key + " = " + shownJson(end));
    ids.push_back(*id);
    return true;
  }

  bool pieces(const json& post) {
    const auto& single = memberOf(post, "single");
    bool text_seen = false;
    for (const auto& piece : single) {
      const auto& special = memberOf(piece, "SpecialToken");
      if (special.is_null()) {
        if (text_seen || memberOf(memberOf(piece, "Sequence"), "id") != "A")
          return malformed("post_processor.single: " + shownJson(piece));
        text_seen = true;
        continue;
      }
      const auto name = wire::textAt(special, "id");
      const auto& ids = memberOf(memberOf(memberOf(post, "special_tokens"), name.c_str()), "ids");
      if (!ids.is_array() || ids.empty()) return malformed("post_processor.special_tokens: " + shownJson(name));
      for (const auto& value : ids) {
        const auto id = idIn(value);
        if (!id) return malformed("post_processor.special_tokens: " + shownJson(name) + " = " + shownJson(value));
        (text_seen ? m_settings.after : m_settings.before).push_back(*id);
      }
    }
    return text_seen || malformed("post_processor.single = " + shownJson(single));
  }
};

// vocab.txt: BERT's settings, as far as the options don't say otherwise.
class VocabularyReader : public TokenizerReader {
 public:
  bool all(const fs::path& file, const fs::path& config) {
    json options;
    const bool sound = readOptions(config, options) && steps(options) && lines(file) && noOtherTokens(file, options) &&
                       numberedTokens(memberOf(options, "added_tokens_decoder")) && namedTokens(options) &&
                       otherTokens(options);
    if (sound) findPadding(options, {});
    return sound;
  }

 private:
  bool option(const json& options, const char* key, bool& value) {
    return memberOf(options, key).is_null() || flag(options, key, "tokenizer_config", value);
  }

  bool steps(const json& options) {
    auto& steps = m_settings.steps;
    steps.clean = steps.ideographs = steps.lower = true;
    if (!option(options, "do_lower_case", steps.lower)) return false;
    steps.bare = steps.lower;
    return option(options, "tokenize_chinese_chars", steps.ideographs) && option(options, "strip_accents", steps.bare);
  }

  bool lines(const fs::path& file) {
    std::string text;
    if (!read(file, text)) return false;
    const auto count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
    if (count > kLargestVocabulary) return malformed(std::to_string(count) + " > " + std::to_string(kLargestVocabulary));
    m_settings.tokens.reserve(count);
    m_ids.reserve(count);
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      auto token = text.substr(at, end - at);
      if (token.ends_with('\r')) token.pop_back();
      at = end + 1;
      const auto line = m_settings.tokens.size() + 1;
      if (!m_ids.emplace(token, static_cast<std::int32_t>(line - 1)).second)
        return malformed(std::to_string(m_ids[token] + 1) + ", " + std::to_string(line) + ": " + shownJson(token));
      m_settings.tokens.push_back(std::move(token));
    }
    m_settings.vocabulary = m_settings.tokens.size();
    return true;
  }

  // Tokens in a file of their own, which newer writers put into the options.
  bool noOtherTokens(const fs::path& file, const json& options) {
    std::error_code ignored;
    const bool there = fs::exists(file.parent_path() / "added_tokens.json", ignored);
    return !there || memberOf(options, "added_tokens_decoder").is_object() || unsupported("added_tokens.json");
  }

  // {"101": {"content": "[CLS]", …}}, in the order of the numbers.
  bool numberedTokens(const json& tokens) {
    if (tokens.is_null()) return true;
    if (!tokens.is_object()) return malformed("added_tokens_decoder = " + shownJson(tokens));
    std::map<std::int64_t, const json*> ordered;
    for (const auto& [key, value] : tokens.items()) {
      const auto id = wire::parseInteger(key);
      if (!id || *id < 0 || *id > static_cast<std::int64_t>(kLargestVocabulary))
        return malformed("added_tokens_decoder: " + shownJson(key));
      ordered[*id] = &value;
    }
    for (const auto& [id, value] : ordered) {
      const auto place = "added_tokens_decoder." + std::to_string(id);
      AddedToken token;
      token.id = static_cast<std::int32_t>(id);
      if (!readAdded(*value, place, token) || !add(std::move(token), place)) return false;
    }
    return true;
  }

  // A special token as its text or as an object. One that is added already keeps what was said of it first.
  bool special(const json& value, const std::string& place, AddedToken& token) {
    if (value.is_string()) token.content = value.get<std::string>();
    else if (!readAdded(value, place, token)) return false;
    token.id = idOf(token.content).value_or(static_cast<std::int32_t>(m_settings.tokens.size()));
    return isAdded(token.content) || add(token, place);
  }

  bool namedTokens(const json& options) {
    struct Named {
      const char *key, *usual;
      bool needed;
    };
    static constexpr Named kNamed[] = {{"unk_token", "[UNK]", true},
                                       {"sep_token", "[SEP]", true},
                                       {"pad_token", "[PAD]", false},
                                       {"cls_token", "[CLS]", true},
                                       {"mask_token", "[MASK]", false}};
    for (const auto& [key, usual, needed] : kNamed) {
      const auto& said = memberOf(options, key);
      const json value = said.is_null() ? json(usual) : said;
      const auto content = value.is_object()   ? wire::textAt(value, "content")
                           : value.is_string() ? value.get<std::string>()
                                               : "";
      const auto id = idOf(content);
      if (!id && !needed && said.is_null()) continue;
      if (!id) return malformed(std::string(key) + " = " + shownJson(value));
      AddedToken token;
      if (!special(value, key, token)) return false;
      if (key == std::string_view("unk_token")) m_settings.unknown = *id;
      if (key == std::string_view("cls_token")) m_settings.before = {*id};
      if (key == std::string_view("sep_token")) m_settings.after = {*id};
    }
    return true;
  }

  bool otherTokens(const json& options) {
    const auto& others = memberOf(options, "additional_special_tokens");
    if (others.is_null()) return true;
    if (!others.is_array()) return malformed("additional_special_tokens = " + shownJson(others));
    for (std::size_t i = 0; i < others.size(); ++i) {
      AddedToken token;
      if (!special(others[i], numbered("additional_special_tokens", i), token)) return false;
    }
    return true;
  }
};

}  // namespace

wire::Result<WordPieceSettings> readTokenizerJson(const fs::path& file, const fs::path& config) {
  JsonReader reader;
  return reader.result(reader.all(file, config));
}

wire::Result<WordPieceSettings> readVocabulary(const fs::path& file, const fs::path& config) {
  VocabularyReader reader;
  return reader.result(reader.all(file, config));
}

}  // namespace atelier::pretrained
