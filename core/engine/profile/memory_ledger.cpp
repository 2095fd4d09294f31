#include "memory_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace atelier::engine {

using trace::Allocation;
using trace::Category;

void MemoryLedger::add(std::vector<Allocation> seen, const std::vector<MemoryBorder>& borders, std::int32_t track) {
  const auto byTime = [](const Allocation& a, const Allocation& b) { return a.time < b.time; };
  std::stable_sort(seen.begin(), seen.end(), byTime);
  const auto first = static_cast<std::ptrdiff_t>(m_trace.memory.size());
  if (m_began) {
    if (!borders.empty()) freeAll(borders.front().time);
  } else if (!borders.empty()) {
    m_trace.memory_at_start = borders.front().live;
    std::copy(std::begin(borders.front().live.bytes), std::end(borders.front().live.bytes), m_live.begin());
  }
  m_began = true;
  auto border = borders.begin();
  for (const auto& allocation : seen) {
    for (; border != borders.end() && border->time <= allocation.time; ++border) agree(*border, track);
    enter(allocation);
  }
  for (; border != borders.end(); ++border) agree(*border, track);
  for (const auto& unseen : m_unseen) {
    if (unseen.bytes == 0) continue;
    const auto address = ++m_invented;
    m_blocks[{m_device, address}] = {unseen.bytes, track, unseen.category};
    m_trace.memory.push_back({unseen.time, unseen.bytes, address, track, m_device, unseen.category});
  }
  m_unseen.clear();
  std::stable_sort(m_trace.memory.begin() + first, m_trace.memory.end(), byTime);
}

// Blocks of an earlier window: whether they were freed since nobody saw; the border tells what is live all the same.
void MemoryLedger::freeAll(std::int64_t time) {
  for (const auto& [place, block] : m_blocks)
    append({time, -block.bytes, place.second, block.track, place.first, block.category});
  m_blocks.clear();
}

void MemoryLedger::agree(const MemoryBorder& border, std::int32_t track) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < trace::kCategories; ++i) {
    const auto bytes = border.live.bytes[i] - m_live[i];
    total += bytes;
    if (m_device < 0) difference(border.time, bytes, static_cast<Category>(i), track);
  }
  if (m_device >= 0) difference(border.time, total, Category::Unknown, track);
}

void MemoryLedger::difference(std::int64_t time, std::int64_t bytes, Category category, std::int32_t track) {
  if (bytes < 0) append({time, bytes, 0, track, m_device, category});
  if (bytes <= 0) return;
  m_unseen.push_back({time, bytes, category});
  m_live[static_cast<std::size_t>(category)] += bytes;
}

void MemoryLedger::enter(Allocation allocation) {
  const std::pair place(allocation.device, allocation.address);
  if (allocation.bytes > 0) {
    m_blocks[place] = {allocation.bytes, allocation.event, allocation.category};
  } else if (const auto found = m_blocks.find(place); found != m_blocks.end()) {
    allocation.category = found->second.category;
    m_blocks.erase(found);
  } else if (allocation.device == m_device) {
    const auto unseen = std::find_if(m_unseen.begin(), m_unseen.end(), [&](const Unseen& one) {
      return one.category == allocation.category && one.bytes >= -allocation.bytes;
    });
    if (unseen != m_unseen.end()) {
      auto made = allocation;
      made.time = unseen->time;
      made.bytes = -allocation.bytes;
      unseen->bytes -= made.bytes;
      m_trace.memory.push_back(made);  // counted as live at the border already
    }
  }
  append(allocation);
}

void MemoryLedger::append(const Allocation& allocation) {
  m_trace.memory.push_back(allocation);
  if (allocation.device == m_device) m_live[static_cast<std::size_t>(allocation.category)] += allocation.bytes;
}

}  // namespace atelier::engine
