// Follows the allocations and frees of one device through a trace: what is live, by category, and which tensors. Frees of what
// was there before the trace are taken from its account at the start, never below zero. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "memory.h"

namespace atelier::trace {

using CategoryBytes = std::array<std::int64_t, kCategories>;

// The device on which the work ran, whose memory the trace's account of the start tells of: the first GPU, else the host.
int homeDevice(const Trace& trace);

class MemoryAccount {
 public:
  MemoryAccount(const Trace& trace, int device);

  const CategoryBytes& live() const { return m_live; }
  bool concerns(const Allocation& change) const { return change.device == m_device && change.bytes != 0; }
  // In the order of the trace. REQUIRES: concerns(change).
  void take(const Allocation& change);
  // Changes taken so far.
  std::size_t moment() const { return m_moment; }
  // The tensors that were live after `moment` changes, largest first.
  std::vector<LiveTensor> liveAfter(std::size_t moment, std::size_t most) const;

 private:
  void begin(const Allocation& change);
  void end(std::size_t index, std::int64_t time);
  void freeFromBefore(std::int64_t bytes, Category category);
  std::int64_t freedFromBefore() const;

  const Trace& m_trace;
  int m_device;
  CategoryBytes m_start{}, m_live{};  // m_start: what is left of it
  std::unordered_map<std::uint64_t, std::size_t> m_byAddress;
  std::vector<LiveTensor> m_tensors;
  std::vector<std::size_t> m_born, m_died;  // moments, one a tensor
  std::size_t m_moment = 0;
};

}  // namespace atelier::trace
