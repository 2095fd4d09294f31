// MemoryLedger: brings the allocations that a profiler saw into agreement with what is known to have been live. A profiler sees
// the threads of the step alone, and nothing between its windows: batches that loader workers make and the step frees, blocks
// freed while nobody looked. At borders, where the live bytes are known exactly, the difference is entered; a free of a block
// that was never seen takes it from there. Host memory agrees by category, a GPU's in total.
// Times are the trace's; `event` of an allocation is its track's index, as trace::Trace::finish() wants it. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/trace/trace.h"

namespace atelier::engine {

struct MemoryBorder {
  std::int64_t time = 0;
  trace::MemoryAtStart live{};
};

class MemoryLedger {
 public:
  // `device`: whose bytes the borders tell; −1: the host's.
  MemoryLedger(trace::Trace& trace, int device) : m_trace(trace), m_device(device) {}

  // One window's allocations, in any order, and its borders by time, the first at its begin. What it enters itself it enters
  // on `track`. Of the first window it makes the trace's memory_at_start.
  void add(std::vector<trace::Allocation> seen, const std::vector<MemoryBorder>& borders, std::int32_t track);

 private:
  struct Block {
    std::int64_t bytes = 0;
    std::int32_t track = 0;
    trace::Category category = trace::Category::Unknown;
  };
  // Bytes that came to be live unseen, and of which no free has told the address yet.
  struct Unseen {
    std::int64_t time = 0, bytes = 0;
    trace::Category category = trace::Category::Unknown;
  };
  void freeAll(std::int64_t time);
  void agree(const MemoryBorder& border, std::int32_t track);
  void difference(std::int64_t time, std::int64_t bytes, trace::Category category, std::int32_t track);
  void enter(trace::Allocation allocation);
  void append(const trace::Allocation& allocation);

  trace::Trace& m_trace;
  const int m_device;
  bool m_began = false;
  std::uint64_t m_invented = 0;  // addresses for blocks without a known one: 1, 2, … are no tensor's
  std::array<std::int64_t, trace::kCategories> m_live{};
  std::map<std::pair<int, std::uint64_t>, Block> m_blocks;  // by device and address
  std::vector<Unseen> m_unseen;
};

}  // namespace atelier::engine
