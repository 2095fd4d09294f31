#include "core/wire/number_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace atelier::wire {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const NumberFormat& format(const char* id) {
  const auto* found = findNumberFormat(id);
  EXPECT_NE(found, nullptr) << id;
  return found ? *found : numberFormats().front();
}

double bitsOfFloat(std::uint32_t word) {
  return static_cast<double>(std::bit_cast<float>(word));
}

// float16 by its definition (IEEE 754), with the standard library's arithmetic alone.
double halfByFormula(std::uint32_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = (bits & 1023) / 1024.0;
  if (exponent == 31) return fraction > 0 ? std::nan("") : sign * kInfinity;
  return sign * (exponent == 0 ? fraction * std::pow(2, -14) : (1 + fraction) * std::pow(2, exponent - 15));
}

// All codes of the formats of 8 and 16 bits; of wider ones a sample.
std::vector<std::uint32_t> codesOf(const NumberFormat& of) {
  std::vector<std::uint32_t> codes;
  if (of.width() <= 19) {
    for (std::uint32_t code = 0; code < 1U << of.width(); ++code) codes.push_back(code);
    return codes;
  }
  std::mt19937 random(11);
  for (int i = 0; i < 200'000; ++i) codes.push_back(static_cast<std::uint32_t>(random()));
  for (const std::uint32_t edge : {0U, 1U, 0x7FFFFFU, 0x800000U, 0x7F7FFFFFU, 0x7F800000U, 0x7F800001U, 0x7FFFFFFFU})
    for (const std::uint32_t sign : {0U, 0x80000000U}) codes.push_back(edge | sign);
  return codes;
}

bool isCanonicalNan(const NumberFormat& of, std::uint32_t bits) {
  return (bits & ~(1U << (of.width() - 1))) == of.nan_bits;
}

}  // namespace

