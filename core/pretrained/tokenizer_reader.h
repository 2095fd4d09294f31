// What the readers of a tokenizer's files share: bounded reading, members that must be of a type, added tokens, and the first
// error, which ends the reading. Functions return false after they have set it. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"
#include "tokenizer_json.h"
#include "word_piece.h"

namespace atelier::pretrained {

class TokenizerReader {
 public:
  static constexpr std::size_t kLargestVocabulary = 10'000'000;

  wire::Result<WordPieceSettings> result(bool sound);

 protected:
  bool malformed(std::string why);
  bool unsupported(std::string what);

  bool read(const std::filesystem::path& file, std::string& text);
  bool readJson(const std::filesystem::path& file, nlohmann::json& value);
  bool readJson(const std::filesystem::path& file, nlohmann::json& rest, StoredVocabulary& vocabulary);
  // tokenizer_config.json; an empty object when there is none.
  bool readOptions(const std::filesystem::path& file, nlohmann::json& options);

  // The member, or null.
  static const nlohmann::json& memberOf(const nlohmann::json& object, const char* key);
  // A member that must be there; `place` is the object's.
  bool flag(const nlohmann::json& object, const char* key, const std::string& place, bool& value);
  bool text(const nlohmann::json& object, const char* key, const std::string& place, std::string& value);

  std::optional<std::int32_t> idOf(const std::string& token) const;
  std::optional<std::int32_t> idIn(const nlohmann::json& value) const;  // nothing when the vocabulary has no such id

  // content, single_word, lstrip, rstrip, normalized.
  bool readAdded(const nlohmann::json& object, const std::string& place, AddedToken& token);
  // Puts the token behind the vocabulary when it is not in it. Its id must be the one that it has there, or comes next.
  bool add(AddedToken token, const std::string& place);
  bool isAdded(const std::string& content) const { return m_contents.contains(content); }
  // The id that pads: what the options name, or tokenizer.json's own padding (`stored`), or [PAD].
  void findPadding(const nlohmann::json& options, const nlohmann::json& stored);

  WordPieceSettings m_settings;
  std::unordered_map<std::string, std::int32_t> m_ids;

 private:
  bool noJson(const std::string& twice);

  std::filesystem::path m_file;
  wire::Error m_error;
  std::set<std::string> m_contents, m_raw, m_normalized;  // of the added tokens; as they are looked for
};

}  // namespace atelier::pretrained
