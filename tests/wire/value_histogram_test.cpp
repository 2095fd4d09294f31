#include "core/wire/value_histogram.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/wire/health.h"

namespace atelier::wire {
namespace {

using nlohmann::json;

ValueHistogram of(std::initializer_list<double> values) {
  ValueHistogram histogram;
  for (const double value : values) histogram.add(value);
  return histogram;
}

}  // namespace

TEST(ValueHistogram, CountsByPowersOfTwoAndTheRestBeside) {
  const auto histogram =
      of({1, 1.99, -2, 0.75, 0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 5e-324, std::numeric_limits<double>::max()});
  EXPECT_EQ(histogram.bin(0), 2);
  EXPECT_EQ(histogram.bin(1), 1);
  EXPECT_EQ(histogram.bin(-1), 1);
  EXPECT_EQ(histogram.bin(ValueHistogram::kLowest), 1);
  EXPECT_EQ(histogram.bin(ValueHistogram::kHighest), 1);
  EXPECT_EQ(histogram.bin(500), 0);
  EXPECT_EQ(histogram.zeros, 2);
  EXPECT_EQ(histogram.negatives, 2);
  EXPECT_EQ(histogram.infinities, 2);
  EXPECT_EQ(histogram.nans, 1);
  EXPECT_EQ(histogram.finite(), 6);
  EXPECT_EQ(histogram.count(), 11);
  EXPECT_EQ(histogram.lowestBin(), ValueHistogram::kLowest);
  EXPECT_EQ(histogram.highestBin(), ValueHistogram::kHighest);
  EXPECT_TRUE(ValueHistogram().empty());
}

TEST(ValueHistogram, AddsUp) {
  auto sum = of({1, 0, -4});
  sum.add(of({1.5, std::nan(""), 1024}));
  EXPECT_EQ(sum, of({1, 0, -4, 1.5, std::nan(""), 1024}));
  sum.add(ValueHistogram());
  EXPECT_EQ(sum.largest, 1024);
}

TEST(ValueHistogram, TellsWhatAFormatWouldLose) {
  // 2^-30 becomes zero in float16, 2^-20 is subnormal, 70,000 overflows.
  const auto histogram = of({std::ldexp(1, -30), std::ldexp(1, -20), 1, 70'000, 0});
  const auto half = histogram.outside(*findNumberFormat("float16"));
  EXPECT_DOUBLE_EQ(half.zero, 0.25);
  EXPECT_DOUBLE_EQ(half.subnormal, 0.25);
  EXPECT_DOUBLE_EQ(half.overflow, 0.25);
  EXPECT_DOUBLE_EQ(half.lost(), 0.5);
  for (const char* id : {"float32", "tf32", "bfloat16"}) {
    const auto shares = histogram.outside(*findNumberFormat(id));
    EXPECT_EQ(shares.lost() + shares.subnormal, 0) << id;
  }
  EXPECT_EQ(ValueHistogram().outside(*findNumberFormat("int8")).lost(), 0);
  const auto nothing = of({0, std::nan(""), HUGE_VAL}).outside(*findNumberFormat("e4m3fn"));
  EXPECT_EQ(nothing.lost(), 0) << "zeros and what is not finite are lost to nobody";
}

TEST(ValueHistogram, AgreesWithEncodingEachValue) {
  std::mt19937 random(3);
  std::normal_distribution<double> exponent(-8, 12);
  std::uniform_real_distribution<double> mantissa(1, 2);
  ValueHistogram histogram;
  std::vector<double> values;
  for (int i = 0; i < 50'000; ++i) values.push_back(std::ldexp(mantissa(random), static_cast<int>(exponent(random))));
  for (const double value : values) histogram.add(value);
  for (const auto& format : numberFormats())
    for (const double scale : {1.0, 1024.0, 1.0 / 64}) {
      double zero = 0, subnormal = 0, overflow = 0;
      for (const double value : values) {
        const auto encoded = format.encode(value * scale);
        zero += encoded.underflow ? 1 : 0;
        overflow += encoded.overflow ? 1 : 0;
        subnormal += format.classOf(encoded.bits) == NumberClass::Subnormal ? 1 : 0;
      }
      const auto shares = histogram.outside(format, scale);
      const auto count = static_cast<double>(values.size());
      EXPECT_NEAR(shares.zero, zero / count, 0.005) << format.id << " " << scale;
      EXPECT_NEAR(shares.subnormal, subnormal / count, 0.012) << format.id << " " << scale;
      EXPECT_NEAR(shares.overflow, overflow / count, 0.005) << format.id << " " << scale;
    }
}

TEST(ValueHistogram, TheLargestDecidesWhetherAnythingOverflows) {
  const auto& half = *findNumberFormat("float16");
  EXPECT_EQ(of({65'000}).outside(half).overflow, 0) << "its bin reaches to 65,536, it does not";
  EXPECT_EQ(of({65'530}).outside(half).overflow, 1);
}

TEST(ValueHistogram, FindsTheScaleThatSavesMost) {
  const auto& half = *findNumberFormat("float16");
  const auto small = of({std::ldexp(1, -30), std::ldexp(1, -28), std::ldexp(1, -20), 1});
  const int best = small.bestScale(half);
  EXPECT_EQ(best, 14) << "2^-28 is normal from 2^14 on; 2^-30 from 2^16 on, where 1 overflows";
  EXPECT_EQ(small.outside(half, std::ldexp(1, best)).zero, 0);
  EXPECT_EQ(small.outside(half, std::ldexp(1, best)).overflow, 0);
  EXPECT_EQ(of({1, 2, 3}).bestScale(half), 0) << "nothing to save";
  EXPECT_EQ(of({1 << 20}).bestScale(half), -5) << "2^20 has to come below 65,520";
  EXPECT_EQ(ValueHistogram().bestScale(half), 0);
}

TEST(ValueHistogram, IsTheSameAfterJson) {
  for (const auto& before : {ValueHistogram(), of({0, 0}), of({1, -1e-20, 3e30, std::nan(""), HUGE_VAL, 0})}) {
    const auto after = histogramFromJson(json::parse(toJson(before).dump()));
    EXPECT_EQ(after, before);
  }
  ValueHistograms all;
  all.weights.add(1);
  all.gradients.add(1e-9);
  EXPECT_EQ(histogramsFromJson(json::parse(toJson(all).dump())), all);
}

TEST(ValueHistogram, ReadsWhatAnybodyMayHaveWritten) {
  for (const char* text : {"null", "[]", "7", "{}", R"({"bins":{},"first":0})", R"({"bins":[1,2],"first":"0"})",
                           R"({"bins":[-1,"x",null,2.5,[]],"first":0,"zeros":-3,"nans":"1","largest":"x"})",
                           R"({"bins":[5],"first":1000000000000000000})", R"({"bins":[5],"first":-18446744073709551615})"})
    EXPECT_TRUE(histogramFromJson(json::parse(text)).empty()) << text;
  const auto huge = histogramFromJson(
      json::parse(R"({"bins":[18446744073709551615,9223372036854775807],"first":126,"zeros":18446744073709551615})"));
  EXPECT_GT(huge.count(), 0) << "no sum overflows";
  const auto odd = histogramFromJson(json::parse(R"({"bins":[4,5],"first":127,"largest":3})"));
  EXPECT_EQ(odd.bin(127), 4);
  EXPECT_EQ(odd.bin(128), 5);
  EXPECT_GE(odd.largest, std::ldexp(1, 128)) << "it can't be smaller than its bin";
  const auto unsaid = histogramFromJson(json::parse(R"({"bins":[4],"first":3})"));
  EXPECT_EQ(unsaid.largest, 16);
}

TEST(ValueHistogram, TravelsInHealthAndIsAbsentInOldRecords) {
  Health health;
  EXPECT_FALSE(toJson(health).contains("histograms"));
  EXPECT_TRUE(healthFromJson(toJson(health)).histograms.empty());
  health.histograms.activations = of({1, 2, 0});
  EXPECT_EQ(healthFromJson(json::parse(toJson(health).dump())).histograms, health.histograms);
  EXPECT_TRUE(healthFromJson(json::parse(R"({"step":3,"histograms":[1]})")).histograms.empty());
}

}  // namespace atelier::wire
