#include "float8.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "float8_codes.h"
#include "kernels/common/clones.h"

namespace atelier::kernels {

// Not in the unnamed namespace: see clones.h.
namespace float8_loops {

template <Float8 kFormat, Infinities kInfinities>
ATELIER_KERNEL_INLINE void encode(const float* __restrict values, std::uint8_t* __restrict codes, std::int64_t count,
                                  float factor) {
  for (std::int64_t i = 0; i < count; ++i) codes[i] = float8_codes::codeOf<kFormat, kInfinities>(values[i] * factor);
}

ATELIER_KERNEL_CLONES
void encodeE4M3(const float* values, std::uint8_t* codes, std::int64_t count, float factor, bool keep) {
  if (keep) encode<Float8::E4M3, Infinities::Keep>(values, codes, count, factor);
  else encode<Float8::E4M3, Infinities::Saturate>(values, codes, count, factor);
}

ATELIER_KERNEL_CLONES
void encodeE5M2(const float* values, std::uint8_t* codes, std::int64_t count, float factor, bool keep) {
  if (keep) encode<Float8::E5M2, Infinities::Keep>(values, codes, count, factor);
  else encode<Float8::E5M2, Infinities::Saturate>(values, codes, count, factor);
}

ATELIER_KERNEL_CLONES
void decode(const std::uint8_t* __restrict codes, float* __restrict values, std::int64_t count, float factor,
            const float* __restrict table) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = table[codes[i]] / factor;
}

// Of magnitudes, as bits: they order as the values do, with NaN above all.
ATELIER_KERNEL_CLONES
std::uint32_t highestBits(const float* values, std::int64_t count) {
  std::uint32_t highest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = float8_codes::bitsOf(values[i]) & 0x7FFFFFFFU;
    highest = magnitude > highest ? magnitude : highest;
  }
  return highest;
}

}  // namespace float8_loops

namespace {

constexpr std::int64_t kPiece = 16384;  // values that are worth a thread
constexpr auto kE4M3 = float8_codes::tableOf<Float8::E4M3>();
constexpr auto kE5M2 = float8_codes::tableOf<Float8::E5M2>();

const float* tableOf(Float8 format) {
  return format == Float8::E4M3 ? kE4M3.values : kE5M2.values;
}

// work(first, number)
template <class Work>
void inPieces(std::int64_t count, const ParallelFor& parallel, const Work& work) {
  parallel((count + kPiece - 1) / kPiece,
           [&](std::int64_t begin, std::int64_t end) { work(begin * kPiece, std::min(end * kPiece, count) - begin * kPiece); });
}

}  // namespace

float float8Largest(Float8 format) {
  return format == Float8::E4M3 ? 448.0F : 57344.0F;
}

float float8Value(std::uint8_t code, Float8 format) {
  return tableOf(format)[code];
}

std::uint8_t float8CodeReference(float value, Float8 format, Infinities infinities) {
  const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
  const std::uint8_t largest = format == Float8::E4M3 ? 0x7E : 0x7B;
  if (std::isnan(value)) return sign | 0x7F;
  if (std::isinf(value) && infinities == Infinities::Keep) return sign | static_cast<std::uint8_t>(largest + 1);
  // Farther out, float64 would see no difference between the codes.
  const double magnitude = std::min(std::fabs(static_cast<double>(value)), 1e6);
  std::uint8_t best = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::uint8_t code = 0; code <= largest; ++code) {
    const double distance = std::fabs(magnitude - static_cast<double>(float8Value(code, format)));
    // Codes beside each other are of even and odd significands.
    if (distance < nearest || (distance == nearest && code % 2 == 0)) {
      nearest = distance;
      best = code;
    }
  }
  return sign | best;
}

void toFloat8(const float* values, std::uint8_t* codes, std::int64_t count, float factor, Float8 format, Infinities infinities,
              const ParallelFor& parallel) {
  const auto encode = format == Float8::E4M3 ? float8_loops::encodeE4M3 : float8_loops::encodeE5M2;
  inPieces(count, parallel, [&](std::int64_t first, std::int64_t number) {
    encode(values + first, codes + first, number, factor, infinities == Infinities::Keep);
  });
}

void fromFloat8(const std::uint8_t* codes, float* values, std::int64_t count, float factor, Float8 format,
                const ParallelFor& parallel) {
  const auto* table = tableOf(format);
  inPieces(count, parallel, [&](std::int64_t first, std::int64_t number) {
    float8_loops::decode(codes + first, values + first, number, factor, table);
  });
}

float float8FactorFor(float highest, Float8 format) {
  return float8_codes::factorFor(highest, float8Largest(format));
}

float float8FactorReference(const float* values, std::int64_t count, Float8 format) {
  float highest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(values[i])) return 1;
    highest = std::max(highest, std::fabs(values[i]));
  }
  return float8FactorFor(highest, format);
}

float float8Factor(const float* values, std::int64_t count, Float8 format, const ParallelFor& parallel) {
  std::atomic<std::uint32_t> highest{0};
  inPieces(count, parallel, [&](std::int64_t first, std::int64_t number) {
    const auto mine = float8_loops::highestBits(values + first, number);
    auto seen = highest.load();
    while (mine > seen && !highest.compare_exchange_weak(seen, mine)) {}
  });
  return float8FactorFor(float8_codes::ofBits(highest.load()), format);
}

void float8RowFactors(const float* values, float* factors, std::int64_t rows, std::int64_t columns, Float8 format,
                      const ParallelFor& parallel) {
  const std::int64_t group = std::max<std::int64_t>(1, kPiece / std::max<std::int64_t>(1, columns));
  parallel((rows + group - 1) / group, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = begin * group; row < std::min(end * group, rows); ++row)
      factors[row] = float8FactorFor(float8_codes::ofBits(float8_loops::highestBits(values + row * columns, columns)), format);
  });
}

}  // namespace atelier::kernels
