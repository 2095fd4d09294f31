#include "number_format.h"

#include <algorithm>
#include <cmath>

namespace atelier::wire {
namespace {

std::uint64_t lowMask(int bits) {
  return (std::uint64_t{1} << bits) - 1;
}

std::uint64_t signBit(const NumberFormat& format) {
  return std::uint64_t{1} << (format.width() - 1);
}

// The code of the largest finite magnitude.
std::uint64_t largestCode(const NumberFormat& format) {
  const auto all = lowMask(format.width() - 1);
  if (format.integer()) return all;
  // With infinities the highest exponent is theirs and NaN's; without, one code alone is NaN.
  return format.has_infinity ? all - lowMask(format.mantissa_bits) - 1 : all - 1;
}

int leastExponent(const NumberFormat& format) {
  return 1 - format.bias();
}

// What a magnitude's code is worth, were there no infinities and NaNs.
double magnitudeOf(const NumberFormat& format, std::uint64_t code) {
  const auto field = static_cast<int>(code >> format.mantissa_bits);
  auto digits = code & lowMask(format.mantissa_bits);
  if (field > 0) digits += std::uint64_t{1} << format.mantissa_bits;
  return std::ldexp(static_cast<double>(digits), std::max(field, 1) - format.bias() - format.mantissa_bits);
}

// A magnitude in units of a step that is its own at its size: at most 2^(mantissa + 1), so that all of it is exact.
std::uint64_t rounded(double units, Rounding rounding) {
  const double whole = std::floor(units), rest = units - whole;
  const auto floor = static_cast<std::uint64_t>(whole);
  if (rounding == Rounding::TowardZero) return floor;
  return floor + (rest > 0.5 || (rest == 0.5 && floor % 2 == 1) ? 1 : 0);
}

std::int32_t signedOf(const NumberFormat& format, std::uint32_t bits) {
  const auto code = bits & lowMask(format.width());
  const auto sign = signBit(format);
  return static_cast<std::int32_t>(static_cast<std::int64_t>(code & (sign - 1)) - static_cast<std::int64_t>(code & sign));
}

std::uint32_t codeOf(const NumberFormat& format, std::int64_t value) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) & lowMask(format.width()));
}

Encoded encodeInteger(const NumberFormat& format, double value, Rounding rounding) {
  Encoded result;
  if (std::isnan(value)) {
    result.exact = false;
    return result;
  }
  const auto most = static_cast<double>(largestCode(format)), least = -most - 1;
  const double units = value / format.scale;
  // Far beyond the range nothing is counted in integers.
  const double known = std::clamp(units, least - 2, most + 2);
  const auto size = static_cast<double>(rounded(std::fabs(known), rounding));
  const double whole = std::signbit(known) ? -size : size;
  result.bits = codeOf(format, static_cast<std::int64_t>(std::clamp(whole, least, most)));
  result.overflow = whole > most || whole < least;
  const double worth = format.decode(result.bits);
  result.exact = worth == value;
  result.underflow = worth == 0 && value != 0;
  return result;
}

// What stands for a magnitude beyond the largest, and for infinity.
Encoded beyond(const NumberFormat& format, bool infinite, Rounding rounding, bool saturate) {
  Encoded result;
  const bool clamp = saturate || format.saturating || (!infinite && rounding == Rounding::TowardZero);
  if (clamp) result.bits = static_cast<std::uint32_t>(largestCode(format));
  else result.bits = format.has_infinity ? static_cast<std::uint32_t>(largestCode(format) + 1) : format.nan_bits;
  result.exact = infinite && !clamp && format.has_infinity;
  result.overflow = !result.exact;
  return result;
}

Encoded encodeMagnitude(const NumberFormat& format, double size, Rounding rounding, bool saturate) {
  if (std::isinf(size)) return beyond(format, true, rounding, saturate);
  if (size == 0) return {};
  const int least = leastExponent(format);
  const int exponent = std::max(std::ilogb(size), least);
  const auto digits = rounded(std::ldexp(size, format.mantissa_bits - exponent), rounding);
  // A carry runs into the exponent, where it belongs.
  const auto code = (static_cast<std::uint64_t>(exponent - least) << format.mantissa_bits) + digits;
  if (code > largestCode(format)) return beyond(format, false, rounding, saturate);
  Encoded result;
  result.bits = static_cast<std::uint32_t>(code);
  result.exact = magnitudeOf(format, code) == size;
  result.underflow = code == 0;
  return result;
}

}  // namespace

const std::array<NumberFormat, 7>& numberFormats() {
  // Exponent, mantissa, padding; infinity, NaN, saturating; PyTorch's NaN.
  static constexpr std::array<NumberFormat, 7> kAll{{{"float32", 8, 23, 0, true, true, false, 0x7FC00000},
                                                     {"tf32", 8, 10, 13, true, true, false, 0x3FE00},
                                                     {"float16", 5, 10, 0, true, true, false, 0x7E00},
                                                     {"bfloat16", 8, 7, 0, true, true, false, 0x7FC0},
                                                     {"e4m3fn", 4, 3, 0, false, true, false, 0x7F},
                                                     {"e5m2", 5, 2, 0, true, true, false, 0x7F},
                                                     {"int8", 0, 7, 0, false, false, true, 0}}};
  return kAll;
}

