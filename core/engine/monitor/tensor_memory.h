// Exact memory of CPU tensors. TensorMemory is the CPU allocator of the process: it counts the bytes of every tensor storage
// by account (one a variant of a run) and by the phase that allocated it, enforces a budget, and keeps freed blocks for
// reuse, so that a training step does not pay for page faults again and again.
// Installed once by the worker's main before any tensor is made, and never freed. Any thread; account and phase are the
// calling thread's own. A profiler that is on in the calling thread is told of each allocation and free.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <c10/core/Allocator.h>

#include "core/wire/summary.h"

namespace atelier::engine {

enum class MemoryPhase : std::uint32_t { Weights, Gradients, Optimizer, Activations, Other };
inline constexpr std::size_t kMemoryPhases = 5;

// Counts of one variant. Any thread.
class MemoryAccount {
 public:
  explicit MemoryAccount(std::int64_t budget) : m_budget(budget) {}

  wire::MemoryBytes live() const;
  // The composition at the moment of the highest total. While frozen (evaluation) no new peak is taken.
  wire::MemoryBytes peak() const;
  void freezePeak(bool frozen) { m_frozen = frozen; }
  // The composition at the highest total since the last call: a curve of these is steady where instants would flicker with
  // the phase of the step that they happen to hit.
  wire::MemoryBytes takeRecentPeak();
  // The highest total since startWatermark(), for one observer at a time; what is live then counts.
  void startWatermark() { m_watermark.store(m_total.load(std::memory_order_relaxed), std::memory_order_relaxed); }
  std::int64_t watermark() const { return m_watermark.load(std::memory_order_relaxed); }
  std::int64_t budget() const { return m_budget; }

 private:
  friend class TensorMemory;
  // False when the budget forbids it.
  bool add(MemoryPhase phase, std::int64_t bytes);
  void remove(MemoryPhase phase, std::int64_t bytes);
  void raiseWatermark(std::int64_t total);
  void notePeak();

  const std::int64_t m_budget;  // 0: none
  std::array<std::atomic<std::int64_t>, kMemoryPhases> m_live{};
  std::atomic<std::int64_t> m_total{0}, m_highest{0}, m_recentHighest{0}, m_watermark{0};
  std::atomic<bool> m_frozen{false};
  mutable std::mutex m_mutex;
  wire::MemoryBytes m_peak, m_recentPeak;
};

class TensorMemory final : public c10::Allocator {
 public:
  // Makes a new one the process's CPU allocator. It lives as long as the process: tensors may outlive main.
  static TensorMemory& install();

  // Throws c10::OutOfMemoryError, with the account's budget and live bytes in the text, when there is no room.
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* destination, const void* source, std::size_t count) const override;

  // Bytes that `owner` holds, to be a tensor's storage: counted like a block of ours for as long as that lives, where this
  // thread has an account. Throws as allocate() does, when the budget has no room.
  static c10::DataPtr adopt(void* data, std::size_t bytes, std::shared_ptr<void> owner);
  // Accounts live as long as the allocator.
  MemoryAccount& newAccount(std::int64_t budgetBytes);
  // What this thread allocates from now on belongs to.
  void use(MemoryAccount& account);
  static void enter(MemoryPhase phase);
  // That account of this thread; null: none was given to it.
  static MemoryAccount* account();
  // Returns kept blocks to the system.
  void trim();

  // The phase of the block that a profiler was told of: it stands, plus one, in `total_reserved`, which means nothing of a
  // CPU's allocator (others leave it 0), so that a free is known for what it was when the block was made. nullopt: not ours.
  static std::optional<MemoryPhase> reportedPhase(std::size_t totalReserved);

 private:
  struct Header;
  struct Adopted;
  static void release(void* data);
  static void leave(void* adopted);
  static void count(MemoryAccount& account, MemoryPhase phase, std::size_t bytes);
  static void report(const MemoryAccount& account, MemoryPhase phase, void* data, std::int64_t bytes);
  void* takeBlock(std::size_t size);
  void keepBlock(void* block, std::size_t size);

  std::mutex m_mutex;
  std::map<std::size_t, std::vector<void*>> m_kept;
  std::size_t m_keptBytes = 0;
  MemoryAccount m_common{0};  // of threads that were given none
  std::vector<std::unique_ptr<MemoryAccount>> m_accounts;
};

// The phase of this thread for a scope.
class PhaseScope {
 public:
  explicit PhaseScope(MemoryPhase phase);
  ~PhaseScope();
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  MemoryPhase m_before;
};

}  // namespace atelier::engine
