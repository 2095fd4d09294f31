#include "memory.h"

#include <algorithm>
#include <utility>

#include "memory_account.h"
#include "saturating.h"
#include "tree.h"

namespace atelier::trace {
namespace {

// First, last, and of each bucket in between the lowest and the highest, so that no spike is lost.
std::vector<MemoryPoint> thinned(std::vector<MemoryPoint> all, const MemoryPoint& peak, std::size_t points) {
  if (all.size() <= points) return all;
  if (points < 4) return {peak};
  std::vector<MemoryPoint> kept{all.front()};
  const std::size_t buckets = (points - 2) / 2, inner = all.size() - 2;
  const auto less = [](const MemoryPoint& a, const MemoryPoint& b) { return a.total() < b.total(); };
  for (std::size_t i = 0; i < buckets; ++i) {
    const auto from = all.begin() + 1 + static_cast<std::ptrdiff_t>(inner * i / buckets);
    const auto to = all.begin() + 1 + static_cast<std::ptrdiff_t>(inner * (i + 1) / buckets);
    auto first = std::min_element(from, to, less), second = std::max_element(from, to, less);
    if (second < first) std::swap(first, second);
    kept.push_back(*first);
    if (first != second) kept.push_back(*second);
  }
  kept.push_back(all.back());
  return kept;
}

// In order.
std::vector<std::int64_t> stepEnds(const Trace& trace) {
  std::vector<std::int64_t> ends;
  for (const auto& event : trace.events)
    if (event.kind == Kind::Step && !trace.onDevice(event)) ends.push_back(event.end());
  std::sort(ends.begin(), ends.end());
  return ends;
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  const auto low = values[middle - 1], high = values[middle];
  return low / 2 + high / 2 + (low % 2 + high % 2) / 2;  // their sum may not fit
}

std::int64_t growth(const std::vector<std::int64_t>& liveAtEnds) {
  std::vector<std::int64_t> changes;
  for (std::size_t i = 1; i < liveAtEnds.size(); ++i) changes.push_back(liveAtEnds[i] - liveAtEnds[i - 1]);
  return median(std::move(changes));
}

// Allocations inside the steps.
void countPerStep(const Trace& trace, const MemoryAccount& account, std::size_t steps, MemoryReport& report) {
  if (steps == 0) return;
  const auto span = stepsSpan(trace);
  std::int64_t count = 0, bytes = 0;
  for (const auto& change : trace.memory) {
    if (!account.concerns(change) || change.bytes < 0 || change.time < span.from || change.time >= span.to) continue;
    ++count;
    bytes = addSaturating(bytes, change.bytes);
  }
  report.allocations_per_step = static_cast<double>(count) / static_cast<double>(steps);
  report.allocated_bytes_per_step = static_cast<double>(bytes) / static_cast<double>(steps);
}

}  // namespace

std::int64_t MemoryPoint::total() const {
  std::int64_t all = 0;
  for (const auto one : bytes) all = addSaturating(all, one);
  return all;
}

MemoryReport memoryReport(const Trace& trace, int device, std::size_t points, std::size_t most) {
  MemoryAccount account(trace, device);
  const auto ends = stepEnds(trace);
  MemoryReport report;
  report.peak.bytes = account.live();
  std::vector<MemoryPoint> timeline{report.peak};
  std::vector<std::int64_t> liveAtEnds;
  std::size_t peakMoment = 0;
  for (const auto& change : trace.memory) {
    if (!account.concerns(change)) continue;
    while (liveAtEnds.size() < ends.size() && ends[liveAtEnds.size()] < change.time)
      liveAtEnds.push_back(timeline.back().total());
    account.take(change);
    timeline.push_back({change.time, account.live()});
    if (timeline.back().total() > report.peak.total()) {
      report.peak = timeline.back();
      peakMoment = account.moment();
    }
    if (change.bytes < 0) continue;
    ++report.allocations;
    report.allocated_bytes = addSaturating(report.allocated_bytes, change.bytes);
  }
  liveAtEnds.resize(ends.size(), timeline.back().total());
  report.growth_per_step = growth(liveAtEnds);
  countPerStep(trace, account, ends.size(), report);
  report.at_peak = account.liveAfter(peakMoment, most);
  const bool nothing = account.moment() == 0 && report.peak.total() == 0;
  if (!nothing) report.timeline = thinned(std::move(timeline), report.peak, points);
  return report;
}

}  // namespace atelier::trace
