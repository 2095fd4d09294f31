#include "tensor_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

namespace atelier::engine {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallest = 16 << 10;  // smaller blocks are left to malloc's own caches
constexpr std::size_t kHuge = 2 << 20;       // a huge page
constexpr std::size_t kKeptAtMost = std::size_t{2} << 30;

// Steps of a sixteenth of a power of two: at most 6 % is lost, and few sizes miss.
std::size_t roundedSize(std::size_t bytes) {
  if (bytes < kSmallest) return bytes;
  std::size_t power = kSmallest;
  while (power * 2 <= bytes) power *= 2;
  const auto step = power / 16;
  return (bytes + step - 1) / step * step;
}

struct ThreadState {
  MemoryAccount* account = nullptr;
  MemoryPhase phase = MemoryPhase::Other;
};
thread_local ThreadState t_state;

wire::MemoryBytes composed(std::int64_t total, const std::array<std::int64_t, kMemoryPhases>& p) {
  return {total, p[0], p[1], p[2], p[3], p[4]};
}

}  // namespace

// Lies right before the data; the data pointer is its own context, as c10 asks of a CPU allocator.
struct TensorMemory::Header {
  TensorMemory* owner;
  MemoryAccount* account;
  std::size_t bytes, block;  // asked for; taken, header included
  MemoryPhase phase;
};

struct TensorMemory::Adopted {
  std::shared_ptr<void> owner;
  MemoryAccount* account;  // null: of a thread that was given none
  std::size_t bytes;
  MemoryPhase phase;
  void* data;
};

wire::MemoryBytes MemoryAccount::live() const {
  std::array<std::int64_t, kMemoryPhases> parts{};
  std::int64_t total = 0;
  for (std::size_t i = 0; i < kMemoryPhases; ++i) total += parts[i] = m_live[i].load(std::memory_order_relaxed);
  return composed(total, parts);
}

wire::MemoryBytes MemoryAccount::peak() const {
  const std::lock_guard lock(m_mutex);
  return m_peak;
}

bool MemoryAccount::add(MemoryPhase phase, std::int64_t bytes) {
  const auto total = m_total.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (m_budget > 0 && total > m_budget) {
    m_total.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  m_live[static_cast<std::size_t>(phase)].fetch_add(bytes, std::memory_order_relaxed);
  if (total > m_watermark.load(std::memory_order_relaxed)) raiseWatermark(total);
  if (total > m_recentHighest.load(std::memory_order_relaxed)) notePeak();
  return true;
}

void MemoryAccount::raiseWatermark(std::int64_t total) {
  auto seen = m_watermark.load(std::memory_order_relaxed);
  while (total > seen && !m_watermark.compare_exchange_weak(seen, total, std::memory_order_relaxed)) {
  }
}

// The recent peak is never above the run's, so one look at it decides on both.
void MemoryAccount::notePeak() {
  const std::lock_guard lock(m_mutex);
  const auto now = live();
  if (now.total <= m_recentHighest.load(std::memory_order_relaxed)) return;
  m_recentPeak = now;
  m_recentHighest.store(now.total, std::memory_order_relaxed);
  if (now.total > m_highest.load(std::memory_order_relaxed) && !m_frozen.load(std::memory_order_relaxed)) {
    m_peak = now;
    m_highest.store(now.total, std::memory_order_relaxed);
  }
}

wire::MemoryBytes MemoryAccount::takeRecentPeak() {
  const std::lock_guard lock(m_mutex);
  const auto peak = m_recentPeak;
  m_recentPeak = live();
  m_recentHighest.store(m_recentPeak.total, std::memory_order_relaxed);
  return peak;
}

void MemoryAccount::remove(MemoryPhase phase, std::int64_t bytes) {
  m_live[static_cast<std::size_t>(phase)].fetch_sub(bytes, std::memory_order_relaxed);
  m_total.fetch_sub(bytes, std::memory_order_relaxed);
}

TensorMemory& TensorMemory::install() {
  auto* memory = new TensorMemory;
  c10::SetCPUAllocator(memory, 255);
  return *memory;
}

MemoryAccount& TensorMemory::newAccount(std::int64_t budgetBytes) {
  const std::lock_guard lock(m_mutex);
  m_accounts.push_back(std::make_unique<MemoryAccount>(budgetBytes));
  return *m_accounts.back();
}

void TensorMemory::use(MemoryAccount& account) {
  t_state.account = &account;
}
void TensorMemory::enter(MemoryPhase phase) {
  t_state.phase = phase;
}
MemoryAccount* TensorMemory::account() {
  return t_state.account;
}

void* TensorMemory::takeBlock(std::size_t size) {
  if (size >= kSmallest) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_kept.find(size);
    if (found != m_kept.end() && !found->second.empty()) {
      void* block = found->second.back();
      found->second.pop_back();
      m_keptBytes -= size;
      return block;
    }
  }
  void* block = nullptr;
  if (posix_memalign(&block, size >= kHuge ? kHuge : kAlignment, size) != 0) return nullptr;
  if (size >= kHuge) madvise(block, size, MADV_HUGEPAGE);
  return block;
}

