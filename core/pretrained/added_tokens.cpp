#include "added_tokens.h"

#include <algorithm>

#include "unicode_text.h"

namespace atelier::pretrained {
namespace {

char32_t lastOf(std::string_view text) {
  auto at = text.size() - 1;
  while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  const char* from = text.data() + at;
  return decodeUtf8(from);
}

char32_t firstOf(std::string_view text) {
  const char* from = text.data();
  return decodeUtf8(from);
}

bool is(std::uint8_t flag, char32_t code) {
  return (infoOf(code).flags & flag) != 0;
}

bool standsAlone(std::string_view left, std::string_view right) {
  return (left.empty() || !is(CharInfo::kWord, lastOf(left))) && (right.empty() || !is(CharInfo::kWord, firstOf(right)));
}

std::size_t withoutSpaceAtEnd(std::string_view text) {
  char bytes[4];
  while (!text.empty() && is(CharInfo::kWhite, lastOf(text))) text.remove_suffix(encodeUtf8(lastOf(text), bytes));
  return text.size();
}

std::size_t spaceAtStart(std::string_view text) {
  const char *at = text.data(), *const end = at + text.size();
  std::size_t length = 0;
  while (at < end && is(CharInfo::kWhite, decodeUtf8(at))) length = static_cast<std::size_t>(at - text.data());
  return length;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : m_tokens(std::move(tokens)) {
  std::sort(m_tokens.begin(), m_tokens.end(), [](const auto& a, const auto& b) { return a.content < b.content; });
  for (std::size_t i = 0; i < m_tokens.size(); ++i) {
    const auto byte = static_cast<unsigned char>(m_tokens[i].content.front());
    m_starts[byte] = true;
    auto& [begin, end] = m_from[byte];
    if (end == 0) begin = i;
    end = i + 1;
  }
}

// Narrows the sorted tokens byte by byte: the shorter of two that begin alike comes first.
const AddedToken* AddedTokens::longest(std::string_view rest) const {
  const AddedToken* best = nullptr;
  auto [begin, end] = m_from[static_cast<unsigned char>(rest.front())];
  for (std::size_t depth = 1; begin < end; ++depth) {
    if (m_tokens[begin].content.size() == depth) best = &m_tokens[begin++];
    if (depth == rest.size()) break;
    const auto byteOf = [depth](const AddedToken& token) { return static_cast<unsigned char>(token.content[depth]); };
    const auto wanted = static_cast<unsigned char>(rest[depth]);
    const auto first = m_tokens.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = m_tokens.begin() + static_cast<std::ptrdiff_t>(end);
    const auto low = std::lower_bound(first, last, wanted, [&](const AddedToken& t, unsigned char b) { return byteOf(t) < b; });
    const auto high = std::upper_bound(low, last, wanted, [&](unsigned char b, const AddedToken& t) { return b < byteOf(t); });
    begin = static_cast<std::size_t>(low - m_tokens.begin());
    end = static_cast<std::size_t>(high - m_tokens.begin());
  }
  return best;
}

std::optional<AddedTokens::Match> AddedTokens::next(std::string_view text, Cursor& cursor) const {
  while (cursor.search < text.size()) {
    const bool starts = m_starts[static_cast<unsigned char>(text[cursor.search])];
    const auto* token = starts ? longest(text.substr(cursor.search)) : nullptr;
    if (!token) {
      ++cursor.search;
      continue;
    }
    Match match{cursor.search, cursor.search + token->content.size(), token->id};
    cursor.search = match.end;
    const auto left = text.substr(0, match.begin), right = text.substr(match.end);
    if (token->single_word && !standsAlone(left, right)) continue;
    if (token->lstrip) match.begin = std::max(withoutSpaceAtEnd(left), cursor.taken);
    if (token->rstrip) match.end += spaceAtStart(right);
    cursor.taken = match.end;
    return match;
  }
  return std::nullopt;
}

}  // namespace atelier::pretrained
