#include "kernels/float8/float8.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "threads.h"

namespace atelier::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint8_t> encode(const std::vector<float>& values, Float8 format, Infinities infinities) {
  std::vector<std::uint8_t> codes(values.size());
  toFloat8(values.data(), codes.data(), static_cast<std::int64_t>(values.size()), 1, format, infinities, inThisThread);
  return codes;
}
std::uint8_t encode(float value, Float8 format, Infinities infinities = Infinities::Saturate) {
  return encode(std::vector<float>{value}, format, infinities).front();
}

void expectReference(const std::vector<float>& values) {
  for (const auto format : {Float8::E4M3, Float8::E5M2})
    for (const auto infinities : {Infinities::Saturate, Infinities::Keep}) {
      const auto codes = encode(values, format, infinities);
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(codes[i], float8CodeReference(values[i], format, infinities))
            << std::hexfloat << values[i] << " in format " << static_cast<int>(format);
    }
}

}  // namespace

class Float8Formats : public testing::TestWithParam<Float8> {};
INSTANTIATE_TEST_SUITE_P(All, Float8Formats, testing::Values(Float8::E4M3, Float8::E5M2));

// The tables of the Open Compute Project's specification.
TEST(Float8, ValuesOfNote) {
  const auto value = [](int code, Float8 format) { return float8Value(static_cast<std::uint8_t>(code), format); };
  EXPECT_EQ(value(0x00, Float8::E4M3), 0.0F);
  EXPECT_TRUE(std::signbit(value(0x80, Float8::E4M3)));
  EXPECT_EQ(value(0x01, Float8::E4M3), std::ldexp(1.0F, -9));
  EXPECT_EQ(value(0x07, Float8::E4M3), std::ldexp(7.0F, -9));
  EXPECT_EQ(value(0x08, Float8::E4M3), std::ldexp(1.0F, -6));
  EXPECT_EQ(value(0x38, Float8::E4M3), 1.0F);
  EXPECT_EQ(value(0x7E, Float8::E4M3), 448.0F);
  EXPECT_EQ(value(0xFE, Float8::E4M3), -448.0F);
  EXPECT_TRUE(std::isnan(value(0x7F, Float8::E4M3)) && std::isnan(value(0xFF, Float8::E4M3)));
  EXPECT_EQ(value(0x01, Float8::E5M2), std::ldexp(1.0F, -16));
  EXPECT_EQ(value(0x04, Float8::E5M2), std::ldexp(1.0F, -14));
  EXPECT_EQ(value(0x3C, Float8::E5M2), 1.0F);
  EXPECT_EQ(value(0x7B, Float8::E5M2), 57344.0F);
  EXPECT_EQ(value(0x7C, Float8::E5M2), kInfinity);
  EXPECT_EQ(value(0xFC, Float8::E5M2), -kInfinity);
  for (const int code : {0x7D, 0x7E, 0x7F, 0xFD, 0xFF}) EXPECT_TRUE(std::isnan(value(code, Float8::E5M2))) << code;
  EXPECT_EQ(float8Largest(Float8::E4M3), 448.0F);
  EXPECT_EQ(float8Largest(Float8::E5M2), 57344.0F);
}

TEST_P(Float8Formats, EveryCodeComesBack) {
  std::vector<std::uint8_t> codes(256);
  for (unsigned i = 0; i < 256; ++i) codes[i] = static_cast<std::uint8_t>(i);
  std::vector<float> values(256);
  fromFloat8(codes.data(), values.data(), 256, 1, GetParam(), inThisThread);
  const auto again = encode(values, GetParam(), Infinities::Keep);
  for (unsigned i = 0; i < 256; ++i) {
    if (std::isnan(values[i])) EXPECT_TRUE((again[i] & 0x7F) == 0x7F) << i;
    else EXPECT_EQ(again[i], codes[i]) << i;
  }
  for (unsigned i = 1; i <= (GetParam() == Float8::E4M3 ? 0x7EU : 0x7CU); ++i) EXPECT_GT(values[i], values[i - 1]) << i;
}

TEST(Float8, EveryBfloat16IsRoundedAsTheReferenceDoes) {
  std::vector<float> values(65536);
  for (std::uint32_t i = 0; i < 65536; ++i) values[i] = std::bit_cast<float>(i << 16U);
  expectReference(values);
}

TEST_P(Float8Formats, TiesGoToTheEvenCodeAndTheirNeighboursToTheNearest) {
  const std::uint8_t largest = GetParam() == Float8::E4M3 ? 0x7E : 0x7B;
  for (std::uint8_t code = 0; code < largest; ++code)
    for (const float sign : {1.0F, -1.0F}) {
      const float low = float8Value(code, GetParam()), high = float8Value(code + 1, GetParam());
      const float half = sign * (low + high) / 2;  // exact
      const std::uint8_t bit = sign < 0 ? 0x80 : 0;
      EXPECT_EQ(encode(half, GetParam()), bit | (code % 2 == 0 ? code : code + 1)) << half;
      EXPECT_EQ(encode(std::nextafter(half, 0.0F), GetParam()), bit | code) << half;
      EXPECT_EQ(encode(std::nextafter(half, sign * kInfinity), GetParam()), bit | (code + 1)) << half;
    }
}

