// NumberFormat: how a number is written in few bits: PyTorch's float32, TF32, float16, bfloat16, float8_e4m3fn, float8_e5m2,
// and int8 with a scale. Codes are unsigned integers of width() bits: the sign above the exponent above the mantissa; of an
// integer two's complement. Exact: every code of these formats is a double, and what is encoded is rounded once. A value; pure;
// any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace atelier::wire {

enum class Rounding { NearestEven, TowardZero };

struct Encoded {
  std::uint32_t bits = 0;
  bool exact = true;       // the code is worth the very value; of a NaN: it is one
  bool underflow = false;  // it became zero, and was none
  bool overflow = false;   // beyond the largest: it became infinite, NaN or the largest
};

enum class NumberClass { Zero, Subnormal, Normal, Infinite, NotANumber };

struct FormatFacts {
  double largest = 0, lowest = 0;
  double smallest_normal = 0, smallest_subnormal = 0;  // of an integer both are its step
  double epsilon = 0;                                  // from 1 to the next code; of an integer its step
  double decimal_digits = 0;                           // (mantissa + 1) · log10 2; of an integer those of its largest
  std::int64_t finite_values = 0;                      // −0 is 0
};

struct NumberFormat {
  std::string_view id;    // float32, tf32, float16, bfloat16, e4m3fn, e5m2, int8
  int exponent_bits = 0;  // 0: an integer
  int mantissa_bits = 0;  // of an integer all but the sign
  int padding_bits = 0;   // that memory holds below the code, and that are always 0: TF32's
  bool has_infinity = false, has_nan = false;
  bool saturating = false;     // what is too large always becomes the largest
  std::uint32_t nan_bits = 0;  // what PyTorch makes of a NaN, without the sign
  double scale = 1;            // what a code of 1 is worth in an integer. REQUIRES: finite, above 0, 1 unless an integer

  bool integer() const { return exponent_bits == 0; }
  int width() const { return 1 + exponent_bits + mantissa_bits; }
  int storedBits() const { return width() + padding_bits; }
  int bias() const { return integer() ? 0 : (1 << (exponent_bits - 1)) - 1; }
  FormatFacts facts() const;

  // Bits above width() are ignored.
  double decode(std::uint32_t bits) const;
  NumberClass classOf(std::uint32_t bits) const;
  // `saturate`: what is too large, infinite too, becomes the largest; as always when `saturating`. Otherwise it becomes
  // infinite, or NaN where there is no infinity; TowardZero leaves finite values finite. NaN keeps its sign; in an integer it
  // becomes 0.
  Encoded encode(double value, Rounding rounding = Rounding::NearestEven, bool saturate = false) const;

  // The code of the next greater (smaller) number, an infinity included; nullopt where there is none, and of a NaN.
  std::optional<std::uint32_t> next(std::uint32_t bits) const;
  std::optional<std::uint32_t> previous(std::uint32_t bits) const;
  // From one code to the next at that value: near 0 the smallest subnormal, beyond the largest that of the largest. NaN of a
  // NaN.
  double step(double value) const;
  // Half a step beyond the largest: magnitudes above it overflow when they are rounded to nearest.
  double overflowLimit() const;

  NumberFormat withScale(double one) const;  // REQUIRES: finite, above 0
};

// In the order of the head: from the widest to the narrowest.
const std::array<NumberFormat, 7>& numberFormats();
// nullptr when there is none so called.
const NumberFormat* findNumberFormat(std::string_view id);

}  // namespace atelier::wire
