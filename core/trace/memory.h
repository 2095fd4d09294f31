// Memory of a trace over time, by category, and what was alive at its peak. Any thread. REQUIRES: trace.finish().
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trace.h"

namespace atelier::trace {

struct MemoryPoint {
  std::int64_t time = 0;
  std::array<std::int64_t, kCategories> bytes{};  // live, by Category
  std::int64_t total() const;
};

struct LiveTensor {
  std::int64_t bytes = 0, since = 0, until = -1;  // −1: not freed within the trace
  Category category = Category::Unknown;
  std::int32_t event = -1;  // operator that allocated it
  std::int32_t module = -1;
  std::uint64_t address = 0;
};

struct MemoryReport {
  // What was live when the trace began, then one an allocation or free; thinned to `points`, the peak always kept. Empty:
  // nothing known.
  std::vector<MemoryPoint> timeline;
  MemoryPoint peak;
  std::vector<LiveTensor> at_peak;  // allocated within the trace, largest first
  std::int64_t allocations = 0, allocated_bytes = 0;
  double allocations_per_step = 0, allocated_bytes_per_step = 0;
  std::int64_t growth_per_step = 0;  // median change of live bytes from one step's end to the next: a leak when > 0
};

// Of one device; −1: the host.
MemoryReport memoryReport(const Trace& trace, int device, std::size_t points = 4000, std::size_t most = 200);

}  // namespace atelier::trace
