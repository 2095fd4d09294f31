#include "word_piece.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace atelier::pretrained {
namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// A word's bytes; on the heap only for vocabularies that allow words beyond the usual.
class WordBuffer {
 public:
  explicit WordBuffer(std::size_t size) : m_more(size > sizeof m_here ? std::make_unique<char[]>(size) : nullptr) {}
  char* data() { return m_more ? m_more.get() : m_here; }

 private:
  char m_here[512];
  std::unique_ptr<char[]> m_more;
};

}  // namespace

// Gathers words and appends their ids. Its functions return false when the limit was passed: the rest need not be read.
class WordPiece::Words {
 public:
  Words(const WordPiece& owner, Encoding& out, std::size_t limit)
      : m_owner(owner),
        m_out(out),
        m_limit(limit),
        m_longest(owner.m_settings.longest_word),
        m_buffer(4 * m_longest),
        m_word(m_buffer.data()) {}

  // Words end with the text.
  bool read(std::string_view text, const Steps& steps, const AsciiTable& ascii) {
    for (const char *at = text.data(), *const end = at + text.size(); at < end;) {
      const auto byte = static_cast<unsigned char>(*at);
      if (byte >= 0x80) {
        if (!normalise(decodeUtf8(at), steps, *this)) return false;
        continue;
      }
      ++at;
      const auto& one = ascii[byte];
      if (one.role == Role::Letter) {
        append(one.byte);
        continue;
      }
      const bool more = one.role == Role::Space ? endWord() : one.role == Role::Gone || alone(&one.byte, 1);
      if (!more) return false;
    }
    return endWord();
  }

  bool token(std::int32_t id) {
    m_out.ids.push_back(id);
    return within();
  }

  // As a sink of normalise().
  bool put(char32_t code, std::uint8_t order) {
    char bytes[4];
    const auto count = encodeUtf8(code, bytes);
    const auto flags = infoOf(code).flags;
    if ((flags & CharInfo::kWhite) != 0) return endWord();
    if ((flags & CharInfo::kPunctuation) != 0) return alone(bytes, count);
    if (order > 0) {
      insertMark(bytes, count, order);
      return true;
    }
    if (m_chars++ < m_longest)
      for (std::size_t i = 0; i < count; ++i) push(bytes[i]);
    return true;
  }
  bool space() { return endWord(); }
  void barrier() { m_marks_end = kNever; }

 private:
  void push(char byte) {
    m_word[m_size++] = byte;
    m_hash = PieceTable::step(m_hash, byte);
  }

  // Of a word that is too long only the length matters.
  void append(char byte) {
    if (m_chars++ < m_longest) push(byte);
  }

  // Before the marks of a higher class that the same letter has already.
  void insertMark(const char* bytes, std::size_t count, std::uint8_t order) {
    if (m_chars++ >= m_longest) return;
    if (m_marks_end != m_size) m_marks = m_size;
    auto at = m_marks;
    while (at < m_size) {
      const char* next = m_word + at;
      if (infoOf(decodeUtf8(next)).order > order) break;
      at = static_cast<std::size_t>(next - m_word);
    }
    std::memmove(m_word + at + count, m_word + at, m_size - at);
    std::memcpy(m_word + at, bytes, count);
    m_size += count;
    m_marks_end = m_size;
    m_hash = PieceTable::hashOf({m_word, m_size});
  }

  bool alone(const char* bytes, std::size_t count) {
    if (!endWord()) return false;
    m_chars = 1;
    for (std::size_t i = 0; i < count; ++i) push(bytes[i]);
    return endWord();
  }

  bool endWord() {
    if (m_chars == 0) return true;
    if (m_chars > m_longest) m_out.ids.push_back(m_owner.m_settings.unknown);
    else m_owner.match({m_word, m_size}, m_hash, m_out.ids);
    m_chars = m_size = 0;
    m_hash = PieceTable::kStart;
    m_marks_end = kNever;
    return within();
  }

  bool within() {
    if (m_out.ids.size() <= m_limit) return true;
    m_out.ids.resize(m_limit);
    m_out.cut = true;
    return false;
  }

  const WordPiece& m_owner;
  Encoding& m_out;
  const std::size_t m_limit, m_longest;
  WordBuffer m_buffer;
  char* const m_word;
  std::size_t m_size = 0, m_chars = 0;  // bytes kept, code points seen
  std::uint64_t m_hash = PieceTable::kStart;
  std::size_t m_marks = 0, m_marks_end = kNever;  // the sorted marks at the word's end, when they end there
};

WordPiece::WordPiece(WordPieceSettings settings)
    : m_settings(std::move(settings)),
      m_table(m_settings.tokens, m_settings.vocabulary),
      m_raw(tokensFor(m_settings, false)),
      m_normalized(tokensFor(m_settings, true)),
      m_ascii(asciiTable(m_settings.steps)),
      m_ascii_as_is(asciiTable({})),
      m_continued(PieceTable::hashOf(m_settings.prefix)) {}

