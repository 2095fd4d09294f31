// float8: float32 to the eight-bit formats e4m3fn (largest 448, no infinities, NaN 0x7F) and e5m2 (largest 57,344, infinities
// 0x7C, NaN 0x7D … 0x7F) and back, and the factors that make use of their range. Open Compute Project, OFP8 1.0.
// Rounds to nearest, ties to even; what is finite and too large becomes the largest (saturating: where PyTorch's cast gives NaN
// or ∞); NaN becomes 0x7F with the value's sign. Pointers need no alignment, source and result don't overlap, counts may be 0.
// Same bits on all machines. Any thread.
#pragma once

#include <cstdint>

#include "kernels/common/parallel.h"

namespace atelier::kernels {

enum class Float8 { E4M3, E5M2 };
// What ±∞ becomes: the largest of its sign, or what the format has for it: ∞ in e5m2, NaN in e4m3.
enum class Infinities { Saturate, Keep };

float float8Largest(Float8 format);
float float8Value(std::uint8_t code, Float8 format);

// The nearest of all 127 values of a sign, looked for one by one.
std::uint8_t float8CodeReference(float value, Float8 format, Infinities infinities);

// codes[i] = values[i] × factor, in the format.
void toFloat8(const float* values, std::uint8_t* codes, std::int64_t count, float factor, Float8 format, Infinities infinities,
              const ParallelFor& parallel);
// values[i] = codes[i] ÷ factor.
void fromFloat8(const std::uint8_t* codes, float* values, std::int64_t count, float factor, Float8 format,
                const ParallelFor& parallel);

// What to multiply by so that values up to `highest` in magnitude just fit: 1 where that is 0 or not finite; at most float32's
// largest, so that 0 stays 0.
float float8FactorFor(float highest, Float8 format);
// The same for the values themselves, a tensor's and each row's (row-major; one row may be empty).
float float8FactorReference(const float* values, std::int64_t count, Float8 format);
float float8Factor(const float* values, std::int64_t count, Float8 format, const ParallelFor& parallel);
void float8RowFactors(const float* values, float* factors, std::int64_t rows, std::int64_t columns, Float8 format,
                      const ParallelFor& parallel);

}  // namespace atelier::kernels
