// Roofline: an operator's arithmetic intensity against the rate it reached, under the roof that the machine's measured peaks
// make. Any thread.
#pragma once

#include <string>
#include <vector>

#include "machine.h"
#include "tables.h"

namespace atelier::trace {

struct RooflinePoint {
  std::int32_t name = 0;
  double intensity = 0;         // FLOP per byte
  double flops_per_second = 0;  // reached
  double roof = 0;              // FLOP/s that this intensity allows here: min(peak, intensity × bandwidth)
  double share = 0;             // reached ÷ roof
  std::int64_t self_ns = 0;
  bool memory_bound = false;
};

// Of the rows with known FLOPs and bytes, most time first.
std::vector<RooflinePoint> roofline(const std::vector<OperatorRow>& operators, const Peaks& peaks);

}  // namespace atelier::trace
