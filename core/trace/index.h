// Ids of a trace's tables are int32, tables are indexed by size_t. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atelier::trace {

// REQUIRES: id ≥ 0.
constexpr std::size_t at(std::int32_t id) {
  return static_cast<std::size_t>(id);
}

constexpr std::int32_t idOf(std::size_t index) {
  return static_cast<std::int32_t>(index);
}

}  // namespace atelier::trace
