#include "intervals.h"

#include <algorithm>
#include <cstddef>

namespace atelier::trace {

Intervals united(Intervals stretches) {
  std::erase_if(stretches, [](const Interval& stretch) { return stretch.to <= stretch.from; });
  const auto earlier = [](const Interval& a, const Interval& b) { return a.from < b.from; };
  if (!std::is_sorted(stretches.begin(), stretches.end(), earlier)) std::sort(stretches.begin(), stretches.end(), earlier);
  Intervals set;
  for (const auto& stretch : stretches) {
    if (set.empty() || stretch.from > set.back().to) set.push_back(stretch);
    else set.back().to = std::max(set.back().to, stretch.to);
  }
  return set;
}

Intervals common(const Intervals& a, const Intervals& b) {
  Intervals set;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const auto from = std::max(a[i].from, b[j].from), to = std::min(a[i].to, b[j].to);
    if (from < to) set.push_back({from, to});
    if (a[i].to < b[j].to) ++i;
    else ++j;
  }
  return set;
}

Intervals without(const Intervals& a, const Intervals& b) {
  Intervals set;
  std::size_t j = 0;
  for (auto rest : a) {
    while (j < b.size() && b[j].to <= rest.from) ++j;
    for (auto k = j; k < b.size() && b[k].from < rest.to; ++k) {
      if (b[k].from > rest.from) set.push_back({rest.from, b[k].from});
      rest.from = std::min(b[k].to, rest.to);
    }
    if (rest.from < rest.to) set.push_back(rest);
  }
  return set;
}

std::int64_t lengthOf(const Intervals& set) {
  std::int64_t length = 0;
  for (const auto& stretch : set) length += stretch.to - stretch.from;
  return length;
}

}  // namespace atelier::trace
