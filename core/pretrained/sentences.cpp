#include "sentences.h"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/wire/number.h"
#include "plain_text.h"
#include "unicode_text.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = std::uintmax_t{64} << 20;  // bytes of a file; the largest has 1.4 MB
constexpr double kHighest = 4;

struct File {
  Source source;
  const char* name;
};

constexpr File kFiles[] = {{Source::Movies, "movieReviewSnippets_GroundTruth.txt"},
                           {Source::Products, "amazonReviewSnippets_GroundTruth.txt"},
                           {Source::News, "nytEditorialSnippets_GroundTruth.txt"},
                           {Source::Tweets, "tweets_GroundTruth.txt"}};

wire::Error damaged(const fs::path& file, const std::string& why) {
  return {wire::ExitCode::Failed, {"sentences.damaged", {{"file", file.string()}, {"why", printable(why)}}}};
}

wire::Result<std::string> readText(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return wire::Error{wire::ExitCode::Failed, {"sentences.missing", {{"file", file.string()}}}};
  const auto size = fs::file_size(file, error);
  if (error || size > kLargest) return damaged(file, error ? error.message() : std::to_string(size).append(" B"));
  std::string text(size, '\0');
  std::ifstream input(file, std::ios::binary);
  if (!input.read(text.data(), static_cast<std::streamsize>(size))) return damaged(file, std::generic_category().message(EIO));
  return text;
}

// Id, rating and text between tabs. "" when the line is sound.
std::string readLine(std::string_view line, Sentence& sentence) {
  const auto first = line.find('\t');
  const auto second = first == std::string_view::npos ? first : line.find('\t', first + 1);
  if (second == std::string_view::npos || line.find('\t', second + 1) != std::string_view::npos) return "tab";
  const auto id = line.substr(0, first), rating = line.substr(first + 1, second - first - 1), text = line.substr(second + 1);
  if (id.empty() || text.find_first_not_of(' ') == std::string_view::npos) return "\"\"";
  const auto value = wire::parseNumber(rating);
  if (!value || !(std::abs(*value) <= kHighest)) return std::string(rating).append(" ∉ [−4, 4]");
  if (!isUtf8(line)) return "UTF-8";
  sentence.id = id;
  sentence.rating = *value;
  sentence.text = text;
  return "";
}

wire::Status append(std::vector<Sentence>& all, Source source, const fs::path& file) {
  const auto content = readText(file);
  if (!content.ok()) return content.error();
  const auto before = all.size();
  std::int64_t number = 0;
  for (std::string_view rest(*content); !rest.empty();) {
    const auto end = rest.find('\n');
    auto line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    Sentence sentence;
    sentence.source = source;
    ++number;
    if (const auto why = readLine(line, sentence); !why.empty())
      return damaged(file, std::string("L").append(std::to_string(number)).append(": ").append(why));
    all.push_back(std::move(sentence));
  }
  if (all.size() == before) return damaged(file, "0 B");
  return wire::success();
}

}  // namespace

wire::Result<std::vector<Sentence>> readSentences(const fs::path& folder) {
  std::vector<Sentence> all;
  for (const auto& file : kFiles)
    if (const auto status = append(all, file.source, folder / file.name); !status.ok()) return status.error();
  return all;
}

Split splitOf(const Sentence& sentence) {
  // FNV-1a, 64 bits: simple enough to be the same in a script.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; };
  add(static_cast<char>('0' + static_cast<int>(sentence.source)));
  add(':');
  for (const char c : std::string_view(sentence.id).substr(0, sentence.id.find('_'))) add(c);
  const auto tenth = hash % 10;
  return tenth == 8 ? Split::Validation : tenth == 9 ? Split::Test : Split::Train;
}

}  // namespace atelier::pretrained