TEST(NumberFormat, HasPyTorchsFacts) {
  const auto expect = [](const char* id, double largest, double normal, double subnormal, double epsilon, std::int64_t finite) {
    const auto facts = format(id).facts();
    EXPECT_EQ(facts.largest, largest) << id;
    EXPECT_EQ(facts.lowest, -largest) << id;
    EXPECT_EQ(facts.smallest_normal, normal) << id;
    EXPECT_EQ(facts.smallest_subnormal, subnormal) << id;
    EXPECT_EQ(facts.epsilon, epsilon) << id;
    EXPECT_EQ(facts.finite_values, finite) << id;
  };
  using Float = std::numeric_limits<float>;
  expect("float32", Float::max(), Float::min(), Float::denorm_min(), Float::epsilon(), 4'278'190'079);
  expect("tf32", bitsOfFloat(0x7F7FE000), Float::min(), std::ldexp(1, -136), std::ldexp(1, -10), 2 * (255 * 1024) - 1);
  expect("float16", 65504, std::ldexp(1, -14), std::ldexp(1, -24), std::ldexp(1, -10), 63'487);
  expect("bfloat16", bitsOfFloat(0x7F7F0000), Float::min(), std::ldexp(1, -133), std::ldexp(1, -7), 65'279);
  expect("e4m3fn", 448, std::ldexp(1, -6), std::ldexp(1, -9), 0.125, 253);
  expect("e5m2", 57344, std::ldexp(1, -14), std::ldexp(1, -16), 0.25, 247);
  EXPECT_NEAR(format("float32").facts().decimal_digits, 7.22, 0.01);
  EXPECT_EQ(format("tf32").width(), 19);
  EXPECT_EQ(format("tf32").storedBits(), 32);
  EXPECT_EQ(format("e4m3fn").bias(), 7);
  EXPECT_EQ(format("e5m2").bias(), 15);
  EXPECT_EQ(findNumberFormat("float8"), nullptr);
}

TEST(NumberFormat, CountsItsFiniteValuesRight) {
  for (const auto& of : numberFormats()) {
    if (of.width() > 19) continue;
    std::int64_t finite = 0;
    for (const auto code : codesOf(of)) finite += std::isfinite(of.decode(code)) ? 1 : 0;
    EXPECT_EQ(of.facts().finite_values, finite - (of.integer() ? 0 : 1)) << of.id << ": both zeros are one value";
  }
}

TEST(NumberFormat, EveryCodeIsEncodedBackToItself) {
  for (const auto& of : numberFormats())
    for (const auto code : codesOf(of)) {
      const double value = of.decode(code);
      for (const auto rounding : {Rounding::NearestEven, Rounding::TowardZero}) {
        const auto back = of.encode(value, rounding);
        ASSERT_TRUE(back.exact) << of.id << " " << code;
        ASSERT_FALSE(back.overflow || back.underflow) << of.id << " " << code;
        if (std::isnan(value)) ASSERT_TRUE(isCanonicalNan(of, back.bits)) << of.id << " " << code;
        else ASSERT_EQ(back.bits, code) << of.id;
      }
    }
}

TEST(NumberFormat, Bfloat16IsFloat32CutInTwo) {
  const auto& of = format("bfloat16");
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const double expected = bitsOfFloat(code << 16);
    if (std::isnan(expected)) ASSERT_TRUE(std::isnan(of.decode(code))) << code;
    else ASSERT_EQ(of.decode(code), expected) << code;
    ASSERT_EQ(std::signbit(of.decode(code)), code >= 0x8000) << code;
  }
}

TEST(NumberFormat, Float16FollowsItsFormula) {
  const auto& of = format("float16");
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const double expected = halfByFormula(code);
    if (std::isnan(expected)) ASSERT_TRUE(std::isnan(of.decode(code))) << code;
    else ASSERT_EQ(of.decode(code), expected) << code;
  }
}

TEST(NumberFormat, Tf32IsFloat32WithoutItsLastThirteenBits) {
  const auto& of = format("tf32");
  for (const auto word : codesOf(format("float32"))) {
    const double value = bitsOfFloat(word);
    if (std::isnan(value)) continue;
    ASSERT_EQ(of.encode(value, Rounding::TowardZero).bits, word >> 13) << word;
    ASSERT_EQ(of.decode(word >> 13), bitsOfFloat(word & 0xFFFFE000)) << word;
  }
}

TEST(NumberFormat, Float32RoundsAsTheProcessorDoes) {
  const auto& of = format("float32");
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    // Far beyond the range a conversion has no defined result.
    if (!std::isfinite(value) || std::fabs(value) > 3e38) continue;
    ASSERT_EQ(of.encode(value).bits, std::bit_cast<std::uint32_t>(static_cast<float>(value))) << value;
  }
}

TEST(NumberFormat, GrowsWithItsCodes) {
  for (const auto& of : numberFormats()) {
    if (of.integer() || of.width() > 19) continue;
    double before = -1;
    for (std::uint32_t code = 0; code < 1U << (of.width() - 1); ++code) {
      const double value = of.decode(code);
      if (std::isnan(value)) continue;
      ASSERT_GT(value, before) << of.id << " " << code;
      ASSERT_EQ(of.decode(code | 1U << (of.width() - 1)), -value) << of.id << " " << code;
      before = value;
    }
  }
}

TEST(NumberFormat, MidpointsGoToTheEvenCode) {
  for (const char* id : {"float16", "bfloat16", "e4m3fn", "e5m2", "tf32"}) {
    const auto& of = format(id);
    for (std::uint32_t code = 0; std::isfinite(of.decode(code + 1)) && code + 1 < 1U << (of.width() - 1); ++code) {
      const double low = of.decode(code), high = of.decode(code + 1), middle = low + (high - low) / 2;
      const auto even = code % 2 == 0 ? code : code + 1;
      ASSERT_EQ(of.encode(middle).bits, even) << id << " " << code;
      ASSERT_EQ(of.encode(std::nextafter(middle, high)).bits, code + 1) << id << " " << code;
      ASSERT_EQ(of.encode(std::nextafter(middle, low)).bits, code) << id << " " << code;
      ASSERT_EQ(of.encode(middle, Rounding::TowardZero).bits, code) << id << " " << code;
      ASSERT_FALSE(of.encode(middle).exact) << id << " " << code;
    }
  }
}

