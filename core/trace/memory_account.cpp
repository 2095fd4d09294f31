#include "memory_account.h"

#include <algorithm>

#include "index.h"
#include "saturating.h"

namespace atelier::trace {
namespace {

std::size_t indexOf(Category category) {
  return static_cast<std::size_t>(category);
}

std::int64_t sizeOfFree(std::int64_t bytes) {
  return bytes == INT64_MIN ? INT64_MAX : -bytes;
}

void lower(std::int64_t& live, std::int64_t bytes) {
  live = std::max<std::int64_t>(0, live - bytes);
}

}  // namespace

int homeDevice(const Trace& trace) {
  int home = -1;
  for (const auto& track : trace.tracks)
    if (track.device >= 0 && (home < 0 || track.device < home)) home = track.device;
  return home;
}

MemoryAccount::MemoryAccount(const Trace& trace, int device) : m_trace(trace), m_device(device) {
  const auto& told = trace.memory_at_start.bytes;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < kCategories && device == homeDevice(trace); ++i) {
    m_start[i] = std::max<std::int64_t>(0, told[i]);
    known = addSaturating(known, m_start[i]);
  }
  // What is freed without having been allocated here was there before, whether the trace tells of it or not.
  auto& unknown = m_start[indexOf(Category::Unknown)];
  if (const auto freed = freedFromBefore(); freed > known) unknown = addSaturating(unknown, freed - known);
  m_live = m_start;
}

void MemoryAccount::take(const Allocation& change) {
  ++m_moment;
  // An address that is given out anew was freed without our hearing of it.
  if (const auto known = m_byAddress.find(change.address); known != m_byAddress.end()) {
    end(known->second, change.time);
    m_byAddress.erase(known);
  } else if (change.bytes < 0) {
    freeFromBefore(sizeOfFree(change.bytes), change.category);
  }
  if (change.bytes > 0) begin(change);
}

void MemoryAccount::begin(const Allocation& change) {
  LiveTensor tensor;
  tensor.bytes = change.bytes;
  tensor.since = change.time;
  tensor.category = change.category;
  tensor.event = change.event;
  if (change.event >= 0) tensor.module = m_trace.events[at(change.event)].module;
  tensor.address = change.address;
  m_byAddress.emplace(change.address, m_tensors.size());
  m_tensors.push_back(tensor);
  m_born.push_back(m_moment);
  m_died.push_back(SIZE_MAX);
  auto& live = m_live[indexOf(change.category)];
  live = addSaturating(live, change.bytes);
}

void MemoryAccount::end(std::size_t index, std::int64_t time) {
  auto& tensor = m_tensors[index];
  tensor.until = time;
  m_died[index] = m_moment;
  lower(m_live[indexOf(tensor.category)], tensor.bytes);
}

// From its own category as far as that goes, then from what nobody told of, then from what lives shortest.
void MemoryAccount::freeFromBefore(std::int64_t bytes, Category category) {
  for (const auto from : {category, Category::Unknown, Category::Other, Category::Activations, Category::Gradients,
                          Category::Optimizer, Category::Weights}) {
    auto& left = m_start[indexOf(from)];
    const auto taken = std::min(bytes, left);
    left -= taken;
    bytes -= taken;
    lower(m_live[indexOf(from)], taken);
  }
}

std::int64_t MemoryAccount::freedFromBefore() const {
  std::int64_t freed = 0;
  std::unordered_map<std::uint64_t, bool> live;
  for (const auto& change : m_trace.memory) {
    if (!concerns(change)) continue;
    auto& here = live[change.address];
    if (change.bytes < 0 && !here) freed = addSaturating(freed, sizeOfFree(change.bytes));
    here = change.bytes > 0;
  }
  return freed;
}

std::vector<LiveTensor> MemoryAccount::liveAfter(std::size_t moment, std::size_t most) const {
  std::vector<LiveTensor> alive;
  for (std::size_t i = 0; i < m_tensors.size(); ++i)
    if (m_born[i] <= moment && m_died[i] > moment) alive.push_back(m_tensors[i]);
  std::stable_sort(alive.begin(), alive.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (alive.size() > most) alive.resize(most);
  return alive;
}

}  // namespace atelier::trace
