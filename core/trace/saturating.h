// Sums and products of byte counts that stay at the border of int64 in place of wrapping: a file may hold any number. Pure.
#pragma once

#include <cstdint>

namespace atelier::trace {

inline std::int64_t addSaturating(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

inline std::int64_t multiplySaturating(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

}  // namespace atelier::trace
