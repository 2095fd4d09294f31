#include "json_scan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/wire/utf8.h"

namespace atelier::trace {
namespace {

constexpr std::size_t kLongestText = 1 << 20, kLongestNumber = 1 << 18, kShown = 20;
constexpr unsigned kReplacement = 0xFFFD;

// Bytes of a text that stand for themselves.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < plain.size(); ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Of numbers and words: all that can't be anything else.
bool isBare(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

std::size_t digitsFrom(std::string_view text, std::size_t at) {
  while (at < text.size() && isDigit(text[at])) ++at;
  return at;
}

bool isNumber(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto whole = digitsFrom(text, at);
  if (whole == at || (text[at] == '0' && whole > at + 1)) return false;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const auto end = digitsFrom(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const auto end = digitsFrom(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

bool isNotFinite(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text == "NaN" || text == "Infinity" || text == "nan" || text == "inf";
}

int hexOf(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

JsonFault JsonScanner::run() {
  if (refill() && std::string_view(m_at, static_cast<std::size_t>(m_end - m_at)).starts_with("\xEF\xBB\xBF")) m_at += 3;
  do {
    if (!step(nextVisible())) return m_fault;
  } while (!m_open.empty());
  if (const int c = nextVisible(); c >= 0) fault(JsonFault::Kind::Unexpected, c);
  return m_fault;
}

bool JsonScanner::refill() {
  m_before += m_end - m_begin;
  const auto piece = m_more();
  m_begin = m_at = piece.data();
  m_end = m_begin + piece.size();
  return !piece.empty();
}

int JsonScanner::next() {
  if (m_at == m_end && !refill()) return -1;
  return static_cast<unsigned char>(*m_at++);
}

int JsonScanner::nextVisible() {
  for (;;) {
    const int c = next();
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
  }
}

bool JsonScanner::step(int c) {
  if (c < 0) return fault(JsonFault::Kind::Ended, c);
  switch (m_await) {
    case Await::ValueOrEnd:
      if (c != ']') return value(c);
      close();
      return true;
    case Await::Value:
      return value(c);
    case Await::KeyOrEnd:
      if (c != '}') return member(c);
      close();
      return true;
    case Await::Key:
      return member(c);
    case Await::CommaOrEnd:
      break;
  }
  return commaOrEnd(c);
}

bool JsonScanner::value(int c) {
  if (c == '{' || c == '[') return open(static_cast<char>(c));
  m_await = Await::CommaOrEnd;
  if (c != '"') return bare(c);
  if (!quoted()) return false;
  m_sink.text(m_text);
  return true;
}

bool JsonScanner::member(int c) {
  if (c != '"') return fault(JsonFault::Kind::Unexpected, c);
  if (!quoted()) return false;
  m_sink.key(m_text);
  const int colon = nextVisible();
  if (colon != ':') return fault(colon < 0 ? JsonFault::Kind::Ended : JsonFault::Kind::Unexpected, colon);
  m_await = Await::Value;
  return true;
}

bool JsonScanner::commaOrEnd(int c) {
  const bool object = m_open.back() == '{';
  if (c == ',') {
    m_await = object ? Await::Key : Await::Value;
    return true;
  }
  if (c != (object ? '}' : ']')) return fault(JsonFault::Kind::Unexpected, c);
  close();
  return true;
}

bool JsonScanner::open(char bracket) {
  if (m_open.size() >= m_deepest) return fault(JsonFault::Kind::TooDeep, bracket);
  m_open += bracket;
  m_await = bracket == '{' ? Await::KeyOrEnd : Await::ValueOrEnd;
  m_sink.open(bracket == '{');
  return true;
}

void JsonScanner::close() {
  m_open.pop_back();
  m_await = Await::CommaOrEnd;
  m_sink.close();
}

bool JsonScanner::quoted() {
  m_text.clear();
  for (;;) {
    const char* stop = m_at;
    while (stop != m_end && kPlain[static_cast<unsigned char>(*stop)]) ++stop;
    if (stop != m_at) settle();
    put({m_at, static_cast<std::size_t>(stop - m_at)});
    m_at = stop;
    const int c = next();
    if (c < 0) return fault(JsonFault::Kind::Ended, c);
    if (c == '"') break;
    if (c == '\\') {
      if (!escape()) return false;
    } else if (kPlain[static_cast<std::size_t>(c)]) {
      --m_at;  // the first of the next piece
    } else {
      return fault(JsonFault::Kind::Unexpected, c);
    }
  }
  settle();
  return true;
}

bool JsonScanner::escape() {
  const int c = next();
  if (c == 'u') return unicode();
  settle();
  switch (c) {
    case '"':
    case '\\':
    case '/':
      putCharacter(static_cast<unsigned>(c));
      return true;
    case 'b':
      putCharacter('\b');
      return true;
    case 'f':
      putCharacter('\f');
      return true;
    case 'n':
      putCharacter('\n');
      return true;
    case 'r':
      putCharacter('\r');
      return true;
    case 't':
      putCharacter('\t');
      return true;
    default:
      return fault(c < 0 ? JsonFault::Kind::Ended : JsonFault::Kind::Unexpected, c);
  }
}

bool JsonScanner::unicode() {
  unsigned unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = next(), digit = hexOf(c);
    if (digit < 0) return fault(c < 0 ? JsonFault::Kind::Ended : JsonFault::Kind::Unexpected, c);
    unit = unit * 16 + static_cast<unsigned>(digit);
  }
  const bool low = unit >= 0xDC00 && unit <= 0xDFFF, high = unit >= 0xD800 && unit <= 0xDBFF;
  if (low && m_high != 0) {
    putCharacter(0x10000 + ((m_high - 0xD800) << 10) + (unit - 0xDC00));
    m_high = 0;
    return true;
  }
  settle();
  if (high) m_high = unit;
  else putCharacter(low ? kReplacement : unit);
  return true;
}

// Half a character whose other half doesn't come.
void JsonScanner::settle() {
  if (m_high != 0) putCharacter(kReplacement);
  m_high = 0;
}

void JsonScanner::put(std::string_view run) {
  m_text.append(run.substr(0, kLongestText - std::min(kLongestText, m_text.size())));
}

void JsonScanner::putCharacter(unsigned character) {
  char bytes[4];
  put({bytes, wire::encodeUtf8(character, bytes)});
}

bool JsonScanner::bare(int c) {
  if (!isBare(static_cast<char>(c))) return fault(JsonFault::Kind::Unexpected, c);
  const auto begin = position() - 1;
  m_text.assign(1, static_cast<char>(c));
  bool ended = false;
  while (m_text.size() <= kLongestNumber) {
    ended = m_at == m_end && !refill();
    if (ended) break;
    const char* stop = m_at;
    while (stop != m_end && isBare(*stop)) ++stop;
    m_text.append(m_at, stop);
    m_at = stop;
    if (stop != m_end) break;
  }
  if (m_text == "true" || m_text == "false" || m_text == "null") m_sink.word(m_text);
  else if (m_text.size() <= kLongestNumber && (isNumber(m_text) || isNotFinite(m_text))) m_sink.number(m_text);
  else return faultAt(ended ? JsonFault::Kind::Ended : JsonFault::Kind::Unexpected, begin, m_text);
  return true;
}

bool JsonScanner::fault(JsonFault::Kind kind, int c) {
  if (c < 0) return faultAt(kind, position(), {});
  const auto shown = std::min(kShown, static_cast<std::size_t>(m_end - m_at));
  return faultAt(kind, position() - 1, std::string(1, static_cast<char>(c)).append(m_at, shown));
}

bool JsonScanner::faultAt(JsonFault::Kind kind, std::int64_t at, std::string found) {
  found.resize(std::min(found.size(), kShown));
  for (auto& byte : found)
    if (byte < ' ' || byte > '~') byte = '?';
  m_fault = {kind, at, std::move(found)};
  return false;
}

}  // namespace atelier::trace
