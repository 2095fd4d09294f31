#include <algorithm>
#include <array>
#include <utility>

#include "chrome_events.h"

namespace atelier::trace {
namespace {

// More than any operator has; a hostile file may have any number.
constexpr std::size_t kMostTensors = 4096, kMostSizes = 1 << 16;

using Key = std::pair<std::string_view, Slot RawEvent::*>;

constexpr std::array<Key, 7> kMembers{Key{"ph", &RawEvent::phase},    Key{"cat", &RawEvent::category},
                                      Key{"name", &RawEvent::name},   Key{"pid", &RawEvent::process},
                                      Key{"tid", &RawEvent::thread},  Key{"ts", &RawEvent::time},
                                      Key{"dur", &RawEvent::duration}};

constexpr std::array<Key, 18> kArguments{Key{"Sequence number", &RawEvent::sequence},
                                         Key{"module", &RawEvent::module},
                                         Key{"module type", &RawEvent::moduleType},
                                         Key{"stage", &RawEvent::stage},
                                         Key{"kind", &RawEvent::kind},
                                         Key{"backward", &RawEvent::backward},
                                         Key{"correlation", &RawEvent::correlation},
                                         Key{"bytes", &RawEvent::bytes},
                                         Key{"device", &RawEvent::device},
                                         Key{"Call stack", &RawEvent::stack},
                                         Key{"full name", &RawEvent::fullName},
                                         Key{"name", &RawEvent::label},
                                         Key{"Bytes", &RawEvent::memoryBytes},
                                         Key{"Addr", &RawEvent::address},
                                         Key{"Device Type", &RawEvent::deviceType},
                                         Key{"Device Id", &RawEvent::deviceId},
                                         Key{"category", &RawEvent::memoryCategory},
                                         Key{"outside", &RawEvent::outside}};

template <std::size_t N>
Slot* slotOf(RawEvent& event, const std::array<Key, N>& keys, std::string_view key) {
  for (const auto& [name, slot] : keys)
    if (name == key) return &(event.*slot);
  return nullptr;
}

}  // namespace

void RawEvent::clear() {
  for (const auto& [name, slot] : kMembers) (this->*slot).there = false;
  for (const auto& [name, slot] : kArguments) (this->*slot).there = false;
  types.clear();
  concrete.clear();
  dims.clear();
}

Slot* RawEvent::member(std::string_view key) {
  return slotOf(*this, kMembers, key);
}

Slot* RawEvent::argument(std::string_view key) {
  return slotOf(*this, kArguments, key);
}

void Dims::clear() {
  m_tensors.clear();
  m_sizes.clear();
  m_arguments = 0;
}

void Dims::beginArgument() {
  if (m_tensors.size() < kMostTensors) m_tensors.push_back({m_arguments, m_sizes.size(), m_sizes.size(), false});
  ++m_arguments;
}

void Dims::beginTensor() {
  if (m_tensors.empty() || m_arguments == 0 || m_tensors.size() >= kMostTensors) return;
  auto& last = m_tensors.back();
  // The argument's own entry becomes that of the first tensor of the list.
  if (!last.listed && last.argument + 1 == m_arguments) last.listed = true;
  else m_tensors.push_back({m_arguments - 1, m_sizes.size(), m_sizes.size(), true});
}

void Dims::add(std::int64_t size) {
  if (m_tensors.empty() || m_sizes.size() >= kMostSizes || m_tensors.back().argument + 1 != m_arguments) return;
  m_sizes.push_back(size);
  m_tensors.back().end = m_sizes.size();
}

std::vector<Dims::Tensor>::const_iterator Dims::firstOf(std::size_t argument) const {
  const auto less = [](const Tensor& tensor, std::size_t number) { return tensor.argument < number; };
  return std::lower_bound(m_tensors.begin(), m_tensors.end(), argument, less);
}

bool Dims::isList(std::size_t argument) const {
  const auto first = firstOf(argument);
  return first != m_tensors.end() && first->argument == argument && first->listed;
}

bool Dims::hasSizes(std::size_t argument) const {
  const auto first = firstOf(argument);
  return first != m_tensors.end() && first->argument == argument && first->end > first->begin;
}

void Dims::append(std::size_t argument, const std::string& dtype, Detail& detail) const {
  for (auto tensor = firstOf(argument); tensor != m_tensors.end() && tensor->argument == argument; ++tensor) {
    const auto begin = m_sizes.begin() + static_cast<std::ptrdiff_t>(tensor->begin);
    const auto end = m_sizes.begin() + static_cast<std::ptrdiff_t>(tensor->end);
    detail.inputs.push_back({std::vector<std::int64_t>(begin, end), dtype});
  }
}

}  // namespace atelier::trace
