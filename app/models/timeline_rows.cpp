#include "timeline_rows.h"

#include <algorithm>
#include <cmath>

namespace atelier::app {

void TimelineRows::reserve(std::size_t stretches) {
  m_from.reserve(stretches);
  m_to.reserve(stretches);
  m_ids.reserve(stretches);
  m_tints.reserve(stretches);
}

void TimelineRows::add(std::int64_t from, std::int64_t to, Tint tint, std::int32_t id) {
  m_from.push_back(from);
  m_to.push_back(to);
  m_tints.push_back(tint);
  m_ids.push_back(id);
}

void TimelineRows::endRow() {
  m_ends.push_back(m_from.size());
}

void TimelineRows::finish() {
  m_blocks.clear();
  m_blocks.reserve(size() / kBlock + 1);
  Sums sums{};
  for (std::size_t begin = 0; begin < size(); begin += kBlock) {
    m_blocks.push_back(sums);
    addTimes(begin, std::min(begin + kBlock, size()), sums);
  }
  m_blocks.push_back(sums);
}

// One more than its time, so that what takes no time still has a tint.
void TimelineRows::addTimes(std::size_t begin, std::size_t end, Sums& sums) const {
  for (auto i = begin; i < end; ++i) sums[static_cast<std::size_t>(m_tints[i])] += m_to[i] - m_from[i] + 1;
}

Tint TimelineRows::mostOf(std::size_t begin, std::size_t end) const {
  Sums sums{};
  const auto firstBlock = (begin + kBlock - 1) / kBlock, lastBlock = end / kBlock;
  if (firstBlock >= lastBlock) {
    addTimes(begin, end, sums);
  } else {
    addTimes(begin, firstBlock * kBlock, sums);
    for (std::size_t tint = 0; tint < kTints; ++tint) sums[tint] += m_blocks[lastBlock][tint] - m_blocks[firstBlock][tint];
    addTimes(lastBlock * kBlock, end, sums);
  }
  return static_cast<Tint>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

// In a row, starts and ends only rise. The one that is looked for is most often near: steps that double find it.
std::size_t TimelineRows::firstStartingAt(std::size_t begin, std::size_t end, double time) const {
  std::size_t step = 1, low = begin;
  while (low + step < end && static_cast<double>(m_from[low + step]) < time) {
    low += step;
    step *= 2;
  }
  const auto from = m_from.begin();
  const auto high = std::min(low + step + 1, end);
  const auto found = std::partition_point(from + static_cast<std::ptrdiff_t>(low), from + static_cast<std::ptrdiff_t>(high),
                                          [time](std::int64_t start) { return static_cast<double>(start) < time; });
  return static_cast<std::size_t>(found - from);
}

std::size_t TimelineRows::firstEndingAt(std::size_t begin, std::size_t end, double time) const {
  const auto to = m_to.begin();
  const auto found = std::partition_point(to + static_cast<std::ptrdiff_t>(begin), to + static_cast<std::ptrdiff_t>(end),
                                          [time](std::int64_t stop) { return static_cast<double>(stop) < time; });
  return static_cast<std::size_t>(found - to);
}

TimelineBox TimelineRows::boxOf(std::size_t begin, std::size_t end) const {
  TimelineBox box;
  box.from = m_from[begin];
  box.to = m_to[end - 1];
  box.first = begin;
  box.count = end - begin;
  box.tint = box.count == 1 ? m_tints[begin] : mostOf(begin, end);
  return box;
}

void TimelineRows::visible(std::size_t row, double from, double to, double pixel, std::vector<TimelineBox>& boxes) const {
  boxes.clear();
  const auto end = this->end(row);
  const auto isWide = [this, pixel](std::size_t i) { return static_cast<double>(m_to[i] - m_from[i]) >= pixel; };
  auto i = firstEndingAt(begin(row), end, std::floor(from / pixel) * pixel);
  while (i < end && static_cast<double>(m_from[i]) < to) {
    auto next = i + 1;
    if (!isWide(i)) {
      const double start = static_cast<double>(m_from[i]);
      next = std::max(next, firstStartingAt(i, end, (std::floor(start / pixel) + 1) * pixel));
      // Only the last one of a pixel can be wide: it reaches into the next.
      if (next > i + 1 && isWide(next - 1)) --next;
    }
    boxes.push_back(boxOf(i, next));
    i = next;
  }
}

std::optional<std::size_t> TimelineRows::at(std::size_t row, double time, double reach) const {
  const auto first = begin(row), last = end(row);
  if (first == last) return std::nullopt;
  const auto after = firstEndingAt(first, last, std::floor(time) + 1);  // times are whole numbers
  const double ahead = after < last ? static_cast<double>(m_from[after]) - time : INFINITY;
  if (ahead <= 0) return after;
  const double behind = after > first ? time - static_cast<double>(m_to[after - 1]) : INFINITY;
  if (std::min(ahead, behind) > reach) return std::nullopt;
  return ahead < behind ? after : after - 1;
}

}  // namespace atelier::app
