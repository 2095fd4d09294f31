// sum: long sums of float32 in float64, in an order of additions that no instruction set changes: sixteen running sums, added
// at the end.
#pragma once

#include <cstdint>
#include <cstring>

#include "clones.h"

namespace atelier::kernels {

// GCC's vectors: with intrinsics each instruction set would need its own loop. They hold values, and are never passed by value.
using Four = float __attribute__((vector_size(16)));
using FourWide = double __attribute__((vector_size(32)));

ATELIER_KERNEL_INLINE void addTo(FourWide& sum, const float* values) {
  Four four;
  std::memcpy(&four, values, sizeof four);
  sum += __builtin_convertvector(four, FourWide);
}

ATELIER_KERNEL_INLINE void addSquareTo(FourWide& sum, const float* values) {
  Four four;
  std::memcpy(&four, values, sizeof four);
  const FourWide wide = __builtin_convertvector(four, FourWide);
  sum += wide * wide;
}

template <bool kSquared>
ATELIER_KERNEL_INLINE double sumOf(const float* values, std::int64_t count) {
  FourWide a{}, b{}, c{}, d{};
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    if constexpr (kSquared) {
      addSquareTo(a, values + i);
      addSquareTo(b, values + i + 4);
      addSquareTo(c, values + i + 8);
      addSquareTo(d, values + i + 12);
    } else {
      addTo(a, values + i);
      addTo(b, values + i + 4);
      addTo(c, values + i + 8);
      addTo(d, values + i + 12);
    }
  }
  const FourWide all = (a + b) + (c + d);
  double sum = (all[0] + all[1]) + (all[2] + all[3]);
  for (; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    sum += kSquared ? value * value : value;
  }
  return sum;
}

}  // namespace atelier::kernels
