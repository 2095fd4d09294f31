#include "tokenizer_reader.h"

#include <fstream>
#include <utility>

#include "core/wire/number.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestFile = 128 << 20;  // bytes; the largest vocabularies in use take ten

}  // namespace

wire::Result<WordPieceSettings> TokenizerReader::result(bool sound) {
  if (!sound) return m_error;
  return std::move(m_settings);
}

bool TokenizerReader::malformed(std::string why) {
  m_error = {wire::ExitCode::Usage, {"tokenizer.malformed", {{"file", m_file.string()}, {"why", std::move(why)}}}};
  return false;
}

bool TokenizerReader::unsupported(std::string what) {
  m_error = {wire::ExitCode::Usage, {"tokenizer.unsupported", {{"file", m_file.string()}, {"what", std::move(what)}}}};
  return false;
}

bool TokenizerReader::read(const fs::path& file, std::string& text) {
  m_file = file;
  std::error_code error;
  const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : std::uintmax_t{0};
  if (error) return malformed(error.message());
  if (size > kLargestFile) return malformed(std::to_string(size) + " B > " + std::to_string(kLargestFile) + " B");
  if (size == 0) return malformed("0 B");  // also what is no file: to open a pipe would wait for its writer
  text.resize(size);
  std::ifstream input(file, std::ios::binary);
  if (!input.read(text.data(), static_cast<std::streamsize>(size))) return malformed(std::to_string(input.gcount()) + " B");
  return isUtf8(text) || malformed("UTF-8");
}

bool TokenizerReader::readJson(const fs::path& file, json& value) {
  std::string text, twice;
  if (!read(file, text)) return false;
  auto parsed = wire::parseJson(text, &twice);
  if (!parsed || !parsed->is_object()) return noJson(twice);
  value = std::move(*parsed);
  return true;
}

bool TokenizerReader::readJson(const fs::path& file, json& rest, StoredVocabulary& vocabulary) {
  std::string text, twice;
  if (!read(file, text)) return false;
  // A zero would be the text's end to the parser, whatever follows.
  return (text.find('\0') == std::string::npos && parseTokenizerJson(text, rest, vocabulary, twice)) || noJson(twice);
}

bool TokenizerReader::noJson(const std::string& twice) {
  return malformed(twice.empty() ? "JSON" : "2 × " + shownJson(twice));
}

bool TokenizerReader::readOptions(const fs::path& file, json& options) {
  options = json::object();
  std::error_code ignored;
  return !fs::exists(file, ignored) || readJson(file, options);
}

const json& TokenizerReader::memberOf(const json& object, const char* key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

bool TokenizerReader::flag(const json& object, const char* key, const std::string& place, bool& value) {
  const auto& member = memberOf(object, key);
  if (!member.is_boolean()) return malformed(place + "." + key + " = " + shownJson(member));
  value = member.get<bool>();
  return true;
}

bool TokenizerReader::text(const json& object, const char* key, const std::string& place, std::string& value) {
  const auto& member = memberOf(object, key);
  if (!member.is_string()) return malformed(place + "." + key + " = " + shownJson(member));
  value = member.get<std::string>();
  return true;
}

std::optional<std::int32_t> TokenizerReader::idOf(const std::string& token) const {
  const auto found = m_ids.find(token);
  return found == m_ids.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int32_t> TokenizerReader::idIn(const json& value) const {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= m_settings.tokens.size()) return std::nullopt;
  return value.get<std::int32_t>();
}

bool TokenizerReader::readAdded(const json& object, const std::string& place, AddedToken& token) {
  return text(object, "content", place, token.content) && flag(object, "single_word", place, token.single_word) &&
         flag(object, "lstrip", place, token.lstrip) && flag(object, "rstrip", place, token.rstrip) &&
         flag(object, "normalized", place, token.normalized);
}

bool TokenizerReader::add(AddedToken token, const std::string& place) {
  const auto next = static_cast<std::int32_t>(m_settings.tokens.size());
  if (const auto id = idOf(token.content).value_or(next); id != token.id)
    return malformed(place + ": " + shownJson(token.content) + " = " + std::to_string(token.id) + " ≠ " + std::to_string(id));
  const auto wanted = token.normalized ? normalised(token.content, m_settings.steps) : token.content;
  if (wanted.empty()) return malformed(place + ".content = " + shownJson(token.content));
  auto& alike = token.normalized ? m_normalized : m_raw;
  if (!m_contents.insert(token.content).second || !alike.insert(wanted).second)
    return malformed(place + ": 2 × " + shownJson(token.content));
  if (token.id == next) {
    if (m_settings.tokens.size() >= kLargestVocabulary) return malformed(place + " > " + std::to_string(kLargestVocabulary));
    m_settings.tokens.push_back(token.content);
    m_ids.emplace(token.content, next);
  }
  m_settings.added.push_back(std::move(token));
  return true;
}

void TokenizerReader::findPadding(const json& options, const json& stored) {
  const auto& named = memberOf(options, "pad_token");
  const auto& content = named.is_object() ? memberOf(named, "content") : named;
  std::optional<std::int32_t> id;
  if (content.is_string()) id = idOf(content.get<std::string>());
  if (!id) id = idIn(memberOf(stored, "pad_id"));
  if (!id) id = idOf("[PAD]");
  m_settings.pad = id.value_or(-1);
}

}  // namespace atelier::pretrained
