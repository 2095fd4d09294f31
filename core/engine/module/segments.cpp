#include "segments.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace atelier::engine {

std::vector<BlockSpan> evenSpans(const std::vector<std::size_t>& rows, std::size_t recomputed, std::size_t every) {
  std::vector<BlockSpan> spans;
  std::size_t begin = 0;
  for (const auto row : rows) {
    const auto end = std::min(begin + row, recomputed);
    for (auto first = begin; first < end; first += std::min(every, end - first))
      spans.push_back({first, first + std::min(every, end - first)});
    begin += row;
  }
  return spans;
}

std::size_t squareRootSegment(std::size_t blocks) {
  if (blocks == 0) return 1;
  // One segment would save nothing.
  const auto segments = std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(blocks)))));
  return (blocks + segments - 1) / segments;
}

std::int64_t predictedPeak(const BlockCosts& costs, const std::vector<BlockSpan>& spans) {
  std::int64_t kept = 0, peak = 0;
  // A block's backward pass begins when its graph stands, and so do those of the blocks before it that keep theirs.
  const auto stands = [&](std::int64_t bytes) { peak = std::max(peak, costs.base + bytes + costs.working); };
  auto span = spans.begin();
  for (std::size_t i = 0; i < costs.inputs.size();) {
    if (span == spans.end() || i < span->first) {
      kept += costs.inputs[i] + costs.inner[i];
      stands(kept);
      ++i;
      continue;
    }
    auto again = kept;
    for (i = span->first; i < span->end; ++i) {
      again += costs.inputs[i] + costs.inner[i];
      stands(again);
    }
    kept += costs.inputs[span->first];
    ++span;
  }
  return std::max(peak, costs.head + kept);
}

SegmentChoice chooseSegments(const BlockCosts& costs, const std::vector<std::size_t>& rows, std::int64_t budget) {
  const auto blocks = std::accumulate(rows.begin(), rows.end(), std::size_t{0});
  SegmentChoice lowest;
  for (std::size_t recomputed = 0; recomputed <= blocks; ++recomputed) {
    // Longer segments than the square root keep fewer inputs, but never so many fewer as they compute again at once.
    const auto longest = recomputed == 0 ? 1 : 2 * squareRootSegment(recomputed);
    for (std::size_t every = 1; every <= longest; ++every) {
      SegmentChoice choice{evenSpans(rows, recomputed, every), recomputed, 0};
      choice.peak = predictedPeak(costs, choice.spans);
      if (choice.peak <= budget) return choice;
      const bool first = recomputed == 0 && every == 1;
      if (first || choice.peak < lowest.peak) lowest = std::move(choice);
    }
  }
  return lowest;
}

}  // namespace atelier::engine
