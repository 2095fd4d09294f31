#include "piece_table.h"

#include <algorithm>

namespace atelier::pretrained {

std::uint64_t PieceTable::hashOf(std::string_view text, std::uint64_t hash) {
  for (const char byte : text) hash = step(hash, byte);
  return hash;
}

PieceTable::PieceTable(const std::vector<std::string>& tokens, std::size_t count) : m_tokens(tokens) {
  std::size_t size = 16;
  while (size < 2 * count) size *= 2;
  m_slots.resize(size);
  m_mask = size - 1;
  m_filter.resize(2 * size / 64 + 1);
  m_filter_mask = 2 * size - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto hash = hashOf(tokens[i]);
    const auto bit = hash >> 20 & m_filter_mask;
    m_filter[bit / 64] |= std::uint64_t{1} << bit % 64;
    auto at = (hash ^ hash >> 32) & m_mask;
    while (m_slots[at].id >= 0) at = (at + 1) & m_mask;
    m_slots[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
    m_longest = std::max(m_longest, tokens[i].size());
  }
}

std::int32_t PieceTable::find(std::uint64_t hash, std::string_view head, std::string_view tail) const {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (auto at = (hash ^ hash >> 32) & m_mask; m_slots[at].id >= 0; at = (at + 1) & m_mask) {
    if (m_slots[at].tag != tag) continue;
    const std::string_view token = m_tokens[static_cast<std::size_t>(m_slots[at].id)];
    if (token.size() == head.size() + tail.size() && token.starts_with(head) && token.ends_with(tail)) return m_slots[at].id;
  }
  return -1;
}

}  // namespace atelier::pretrained
