#include "kernels/cross_entropy/cross_entropy.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "threads.h"

namespace atelier::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kGuard = -77.0F;

struct Case {
  std::vector<float> logits, gradient;  // the latter with a guard before and after
  std::vector<std::int64_t> targets;
  CrossEntropyRule rule;

  Case(std::int64_t rows, std::int64_t classes, float scale, double smoothing = 0) : rule{rows, classes, smoothing} {
    std::uint32_t seed = static_cast<std::uint32_t>(rows * 31 + classes);
    const auto next = [&] { return seed = seed * 1664525U + 1013904223U; };
    for (std::int64_t i = 0; i < rows * classes; ++i)
      logits.push_back(scale * (static_cast<float>(next() >> 8U) / 8388608.0F - 1.0F));
    for (std::int64_t i = 0; i < rows; ++i) targets.push_back((next() >> 8U) % classes);
    gradient.assign(logits.size() + 2, kGuard);
  }
  Case(std::vector<float> row, std::int64_t target, double smoothing = 0)
      : logits(std::move(row)), targets{target}, rule{1, static_cast<std::int64_t>(logits.size()), smoothing} {
    gradient.assign(logits.size() + 2, kGuard);
  }
  CrossEntropyResult fused(const ParallelFor& parallel = inThisThread) {
    return crossEntropy(logits.data(), targets.data(), gradient.data() + 1, rule, parallel);
  }
  CrossEntropyResult reference() { return crossEntropyReference(logits.data(), targets.data(), gradient.data() + 1, rule); }
  float at(std::size_t i) const { return gradient[i + 1]; }
};

void expectAgreement(Case one, const std::string& what) {
  Case other = one;
  const auto actual = one.fused(), expected = other.reference();
  EXPECT_EQ(actual.counted, expected.counted) << what;
  EXPECT_NEAR(actual.loss, expected.loss, 1e-6 * std::max(1.0, std::fabs(expected.loss))) << what;
  EXPECT_EQ(one.gradient.front(), kGuard) << what << ": wrote before the beginning";
  EXPECT_EQ(one.gradient.back(), kGuard) << what << ": wrote past the end";
  const auto count = static_cast<float>(std::max<std::int64_t>(1, expected.counted));
  for (std::size_t i = 0; i < one.logits.size(); ++i) ASSERT_NEAR(one.at(i), other.at(i), 1e-6F / count) << what << " at " << i;
}

}  // namespace

TEST(CrossEntropy, AgreesWithTheReferenceAtOddSizes) {
  for (const std::int64_t rows : {1, 2, 5, 129})
    for (const std::int64_t classes : {1, 2, 3, 7, 8, 10, 15, 17, 33, 1000, 4097})
      for (const double smoothing : {0.0, 0.1, 1.0})
        expectAgreement({rows, classes, 8.0F, smoothing},
                        std::to_string(rows) + " × " + std::to_string(classes) + ", " + std::to_string(smoothing));
}

TEST(CrossEntropy, SoftmaxOfEvenLogitsIsEven) {
  Case one({2, 2, 2, 2}, 1);
  const auto result = one.fused();
  EXPECT_NEAR(result.loss, std::log(4.0), 1e-12);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(one.at(i), i == 1 ? -0.75F : 0.25F);
}

// A gradient is the slope of the loss: (loss(x + h) − loss(x − h)) ÷ 2h, in float64 as far as logits go.
TEST(CrossEntropy, TheGradientIsTheLossesSlope) {
  Case one(3, 5, 2.0F, 0.2);
  one.targets[1] = one.rule.ignored;
  one.fused();
  for (std::size_t i = 0; i < one.logits.size(); ++i) {
    Case more = one, less = one;
    const float h = 1.0F / 256;
    more.logits[i] += h;
    less.logits[i] -= h;
    const double slope =
        (more.fused().loss - less.fused().loss) / (static_cast<double>(more.logits[i]) - static_cast<double>(less.logits[i]));
    EXPECT_NEAR(one.at(i), slope, 1e-5) << i;
  }
}

TEST(CrossEntropy, ThreadsDoNotChangeABit) {
  Case alone(1001, 10, 5.0F, 0.1);
  const auto expected = alone.fused();
  for (const std::int64_t threads : {2, 3, 8}) {
    Case other(1001, 10, 5.0F, 0.1);
    EXPECT_EQ(other.fused(inThreads(threads)).loss, expected.loss);
    EXPECT_EQ(other.gradient, alone.gradient);
  }
}

