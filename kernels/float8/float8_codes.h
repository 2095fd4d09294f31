// How a float32 becomes an eight-bit code, for the CPU's loops and the GPU's kernels alike: without branches.
#pragma once

#include <cstdint>
#include <limits>

#include "float8.h"

#if defined(__CUDACC__)
#define ATELIER_ANYWHERE __host__ __device__ __forceinline__
#else
#define ATELIER_ANYWHERE inline __attribute__((always_inline))
#endif

namespace atelier::kernels::float8_codes {

// The format in float32's terms.
template <Float8 kFormat>
struct Layout;
template <>
struct Layout<Float8::E4M3> {
  static constexpr int kMantissa = 3, kBias = 7;
  static constexpr std::uint32_t kLargest = 0x7E, kInfinity = 0x7F;
};
template <>
struct Layout<Float8::E5M2> {
  static constexpr int kMantissa = 2, kBias = 15;
  static constexpr std::uint32_t kLargest = 0x7B, kInfinity = 0x7C;
};
constexpr std::uint32_t kNaN = 0x7F;

ATELIER_ANYWHERE std::uint32_t bitsOf(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return __builtin_bit_cast(std::uint32_t, value);
#endif
}
ATELIER_ANYWHERE float ofBits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

template <Float8 kFormat, Infinities kInfinities>
ATELIER_ANYWHERE std::uint8_t codeOf(float value) {
  using L = Layout<kFormat>;
  constexpr int kShift = 23 - L::kMantissa;
  constexpr std::uint32_t kSmallestNormal = static_cast<std::uint32_t>(127 + 1 - L::kBias) << 23U;
  // Its last bit is worth the smallest subnormal: adding it rounds to a multiple of that, which the low bits then hold.
  constexpr std::uint32_t kRound = static_cast<std::uint32_t>(127 + 1 - L::kBias - L::kMantissa + 23) << 23U;
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - L::kBias) << L::kMantissa;
  constexpr std::uint32_t kHalf = (1U << (kShift - 1)) - 1;
  constexpr std::uint32_t kFloatInfinity = 0x7F800000U;

  const std::uint32_t bits = bitsOf(value), magnitude = bits & 0x7FFFFFFFU;
  const std::uint32_t normal = ((magnitude + kHalf + ((magnitude >> kShift) & 1U)) >> kShift) - kRebias;
  const std::uint32_t subnormal = bitsOf(ofBits(magnitude) + ofBits(kRound)) - kRound;
  std::uint32_t code = magnitude < kSmallestNormal ? subnormal : normal;
  code = code > L::kLargest ? L::kLargest : code;
  if constexpr (kInfinities == Infinities::Keep) code = magnitude == kFloatInfinity ? L::kInfinity : code;
  code = magnitude > kFloatInfinity ? kNaN : code;
  return static_cast<std::uint8_t>(code | ((bits >> 24U) & 0x80U));
}

template <Float8 kFormat>
constexpr float valueOf(std::uint8_t code) {
  using L = Layout<kFormat>;
  const std::uint32_t magnitude = code & 0x7FU;
  const bool negative = code >= 0x80U;
  if (magnitude > L::kLargest) {
    if (kFormat == Float8::E5M2 && magnitude == L::kInfinity)
      return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    return std::numeric_limits<float>::quiet_NaN();
  }
  const int exponent = static_cast<int>(magnitude >> L::kMantissa);
  const auto fraction = static_cast<float>(magnitude & ((1U << L::kMantissa) - 1));
  const auto whole = static_cast<float>(1U << L::kMantissa);
  float value = exponent == 0 ? fraction : fraction + whole;
  for (int power = (exponent == 0 ? 1 : exponent) - L::kBias - L::kMantissa; power != 0; power += power < 0 ? 1 : -1)
    value *= power < 0 ? 0.5F : 2.0F;
  return negative ? -value : value;
}

struct Table {
  float values[256];
};
template <Float8 kFormat>
constexpr Table tableOf() {
  Table table{};
  for (unsigned code = 0; code < 256; ++code) table.values[code] = valueOf<kFormat>(static_cast<std::uint8_t>(code));
  return table;
}

ATELIER_ANYWHERE float factorFor(float highest, float largest) {
  constexpr float kMost = 3.402823466e+38F;  // float32's largest; the library's function is the CPU's alone
  if (!(highest > 0 && highest <= kMost)) return 1;
  const float factor = 1 / highest * largest;
  return factor > kMost ? kMost : factor;
}

}  // namespace atelier::kernels::float8_codes