TEST_P(Float8Formats, WhatIsTooLargeSaturates) {
  const auto most = float8Largest(GetParam());
  const std::uint8_t largest = GetParam() == Float8::E4M3 ? 0x7E : 0x7B;
  for (const float factor : {1.0F, 1.03F, 1.1F, 2.0F, 1000.0F})
    for (const auto infinities : {Infinities::Saturate, Infinities::Keep}) {
      EXPECT_EQ(encode(most * factor, GetParam(), infinities), largest) << factor;
      EXPECT_EQ(encode(-most * factor, GetParam(), infinities), largest | 0x80) << factor;
    }
  EXPECT_EQ(encode(std::numeric_limits<float>::max(), GetParam(), Infinities::Keep), largest);
  EXPECT_EQ(encode(kInfinity, GetParam()), largest);
  EXPECT_EQ(encode(-kInfinity, GetParam()), largest | 0x80);
  EXPECT_EQ(encode(kInfinity, GetParam(), Infinities::Keep), largest + 1);
  EXPECT_EQ(encode(-kInfinity, GetParam(), Infinities::Keep), (largest + 1) | 0x80);
}

TEST_P(Float8Formats, NotANumberStaysOne) {
  for (const std::uint32_t bits : {0x7FC00000U, 0x7F800001U, 0x7FFFFFFFU})
    for (const std::uint32_t sign : {0U, 0x80000000U})
      for (const auto infinities : {Infinities::Saturate, Infinities::Keep})
        EXPECT_EQ(encode(std::bit_cast<float>(bits | sign), GetParam(), infinities), 0x7FU | (sign >> 24U));
}

TEST(Float8, SubnormalFloatsAreZeroOfTheirSign) {
  expectReference(
      {std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::denorm_min(), 1e-40F, -1e-40F, 0.0F, -0.0F});
  EXPECT_EQ(encode(-1e-40F, Float8::E5M2), 0x80);
}

TEST_P(Float8Formats, OddSizesOffsetsThreadsAndFactors) {
  for (const std::size_t count : {0UL, 1UL, 7UL, 31UL, 33UL, 16383UL, 16384UL, 40001UL}) {
    std::vector<float> values(count + 1), back(count + 2, -7.0F);
    for (std::size_t i = 0; i <= count; ++i) values[i] = std::sin(static_cast<float>(i)) * 3;
    std::vector<std::uint8_t> codes(count + 4, 0xAB);
    const auto number = static_cast<std::int64_t>(count);
    toFloat8(values.data() + 1, codes.data() + 3, number, 20, GetParam(), Infinities::Saturate, inThreads(3));
    fromFloat8(codes.data() + 3, back.data() + 1, number, 20, GetParam(), inThreads(2));
    EXPECT_EQ(codes[2], 0xAB);
    EXPECT_EQ(back[0], -7.0F);
    EXPECT_EQ(back[count + 1], -7.0F);
    for (std::size_t i = 0; i < count; ++i) {
      const auto code = float8CodeReference(values[i + 1] * 20, GetParam(), Infinities::Saturate);
      ASSERT_EQ(codes[i + 3], code) << count << " at " << i;
      ASSERT_EQ(back[i + 1], float8Value(code, GetParam()) / 20) << count << " at " << i;
    }
  }
}

TEST_P(Float8Formats, NothingIsWrittenPastTheEnd) {
  for (std::int64_t count = 0; count < 70; ++count) {
    const std::vector<float> values(static_cast<std::size_t>(count), 1.0F);
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(count) + 64, 0xAB);
    toFloat8(values.data(), codes.data(), count, 1, GetParam(), Infinities::Saturate, inThisThread);
    for (auto i = static_cast<std::size_t>(count); i < codes.size(); ++i) ASSERT_EQ(codes[i], 0xAB) << count << " at " << i;
  }
}

TEST_P(Float8Formats, AFactorMakesTheLargestValueTheFormatsLargest) {
  std::vector<float> values(20000, 0.25F);
  values[19999] = -3.5F;
  const float factor = float8Factor(values.data(), 20000, GetParam(), inThreads(2));
  EXPECT_FLOAT_EQ(factor, float8Largest(GetParam()) / 3.5F);
  EXPECT_EQ(factor, float8FactorReference(values.data(), 20000, GetParam()));
  const std::uint8_t largest = GetParam() == Float8::E4M3 ? 0xFE : 0xFB;
  std::vector<std::uint8_t> codes(values.size());
  toFloat8(values.data(), codes.data(), 20000, factor, GetParam(), Infinities::Saturate, inThisThread);
  EXPECT_EQ(codes[19999], largest);
}

TEST_P(Float8Formats, FactorsOfWhatCannotBeScaled) {
  const auto factor = [&](std::vector<float> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    const float found = float8Factor(values.data(), count, GetParam(), inThisThread);
    EXPECT_EQ(found, float8FactorReference(values.data(), count, GetParam()));
    return found;
  };
  EXPECT_EQ(factor({}), 1);
  EXPECT_EQ(factor({0, -0.0F}), 1);
  EXPECT_EQ(factor({1, kNaN, 2}), 1);
  EXPECT_EQ(factor({1, -kInfinity}), 1);
  EXPECT_EQ(factor({1e-40F}), std::numeric_limits<float>::max());
}

TEST_P(Float8Formats, EachRowHasItsFactor) {
  for (const std::int64_t columns : {1, 3, 17, 20000}) {
    const std::int64_t rows = 5;
    std::vector<float> values(static_cast<std::size_t>(rows * columns)), factors(7, -7.0F);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(static_cast<float>(i)) * static_cast<float>(i % 13);
    for (std::int64_t i = 0; i < columns; ++i) values[static_cast<std::size_t>(2 * columns + i)] = 0;
    float8RowFactors(values.data(), factors.data() + 1, rows, columns, GetParam(), inThreads(2));
    for (std::int64_t row = 0; row < rows; ++row)
      EXPECT_EQ(factors[static_cast<std::size_t>(row + 1)],
                float8FactorReference(values.data() + row * columns, columns, GetParam()));
    EXPECT_EQ(factors[3], 1.0F);
    EXPECT_EQ(factors[0], -7.0F);
    EXPECT_EQ(factors[6], -7.0F);
  }
}

}  // namespace atelier::kernels
