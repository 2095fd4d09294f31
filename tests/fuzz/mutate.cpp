#include "mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace atelier::fuzz {
namespace {

constexpr std::array kNumbers{"0",
                              "-1",
                              "1",
                              "-0",
                              "65536",
                              "2147483648",
                              "9223372036854775807",
                              "1e308",
                              "-1e308",
                              "1e-320",
                              "1e999",
                              "0.1",
                              "-9223372036854775808",
                              "18446744073709551616",
                              "1.5",
                              "00",
                              "1e",
                              "0x10",
                              "99999999999999999999999999",
                              "4611686018427387904"};
constexpr std::array kPieces{
    "{",  "}", "[", "]",  "\"", ":", ",", "\n",   "\r\n", "\\",       "\\u0000",      "\\ud800",          "null", "true",
    "\t", "#", "=", "..", "/",  "@", "`", "\x7f", "\xff", "\xc3\x28", "\xe2\x80\xaf", "\xf0\x9f\x92\xa5", "(",    ")"};

bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string Mutator::next() {
  auto text = m_pool[below(m_pool.size())];
  const auto changes = 1 + below(6);
  for (std::size_t i = 0; i < changes; ++i) mutate(text);
  if (text.size() > kLargestInput) text.resize(kLargestInput);
  return text;
}

std::string Mutator::word() {
  if (!m_words.empty() && below(3) != 0) return m_words[below(m_words.size())];
  if (below(3) == 0) return kNumbers[below(kNumbers.size())];
  if (below(20) == 0) return std::string(1, '\0');
  return kPieces[below(kPieces.size())];
}

void Mutator::mutate(std::string& text) {
  switch (const auto kind = below(14)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return changeBytes(text, kind);
    case 4:
    case 5:
    case 6:
      return changeNumber(text);
    case 7:
      return swapLines(text);
    case 8:
      return nest(text);
    case 9:
      return splice(text);
    default:
      text.insert(below(text.size() + 1), word());
  }
}

void Mutator::changeBytes(std::string& text, std::size_t kind) {
  if (text.empty()) return;
  const auto at = below(text.size());
  const auto length = 1 + below(below(4) == 0 ? text.size() - at : std::min<std::size_t>(8, text.size() - at));
  if (kind == 0) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
  else if (kind == 1) text.erase(at, length);
  else if (kind == 2) text.insert(below(text.size() + 1), text.substr(at, length));
  else text.replace(at, length, word());
}

// A number near a random place becomes another.
void Mutator::changeNumber(std::string& text) {
  auto at = text.find_first_of("0123456789", below(text.size() + 1));
  if (at == std::string::npos) at = text.find_first_of("0123456789");
  if (at == std::string::npos) return;
  auto end = at;
  while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) ++end;
  text.replace(at, end - at, kNumbers[below(kNumbers.size())]);
}

void Mutator::swapLines(std::string& text) {
  const auto lineAt = [&text](std::size_t at) {
    const auto before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const auto begin = before == std::string::npos ? 0 : before + 1, end = text.find('\n', at);
    return std::pair(begin, end == std::string::npos ? text.size() : end + 1);
  };
  const auto [begin, end] = lineAt(below(text.size() + 1));
  const auto line = text.substr(begin, end - begin);
  if (below(2) == 0) text.erase(begin, end - begin);
  text.insert(lineAt(below(text.size() + 1)).first, line);
}

void Mutator::nest(std::string& text) {
  static constexpr std::array kOpening{"[", "{\"a\":", "((", "not ", "[[a]]\n", "a.", "> ", "### hint\n"};
  const std::string piece = kOpening[below(kOpening.size())];
  std::string all;
  for (std::size_t i = 1 + below(400); i > 0; --i) all += piece;
  text.insert(below(text.size() + 1), all);
}

// The beginning of this one and the end of another.
void Mutator::splice(std::string& text) {
  const auto& other = m_pool[below(m_pool.size())];
  text.resize(below(text.size() + 1));
  text += other.substr(below(other.size() + 1));
}

}  // namespace atelier::fuzz
