// The WordPiece algorithm: text → added tokens, normalised words, and of each word the longest pieces that the vocabulary has.
// Immutable; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "added_tokens.h"
#include "piece_table.h"
#include "tokenizer.h"
#include "unicode_text.h"

namespace atelier::pretrained {

// What a tokenizer's files say.
struct WordPieceSettings {
  std::vector<std::string> tokens;  // by id: the vocabulary, then the added tokens that it does not have
  std::size_t vocabulary = 0;       // how many of them are the vocabulary's; each of these stands once
  std::vector<AddedToken> added;
  Steps steps;
  std::int32_t unknown = 0;
  std::int32_t pad = 0;
  std::string prefix = "##";         // of a piece that continues a word
  std::size_t longest_word = 100;    // code points; a longer word is unknown
  std::vector<std::int32_t> before;  // [CLS]
  std::vector<std::int32_t> after;   // [SEP]; two ids at most with those before
};

class WordPiece final : public Tokenizer {
 public:
  explicit WordPiece(WordPieceSettings settings);
  WordPiece(const WordPiece&) = delete;
  WordPiece& operator=(const WordPiece&) = delete;

  void encode(std::string_view text, std::int64_t max, Encoding& out) const override;
  const std::string& token(std::int32_t id) const override;
  std::int32_t size() const override { return static_cast<std::int32_t>(m_settings.tokens.size()); }
  std::int32_t pad() const override { return m_settings.pad; }
  std::int32_t find(std::string_view token) const override;

 private:
  class Words;
  // What an ASCII character does to the word that is being gathered.
  enum class Role : std::uint8_t { Letter, Gone, Space, Alone };
  struct Ascii {
    char byte = 0;
    Role role = Role::Letter;
  };
  using AsciiTable = std::array<Ascii, 128>;
  struct Piece {
    std::int32_t id = -1;
    std::size_t length = 0;
  };

  static AsciiTable asciiTable(const Steps& steps);
  static AddedTokens tokensFor(const WordPieceSettings& settings, bool normalized);
  bool encodeRaw(std::string_view text, Words& words) const;
  bool encodeSegment(std::string_view text, Words& words) const;
  Piece longestPiece(std::string_view rest, bool continued) const;
  void match(std::string_view word, std::uint64_t hash, std::vector<std::int32_t>& ids) const;

  const WordPieceSettings m_settings;
  const std::string m_nothing;
  const PieceTable m_table;
  const AddedTokens m_raw, m_normalized;
  const AsciiTable m_ascii, m_ascii_as_is;  // with the steps, and for text that has them behind it
  const std::uint64_t m_continued;          // the hash of the prefix
};

}  // namespace atelier::pretrained