TEST(CrossEntropy, IgnoredRowsCountForNothing) {
  Case all(4, 6, 3.0F), some(4, 6, 3.0F);
  some.targets[1] = some.targets[3] = some.rule.ignored;
  const auto result = some.fused();
  EXPECT_EQ(result.counted, 2);
  for (const std::size_t row : {1U, 3U})
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(some.at(row * 6 + i), 0.0F);
  // Half as many count, so each weighs twice.
  all.fused();
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(some.at(i), 2 * all.at(i), 1e-6F);
}

TEST(CrossEntropy, AnIgnoredTargetMayBeAClass) {
  Case one(4, 3, 3.0F);
  one.rule.ignored = 0;
  one.targets = {0, 1, 0, 2};
  EXPECT_EQ(one.fused().counted, 2);
  expectAgreement(one, "class 0 ignored");
}

TEST(CrossEntropy, OfNoRowsTheMeanIsNotANumber) {
  Case none(0, 4, 1.0F);
  EXPECT_TRUE(std::isnan(none.fused().loss));
  Case ignored(2, 4, 1.0F);
  ignored.targets = {-100, -100};
  EXPECT_TRUE(std::isnan(ignored.fused().loss));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(ignored.at(i), 0.0F);
}

TEST(CrossEntropy, ATargetThatIsNoClassIsNamedAndNothingWritten) {
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{3}, std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()}) {
    Case one(5, 3, 1.0F);
    one.targets[2] = one.targets[4] = bad;
    EXPECT_EQ(one.fused().bad_row, 2);
    EXPECT_EQ(one.gradient, std::vector<float>(17, kGuard));
    EXPECT_EQ(one.reference().bad_row, 2);
  }
}

TEST(CrossEntropy, OneClassCostsNothing) {
  for (const double smoothing : {0.0, 0.3}) {
    Case one(std::vector<float>{5}, 0, smoothing);
    EXPECT_NEAR(one.fused().loss, 0, 1e-12);
    EXPECT_NEAR(one.at(0), 0, 1e-7);
  }
}

TEST(CrossEntropy, HugeLogitsAreTaken) {
  Case sure({3e38F, -3e38F, 0}, 0);
  EXPECT_EQ(sure.fused().loss, 0);
  EXPECT_EQ(sure.at(0), 0.0F);
  Case wrong({3e38F, -3e38F, 0}, 1);
  EXPECT_NEAR(wrong.fused().loss, 6e38, 1e31);
  EXPECT_EQ(wrong.at(0), 1.0F);
  EXPECT_EQ(wrong.at(1), -1.0F);
  Case even({1e30F, 1e30F}, 0);
  EXPECT_NEAR(even.fused().loss, std::log(2.0), 1e-9);
  Case smoothed({1e30F, 1e30F}, 0, 0.5);
  EXPECT_NEAR(smoothed.fused().loss, std::log(2.0), 1e-9);
  for (const float offset : {-80.0F, -86.9F, -87.1F, -90.0F, -104.0F, -200.0F})
    expectAgreement({{0, offset, 0}, 1}, "far below");
}

TEST(CrossEntropy, MinusInfinityIsAProbabilityOfNothing) {
  Case other({0, -kInfinity, 0}, 0);
  EXPECT_NEAR(other.fused().loss, std::log(2.0), 1e-7);
  EXPECT_EQ(other.at(1), 0.0F);
  Case target({0, -kInfinity, 0}, 1);
  EXPECT_EQ(target.fused().loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(target.at(1), -1.0F);
  EXPECT_FLOAT_EQ(target.at(0), 0.5F);
  Case smoothed({0, -kInfinity, 0}, 0, 0.3);
  EXPECT_EQ(smoothed.fused().loss, std::numeric_limits<double>::infinity());
  EXPECT_FLOAT_EQ(smoothed.at(1), -0.1F);
}

TEST(CrossEntropy, WhatIsNotANumberStaysInItsRow) {
  for (const auto& row : {std::vector<float>{0, kNaN, 1, 2, 3}, std::vector<float>{kInfinity, 0, 0, 0, 0},
                          std::vector<float>(5, -kInfinity), std::vector<float>(5, kNaN)})
    for (const bool ignored : {false, true}) {
      Case one(3, 5, 1.0F);
      std::copy(row.begin(), row.end(), one.logits.begin() + 5);
      if (ignored) one.targets[1] = one.rule.ignored;
      EXPECT_EQ(std::isnan(one.fused().loss), !ignored);
      for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(std::isnan(one.at(i)), i / 5 == 1) << i;
      EXPECT_EQ(std::isnan(one.reference().loss), !ignored);
      for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(std::isnan(one.at(i)), i / 5 == 1) << i;
    }
}

}  // namespace atelier::kernels