AddedTokens WordPiece::tokensFor(const WordPieceSettings& settings, bool normalized) {
  std::vector<AddedToken> tokens;
  for (const auto& token : settings.added) {
    if (token.normalized != normalized) continue;
    tokens.push_back(token);
    if (normalized) tokens.back().content = normalised(token.content, settings.steps);
  }
  return AddedTokens(std::move(tokens));
}

// ASCII has no accents and no ideographs, and its lower case is one byte.
WordPiece::AsciiTable WordPiece::asciiTable(const Steps& steps) {
  AsciiTable table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& info = infoOf(static_cast<char32_t>(i));
    auto& [byte, role] = table[i];
    byte = static_cast<char>(steps.lower && info.lower != 0 ? textAt(info.lower)[0] : static_cast<char32_t>(i));
    if (steps.clean && (info.flags & CharInfo::kDropped) != 0) role = Role::Gone;
    else if ((info.flags & CharInfo::kWhite) != 0) role = Role::Space;
    else if ((info.flags & CharInfo::kPunctuation) != 0) role = Role::Alone;
  }
  return table;
}

void WordPiece::encode(std::string_view text, std::int64_t max, Encoding& out) const {
  out.cut = false;
  out.ids.assign(m_settings.before.begin(), m_settings.before.end());
  const auto ends = m_settings.before.size() + m_settings.after.size();
  const auto most = max <= 0 ? kNever : std::max(static_cast<std::size_t>(max), ends);
  Words words(*this, out, most - m_settings.after.size());
  if (isUtf8(text)) encodeRaw(text, words);
  else encodeRaw(repairUtf8(text), words);
  out.ids.insert(out.ids.end(), m_settings.after.begin(), m_settings.after.end());
}

bool WordPiece::encodeRaw(std::string_view text, Words& words) const {
  if (m_raw.empty()) return encodeSegment(text, words);
  AddedTokens::Cursor cursor;
  std::size_t taken = 0;
  while (const auto match = m_raw.next(text, cursor)) {
    if (taken < match->begin && !encodeSegment(text.substr(taken, match->begin - taken), words)) return false;
    if (!words.token(match->id)) return false;
    taken = match->end;
  }
  return encodeSegment(text.substr(taken), words);
}

// Tokens that are looked for in normalised text need it whole; without them no normalised text is ever made.
bool WordPiece::encodeSegment(std::string_view text, Words& words) const {
  if (m_normalized.empty()) return words.read(text, m_settings.steps, m_ascii);
  const auto normal = normalised(text, m_settings.steps);
  const std::string_view all = normal;
  AddedTokens::Cursor cursor;
  std::size_t taken = 0;
  while (const auto match = m_normalized.next(all, cursor)) {
    if (taken < match->begin && !words.read(all.substr(taken, match->begin - taken), {}, m_ascii_as_is)) return false;
    if (!words.token(match->id)) return false;
    taken = match->end;
  }
  return words.read(all.substr(taken), {}, m_ascii_as_is);
}

// One pass takes the hashes of all beginnings; then those that may be pieces are looked up, the longest first.
WordPiece::Piece WordPiece::longestPiece(std::string_view rest, bool continued) const {
  const std::string_view head = continued ? std::string_view(m_settings.prefix) : std::string_view();
  auto hash = continued ? m_continued : PieceTable::kStart;
  std::array<std::pair<std::uint64_t, std::size_t>, 32> likely;
  std::size_t count = 0;
  Piece best;
  const auto lookUp = [&] {
    for (; count > 0; --count) {
      const auto& [its, length] = likely[count - 1];
      const auto id = m_table.find(its, head, rest.substr(0, length));
      if (id < 0) continue;
      best = {id, length};
      count = 1;
    }
  };
  const auto most = std::min(rest.size(), m_table.longest());
  for (std::size_t length = 1; length <= most; ++length) {
    hash = PieceTable::step(hash, rest[length - 1]);
    const bool inside = length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0) == 0x80;
    if (inside || !m_table.mayHave(hash)) continue;
    if (count == likely.size()) lookUp();
    likely[count++] = {hash, length};
  }
  lookUp();
  return best;
}

void WordPiece::match(std::string_view word, std::uint64_t hash, std::vector<std::int32_t>& ids) const {
  if (m_table.mayHave(hash))
    if (const auto whole = m_table.find(hash, {}, word); whole >= 0) return ids.push_back(whole);
  const auto first = ids.size();
  for (std::size_t at = 0; at < word.size();) {
    const auto piece = longestPiece(word.substr(at), at > 0);
    if (piece.id < 0) {
      ids.resize(first);
      return ids.push_back(m_settings.unknown);
    }
    ids.push_back(piece.id);
    at += piece.length;
  }
}

const std::string& WordPiece::token(std::int32_t id) const {
  return id >= 0 && id < size() ? m_settings.tokens[static_cast<std::size_t>(id)] : m_nothing;
}

std::int32_t WordPiece::find(std::string_view token) const {
  const auto id = m_table.find(PieceTable::hashOf(token), {}, token);
  if (id >= 0) return id;
  for (auto i = m_settings.vocabulary; i < m_settings.tokens.size(); ++i)
    if (m_settings.tokens[i] == token) return static_cast<std::int32_t>(i);
  return -1;
}

}  // namespace atelier::pretrained
