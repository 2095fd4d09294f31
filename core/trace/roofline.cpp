#include "roofline.h"

#include <algorithm>

namespace atelier::trace {
namespace {

// The rate that the row could have had at best. A row whose share of its peak is known gives it away: that was the peak of its
// dtype.
double peakOf(const OperatorRow& row, const Peaks& peaks) {
  if (row.peak_share > 0) return row.flops_per_second / row.peak_share;
  return peaks.peakFor("");
}

RooflinePoint pointOf(const OperatorRow& row, std::int64_t time, const Peaks& peaks) {
  RooflinePoint point;
  point.name = row.name;
  point.self_ns = time;
  point.intensity = row.flops / static_cast<double>(row.bytes);
  point.flops_per_second = row.flops_per_second > 0 ? row.flops_per_second : row.flops / static_cast<double>(time) * 1e9;
  const double peak = peakOf(row, peaks), fed = point.intensity * peaks.bytes_per_second;
  if (peak > 0 && fed > 0) point.roof = std::min(peak, fed);
  else point.roof = std::max(peak, fed);
  point.memory_bound = fed > 0 && fed < peak;
  if (point.roof > 0) point.share = point.flops_per_second / point.roof;
  return point;
}

}  // namespace

std::vector<RooflinePoint> roofline(const std::vector<OperatorRow>& operators, const Peaks& peaks) {
  std::vector<RooflinePoint> points;
  for (const auto& row : operators) {
    const auto time = row.device_self_ns > 0 ? row.device_self_ns : row.self_ns;
    if (row.flops > 0 && row.bytes > 0 && time > 0) points.push_back(pointOf(row, time, peaks));
  }
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.self_ns > b.self_ns; });
  return points;
}

}  // namespace atelier::trace
