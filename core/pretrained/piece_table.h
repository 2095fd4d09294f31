// A piece's bytes → its id: open addressing, filled at most half, built once. Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atelier::pretrained {

class PieceTable {
 public:
  static constexpr std::uint64_t kStart = 14695981039346656037U;
  // FNV-1a: the hash of a text is that of its beginning, taken on byte by byte.
  static std::uint64_t step(std::uint64_t hash, char byte) {
    return (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  }
  static std::uint64_t hashOf(std::string_view text, std::uint64_t hash = kStart);

  // The first `count` tokens, which must outlive the table.
  PieceTable(const std::vector<std::string>& tokens, std::size_t count);
  // False: there is no such piece. Costs far less than find(), which misses the caches.
  bool mayHave(std::uint64_t hash) const {
    const auto bit = hash >> 20 & m_filter_mask;
    return (m_filter[bit / 64] >> bit % 64 & 1) != 0;
  }
  // −1: none. `hash` is that of head and tail in one.
  std::int32_t find(std::uint64_t hash, std::string_view head, std::string_view tail) const;
  std::size_t longest() const { return m_longest; }  // bytes

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::int32_t id = -1;
  };

  const std::vector<std::string>& m_tokens;
  std::vector<Slot> m_slots;
  std::vector<std::uint64_t> m_filter;  // a bit for each piece's hash
  std::size_t m_mask = 0, m_filter_mask = 0, m_longest = 0;
};

}  // namespace atelier::pretrained