const NumberFormat* findNumberFormat(std::string_view id) {
  for (const auto& format : numberFormats())
    if (format.id == id) return &format;
  return nullptr;
}

FormatFacts NumberFormat::facts() const {
  FormatFacts facts;
  const auto most = largestCode(*this);
  if (integer()) {
    facts.largest = static_cast<double>(most) * scale;
    facts.lowest = -static_cast<double>(most + 1) * scale;
    facts.smallest_normal = facts.smallest_subnormal = facts.epsilon = scale;
    facts.decimal_digits = std::log10(static_cast<double>(most));
    facts.finite_values = static_cast<std::int64_t>(2 * (most + 1));
    return facts;
  }
  facts.largest = magnitudeOf(*this, most);
  facts.lowest = -facts.largest;
  facts.smallest_normal = std::ldexp(1, leastExponent(*this));
  facts.smallest_subnormal = std::ldexp(1, leastExponent(*this) - mantissa_bits);
  facts.epsilon = std::ldexp(1, -mantissa_bits);
  facts.decimal_digits = (mantissa_bits + 1) * std::log10(2.0);
  facts.finite_values = static_cast<std::int64_t>(2 * most + 1);
  return facts;
}

NumberClass NumberFormat::classOf(std::uint32_t bits) const {
  if (integer()) return signedOf(*this, bits) == 0 ? NumberClass::Zero : NumberClass::Normal;
  const auto code = bits & lowMask(width() - 1);
  if (code == 0) return NumberClass::Zero;
  if (code > largestCode(*this))
    return has_infinity && code == largestCode(*this) + 1 ? NumberClass::Infinite : NumberClass::NotANumber;
  return code >> mantissa_bits == 0 ? NumberClass::Subnormal : NumberClass::Normal;
}

double NumberFormat::decode(std::uint32_t bits) const {
  if (integer()) return signedOf(*this, bits) * scale;
  const double sign = bits & signBit(*this) ? -1.0 : 1.0;
  switch (classOf(bits)) {
    case NumberClass::NotANumber:
      return std::copysign(std::nan(""), sign);
    case NumberClass::Infinite:
      return sign * HUGE_VAL;
    default:
      return sign * magnitudeOf(*this, bits & lowMask(width() - 1));
  }
}

Encoded NumberFormat::encode(double value, Rounding rounding, bool saturate) const {
  if (integer()) return encodeInteger(*this, value, rounding);
  Encoded result;
  if (std::isnan(value)) result.bits = nan_bits;
  else result = encodeMagnitude(*this, std::fabs(value), rounding, saturate);
  if (std::signbit(value)) result.bits |= static_cast<std::uint32_t>(signBit(*this));
  return result;
}

std::optional<std::uint32_t> NumberFormat::next(std::uint32_t bits) const {
  if (integer()) {
    const auto value = signedOf(*this, bits);
    if (value == static_cast<std::int32_t>(largestCode(*this))) return std::nullopt;
    return codeOf(*this, std::int64_t{value} + 1);
  }
  if (classOf(bits) == NumberClass::NotANumber) return std::nullopt;
  const auto code = bits & lowMask(width() - 1);
  if (code == 0) return 1;  // −0 is 0
  if (bits & signBit(*this)) {
    // Above the negative number next to zero lies 0 itself.
    if (code == 1) return 0;
    return static_cast<std::uint32_t>(signBit(*this) | (code - 1));
  }
  if (code == largestCode(*this) + (has_infinity ? 1 : 0)) return std::nullopt;
  return static_cast<std::uint32_t>(code + 1);
}

std::optional<std::uint32_t> NumberFormat::previous(std::uint32_t bits) const {
  if (integer()) {
    const auto value = signedOf(*this, bits);
    if (value == -static_cast<std::int32_t>(largestCode(*this)) - 1) return std::nullopt;
    return codeOf(*this, std::int64_t{value} - 1);
  }
  const auto sign = static_cast<std::uint32_t>(signBit(*this));
  const auto mirrored = next(bits ^ sign);
  if (!mirrored) return std::nullopt;
  return *mirrored == 0 ? 0U : *mirrored ^ sign;
}

double NumberFormat::step(double value) const {
  if (std::isnan(value)) return std::nan("");
  if (integer()) return scale;
  const double size = std::min(std::fabs(value), facts().largest);
  const int exponent = size == 0 ? leastExponent(*this) : std::max(std::ilogb(size), leastExponent(*this));
  return std::ldexp(1, exponent - mantissa_bits);
}

double NumberFormat::overflowLimit() const {
  const auto known = facts();
  // At it the tie goes to the even code: up from an odd mantissa, down from an even one.
  return known.largest + step(known.largest) / 2;
}

NumberFormat NumberFormat::withScale(double one) const {
  auto other = *this;
  if (integer()) other.scale = one;
  return other;
}

}  // namespace atelier::wire
