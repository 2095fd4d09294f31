#include "core/trace/roofline.h"

#include <limits>

#include <gtest/gtest.h>

namespace atelier::trace {
namespace {

// 100 GFLOP/s and 10 GB/s: the roof bends at 10 FLOP a byte.
Peaks peaks() {
  Peaks made;
  made.fp32_flops = 100e9;
  made.bf16_flops = 400e9;
  made.bytes_per_second = 10e9;
  return made;
}

OperatorRow row(std::int32_t name, double flops, std::int64_t bytes, std::int64_t ns) {
  OperatorRow made;
  made.name = name;
  made.flops = flops;
  made.bytes = bytes;
  made.self_ns = ns;
  made.flops_per_second = flops / static_cast<double>(ns) * 1e9;
  return made;
}

}  // namespace

TEST(Roofline, TheRoofIsThePeakOrTheBandwidth) {
  // 1 GFLOP over 10 MB in 20 ms: 100 FLOP a byte, 50 of 100 GFLOP/s
  // 10 MFLOP over 10 MB in 2 ms: 1 FLOP a byte, 5 of 10 GFLOP/s
  const auto points = roofline({row(1, 1e9, 10'000'000, 20'000'000), row(2, 1e7, 10'000'000, 2'000'000)}, peaks());
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].name, 1);
  EXPECT_DOUBLE_EQ(points[0].intensity, 100);
  EXPECT_DOUBLE_EQ(points[0].flops_per_second, 50e9);
  EXPECT_DOUBLE_EQ(points[0].roof, 100e9);
  EXPECT_DOUBLE_EQ(points[0].share, 0.5);
  EXPECT_FALSE(points[0].memory_bound);
  EXPECT_DOUBLE_EQ(points[1].intensity, 1);
  EXPECT_DOUBLE_EQ(points[1].roof, 10e9);
  EXPECT_DOUBLE_EQ(points[1].share, 0.5);
  EXPECT_TRUE(points[1].memory_bound);
}

TEST(Roofline, ARowInAnotherDtypeHasItsOwnPeak) {
  auto brain = row(1, 1e9, 1'000'000, 5'000'000);  // 200 GFLOP/s, half of bfloat16's peak
  brain.peak_share = 0.5;
  const auto points = roofline({brain}, peaks());
  ASSERT_EQ(points.size(), 1U);
  EXPECT_DOUBLE_EQ(points[0].roof, 400e9);
  EXPECT_DOUBLE_EQ(points[0].share, 0.5);
}

TEST(Roofline, MostTimeFirstAndTheDevicesTimeWhereThereIsOne) {
  auto onDevice = row(2, 1e6, 1'000, 10);
  onDevice.device_self_ns = 9'000;
  const auto points = roofline({row(1, 1e6, 1'000, 5'000), onDevice, row(3, 1e6, 1'000, 7'000)}, peaks());
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].name, 2);
  EXPECT_EQ(points[0].self_ns, 9'000);
  EXPECT_EQ(points[1].name, 3);
  EXPECT_EQ(points[2].name, 1);
}

TEST(Roofline, WhatIsNotKnownMakesNoPoint) {
  EXPECT_TRUE(roofline({row(1, 0, 1'000, 10), row(2, 1e6, 0, 10)}, peaks()).empty());
  auto timeless = row(3, 1e6, 1'000, 1);
  timeless.self_ns = 0;
  EXPECT_TRUE(roofline({timeless}, peaks()).empty());
  EXPECT_TRUE(roofline({}, peaks()).empty());
}

TEST(Roofline, WithoutMeasuredPeaksThereIsNoRoof) {
  const auto points = roofline({row(1, 1e9, 10'000'000, 20'000'000)}, Peaks{});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].roof, 0);
  EXPECT_EQ(points[0].share, 0);
  EXPECT_FALSE(points[0].memory_bound);
  Peaks noBandwidth;
  noBandwidth.fp32_flops = 100e9;
  EXPECT_DOUBLE_EQ(roofline({row(1, 1e7, 10'000'000, 20'000'000)}, noBandwidth)[0].roof, 100e9);
}

TEST(Peaks, HalfPrecisionHasThePeakOfTheMatrixUnits) {
  EXPECT_DOUBLE_EQ(peaks().peakFor("float"), 100e9);
  EXPECT_DOUBLE_EQ(peaks().peakFor("c10::BFloat16"), 400e9);
  EXPECT_DOUBLE_EQ(peaks().peakFor("c10::Half"), 400e9);
  EXPECT_DOUBLE_EQ(peaks().peakFor(""), 100e9);
  Peaks single;
  single.fp32_flops = 100e9;
  EXPECT_DOUBLE_EQ(single.peakFor("c10::BFloat16"), 100e9);
}

TEST(Peaks, AreTheSameWhenReadAgain) {
  auto written = peaks();
  written.name = "Intel Xeon";
  written.cores = 2;
  const auto read = peaksFromJson(nlohmann::json::parse(toJson(written).dump()));
  EXPECT_EQ(read.name, "Intel Xeon");
  EXPECT_EQ(read.cores, 2);
  EXPECT_EQ(read.fp32_flops, 100e9);
  EXPECT_EQ(read.bf16_flops, 400e9);
  EXPECT_EQ(read.bytes_per_second, 10e9);
}

TEST(Peaks, WhatIsNoRateIsNotMeasured) {
  const auto read =
      peaksFromJson({{"name", 7}, {"cores", -1}, {"fp32_flops", "fast"}, {"bf16_flops", nullptr}, {"bytes_per_second", -5}});
  EXPECT_EQ(read.name, "");
  EXPECT_EQ(read.cores, 0);
  EXPECT_EQ(read.fp32_flops, 0);
  EXPECT_EQ(read.bf16_flops, 0);
  EXPECT_EQ(read.bytes_per_second, 0);
  EXPECT_EQ(peaksFromJson(nlohmann::json::array()).fp32_flops, 0);
  Peaks broken;
  broken.fp32_flops = std::numeric_limits<double>::infinity();
  EXPECT_EQ(toJson(broken)["fp32_flops"], 0);
}

}  // namespace atelier::trace