TEST(NumberFormat, OverflowsToInfinityToNanOrToTheLargest) {
  const auto& half = format("float16");
  EXPECT_EQ(half.encode(65'519.99).bits, 0x7BFFU);
  EXPECT_FALSE(half.encode(65'519.99).overflow);
  EXPECT_EQ(half.overflowLimit(), 65'520);
  for (const double value : {65'520.0, 70'000.0, 1e300}) {
    EXPECT_EQ(half.encode(value).bits, 0x7C00U);
    EXPECT_TRUE(half.encode(value).overflow);
    EXPECT_EQ(half.encode(-value).bits, 0xFC00U);
    EXPECT_EQ(half.encode(value, Rounding::NearestEven, true).bits, 0x7BFFU);
    EXPECT_EQ(half.encode(value, Rounding::TowardZero).bits, 0x7BFFU);
  }
  const auto& e4m3 = format("e4m3fn");
  EXPECT_EQ(e4m3.encode(464).bits, 0x7EU) << "the tie goes to 448, which is even";
  EXPECT_FALSE(e4m3.encode(464).overflow);
  EXPECT_EQ(e4m3.encode(464.001).bits, 0x7FU) << "there is no infinity: it becomes NaN";
  EXPECT_TRUE(e4m3.encode(464.001).overflow);
  EXPECT_EQ(e4m3.encode(-1e9, Rounding::NearestEven, true).bits, 0xFEU);
  EXPECT_EQ(format("e5m2").encode(61'440).bits, 0x7CU);
  EXPECT_EQ(format("e5m2").encode(61'439).bits, 0x7BU);
}

TEST(NumberFormat, TakesInfinityAndNan) {
  for (const auto& of : numberFormats()) {
    if (of.integer()) continue;
    const auto infinite = of.encode(-kInfinity);
    EXPECT_EQ(infinite.exact, of.has_infinity) << of.id;
    EXPECT_EQ(infinite.overflow, !of.has_infinity) << of.id;
    EXPECT_EQ(of.decode(infinite.bits) == -kInfinity, of.has_infinity) << of.id;
    EXPECT_EQ(of.decode(of.encode(kInfinity, Rounding::NearestEven, true).bits), of.facts().largest) << of.id;
    for (const bool saturate : {false, true}) {
      const auto nan = of.encode(std::nan(""), Rounding::NearestEven, saturate);
      EXPECT_EQ(of.classOf(nan.bits), NumberClass::NotANumber) << of.id;
      EXPECT_EQ(nan.bits, of.nan_bits) << of.id;
      EXPECT_FALSE(nan.overflow) << of.id;
      EXPECT_TRUE(std::signbit(of.decode(of.encode(-std::nan("")).bits))) << of.id;
    }
  }
}

TEST(NumberFormat, KnowsEveryNanPayload) {
  int nans = 0;
  for (std::uint32_t code = 0x7C00; code < 0x8000; ++code) nans += std::isnan(format("float16").decode(code)) ? 1 : 0;
  EXPECT_EQ(nans, 1023);
  for (const std::uint32_t code : {0x7DU, 0x7EU, 0x7FU, 0xFDU, 0xFEU, 0xFFU})
    EXPECT_EQ(format("e5m2").classOf(code), NumberClass::NotANumber) << code;
  for (const std::uint32_t code : {0x7FU, 0xFFU}) EXPECT_EQ(format("e4m3fn").classOf(code), NumberClass::NotANumber) << code;
  EXPECT_EQ(format("e4m3fn").decode(0x7E), 448);
}

TEST(NumberFormat, KeepsTheSignOfZeroAndTellsWhatBecameZero) {
  for (const auto& of : numberFormats()) {
    if (of.integer()) continue;
    const auto zero = of.encode(-0.0);
    EXPECT_TRUE(zero.exact && !zero.underflow) << of.id;
    EXPECT_TRUE(std::signbit(of.decode(zero.bits))) << of.id;
    const double least = of.facts().smallest_subnormal;
    const auto half = of.encode(-least / 2);
    EXPECT_TRUE(half.underflow) << of.id << ": the tie goes to zero";
    EXPECT_TRUE(std::signbit(of.decode(half.bits))) << of.id;
    EXPECT_EQ(of.encode(std::nextafter(least / 2, 1)).bits, 1U) << of.id;
    EXPECT_TRUE(of.encode(std::nextafter(least, 0), Rounding::TowardZero).underflow) << of.id;
    EXPECT_TRUE(of.encode(5e-324).underflow) << of.id;
    EXPECT_EQ(of.classOf(1), NumberClass::Subnormal) << of.id;
  }
}

TEST(NumberFormat, WalksFromCodeToCode) {
  for (const char* id : {"float16", "bfloat16", "e4m3fn", "e5m2", "int8"}) {
    const auto& of = format(id);
    auto code = of.encode(of.integer() ? -1e9 : -kInfinity, Rounding::NearestEven, !of.has_infinity).bits;
    std::int64_t finite = std::isfinite(of.decode(code)) ? 1 : 0;
    while (const auto next = of.next(code)) {
      ASSERT_GT(of.decode(*next), of.decode(code)) << id;
      ASSERT_EQ(of.decode(of.previous(*next).value()), of.decode(code)) << id;
      if (std::isfinite(of.decode(*next))) {
        ++finite;
        if (std::isfinite(of.decode(code))) {
          const double nearer = std::min(std::fabs(of.decode(code)), std::fabs(of.decode(*next)));
          ASSERT_EQ(of.decode(*next) - of.decode(code), of.step(nearer)) << id;
        }
      }
      code = *next;
    }
    EXPECT_EQ(finite, of.facts().finite_values) << id;
  }
  const auto& half = format("float16");
  EXPECT_EQ(half.next(0x8000), 1U) << "minus zero is zero";
  EXPECT_EQ(half.previous(0x8000), 0x8001U);
  EXPECT_FALSE(half.next(0x7E00).has_value());
  EXPECT_EQ(half.step(0), std::ldexp(1, -24));
  EXPECT_EQ(half.step(1e9), 32);
  EXPECT_TRUE(std::isnan(half.step(std::nan(""))));
}

TEST(NumberFormat, SaysWhatTheCourseAsks) {
  EXPECT_EQ(format("float32").decode(format("float32").encode(16'777'217).bits), 16'777'216);
  EXPECT_EQ(format("bfloat16").decode(format("bfloat16").encode(1 + std::ldexp(1, -9)).bits), 1);
  EXPECT_EQ(format("float16").decode(format("float16").encode(70'000).bits), kInfinity);
}

TEST(NumberFormat, Int8RoundsAndClampsWithItsScale) {
  const auto& plain = format("int8");
  EXPECT_EQ(plain.decode(0x80), -128);
  EXPECT_EQ(plain.decode(0xFF), -1);
  EXPECT_EQ(plain.decode(plain.encode(2.5).bits), 2);
  EXPECT_EQ(plain.decode(plain.encode(3.5).bits), 4);
  EXPECT_EQ(plain.decode(plain.encode(-2.7, Rounding::TowardZero).bits), -2);
  for (const double value : {127.5, 1e300, kInfinity}) {
    EXPECT_EQ(plain.decode(plain.encode(value).bits), 127) << value;
    EXPECT_TRUE(plain.encode(value).overflow) << value;
  }
  EXPECT_EQ(plain.decode(plain.encode(-128.5).bits), -128);
  EXPECT_FALSE(plain.encode(-128.5).overflow);
  EXPECT_TRUE(plain.encode(-129).overflow);
  EXPECT_TRUE(plain.encode(0.5).underflow);
  EXPECT_TRUE(plain.encode(-0.0).exact);
  EXPECT_EQ(plain.encode(std::nan("")).bits, 0U);
  EXPECT_FALSE(plain.encode(std::nan("")).exact);
  const auto fine = plain.withScale(0.25);
  EXPECT_EQ(fine.decode(fine.encode(1.3).bits), 1.25);
  EXPECT_EQ(fine.facts().largest, 31.75);
  EXPECT_EQ(fine.facts().lowest, -32);
  EXPECT_EQ(fine.step(7), 0.25);
  EXPECT_EQ(fine.facts().finite_values, 256);
}

}  // namespace atelier::wire
