// Tokens that are looked for in the text before it is cut into words, as the `tokenizers` library does: the leftmost and of
// these the longest, one after the other. Immutable; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atelier::pretrained {

struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  // only where no letter, mark or digit touches it
  bool lstrip = false;       // takes the white space on its left along
  bool rstrip = false;       // … on its right
  bool normalized = false;   // looked for in the normalised text, its content normalised too
};

class AddedTokens {
 public:
  struct Match {
    std::size_t begin = 0, end = 0;  // bytes of the text
    std::int32_t id = 0;
  };
  // Where the search stands in one text.
  struct Cursor {
    std::size_t search = 0, taken = 0;
  };

  // `content` as it is looked for. REQUIRES: no content is empty or stands twice.
  explicit AddedTokens(std::vector<AddedToken> tokens);

  bool empty() const { return m_tokens.empty(); }
  // The next one in the text. A match may begin before the last one's end, whose white space it shares. REQUIRES: UTF-8.
  std::optional<Match> next(std::string_view text, Cursor& cursor) const;

 private:
  const AddedToken* longest(std::string_view rest) const;

  std::vector<AddedToken> m_tokens;                               // by content
  std::array<bool, 256> m_starts{};                               // by first byte
  std::array<std::pair<std::size_t, std::size_t>, 256> m_from{};  // where those begin and end that start with a byte
};

}  // namespace atelier::pretrained