void TensorMemory::keepBlock(void* block, std::size_t size) {
  if (size >= kSmallest) {
    const std::lock_guard lock(m_mutex);
    if (m_keptBytes + size <= kKeptAtMost) {
      m_kept[size].push_back(block);
      m_keptBytes += size;
      return;
    }
  }
  std::free(block);
}

void TensorMemory::trim() {
  const std::lock_guard lock(m_mutex);
  for (auto& [size, blocks] : m_kept)
    for (void* block : blocks) std::free(block);
  m_kept.clear();
  m_keptBytes = 0;
}

void TensorMemory::count(MemoryAccount& account, MemoryPhase phase, std::size_t bytes) {
  if (!account.add(phase, static_cast<std::int64_t>(bytes)))
    TORCH_CHECK_WITH(OutOfMemoryError, false, "tried to allocate ", bytes, " bytes with ", account.live().total,
                     " bytes live and a memory budget of ", account.budget(), " bytes");
}

c10::DataPtr TensorMemory::adopt(void* data, std::size_t bytes, std::shared_ptr<void> owner) {
  auto* account = t_state.account;
  const auto phase = t_state.phase;
  if (account) {
    count(*account, phase, bytes);
    if (C10_UNLIKELY(c10::memoryProfilingEnabled())) report(*account, phase, data, static_cast<std::int64_t>(bytes));
  }
  return {data, new Adopted{std::move(owner), account, bytes, phase, data}, &leave, c10::Device(c10::kCPU)};
}

void TensorMemory::leave(void* adopted) {
  const std::unique_ptr<Adopted> it(static_cast<Adopted*>(adopted));
  if (!it->account) return;
  it->account->remove(it->phase, static_cast<std::int64_t>(it->bytes));
  if (C10_UNLIKELY(c10::memoryProfilingEnabled()))
    report(*it->account, it->phase, it->data, -static_cast<std::int64_t>(it->bytes));
}

c10::DataPtr TensorMemory::allocate(std::size_t bytes) {
  const auto cpu = c10::Device(c10::kCPU);
  if (bytes == 0) return {nullptr, nullptr, &release, cpu};
  auto& account = t_state.account ? *t_state.account : m_common;
  const auto phase = t_state.phase;
  count(account, phase, bytes);
  static_assert(sizeof(Header) <= kAlignment);
  const auto size = roundedSize(bytes + kAlignment);
  auto* block = static_cast<std::byte*>(takeBlock(size));
  if (!block) {
    trim();
    block = static_cast<std::byte*>(takeBlock(size));
  }
  if (!block) {
    account.remove(phase, static_cast<std::int64_t>(bytes));
    TORCH_CHECK_WITH(OutOfMemoryError, false, "the system has no ", bytes, " bytes of memory left");
  }
  void* data = block + kAlignment;
  new (block) Header{this, &account, bytes, size, phase};
  if (C10_UNLIKELY(c10::memoryProfilingEnabled())) report(account, phase, data, static_cast<std::int64_t>(bytes));
  return {data, data, &release, cpu};
}

void TensorMemory::report(const MemoryAccount& account, MemoryPhase phase, void* data, std::int64_t bytes) {
  const auto live = account.m_total.load(std::memory_order_relaxed);
  c10::reportMemoryUsageToProfiler(data, bytes, static_cast<std::size_t>(std::max<std::int64_t>(live, 0)),
                                   static_cast<std::size_t>(phase) + 1, c10::Device(c10::kCPU));
}

std::optional<MemoryPhase> TensorMemory::reportedPhase(std::size_t totalReserved) {
  if (totalReserved == 0 || totalReserved > kMemoryPhases) return std::nullopt;
  return static_cast<MemoryPhase>(totalReserved - 1);
}

void TensorMemory::release(void* data) {
  if (!data) return;
  auto* header = reinterpret_cast<Header*>(static_cast<std::byte*>(data) - kAlignment);
  header->account->remove(header->phase, static_cast<std::int64_t>(header->bytes));
  // Before the block can be had by another thread, which would report it first.
  if (C10_UNLIKELY(c10::memoryProfilingEnabled()))
    report(*header->account, header->phase, data, -static_cast<std::int64_t>(header->bytes));
  header->owner->keepBlock(header, header->block);
}

c10::DeleterFnPtr TensorMemory::raw_deleter() const {
  return &release;
}

void TensorMemory::copy_data(void* destination, const void* source, std::size_t count) const {
  std::memcpy(destination, source, count);
}

PhaseScope::PhaseScope(MemoryPhase phase) : m_before(t_state.phase) {
  t_state.phase = phase;
}
PhaseScope::~PhaseScope() {
  t_state.phase = m_before;
}

}  // namespace atelier::engine
