#include "core/engine/session/statistics.h"

#include <random>

#include <gtest/gtest.h>

namespace atelier::engine {

TEST(Median, IntervalByOrderStatistics) {
  const auto ten = medianInterval({10, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_DOUBLE_EQ(ten.median, 5.5);
  EXPECT_DOUBLE_EQ(ten.low, 2);  // ranks 2 and 9 of 10 cover 97.9 %
  EXPECT_DOUBLE_EQ(ten.high, 9);
  const auto six = medianInterval({1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(six.low, 1);
  EXPECT_DOUBLE_EQ(six.high, 6);
  const auto one = medianInterval({7});
  EXPECT_DOUBLE_EQ(one.low, 7);
  EXPECT_EQ(one.count, 1);
}

TEST(Median, IntervalCoversTheTrueMedianNinetyFiveTimesInAHundred) {
  std::mt19937 generator(3);
  std::lognormal_distribution<double> noise(0, 0.3);  // median 1, skewed as timings are
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> values(12);
    for (auto& value : values) value = noise(generator);
    const auto interval = medianInterval(values);
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(covered, kTrials * 0.95);
  EXPECT_LE(covered, kTrials * 0.995);
}

TEST(Quantile, Interpolates) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.9), 9);
  EXPECT_DOUBLE_EQ(quantile({4}, 0.99), 4);
}

TEST(Verdict, SaysFasterSlowerNoDifferenceOrBusy) {
  EXPECT_EQ(raceVerdict({1.4, 1.3, 1.5, 10}, 10, 0), "faster");
  EXPECT_EQ(raceVerdict({0.7, 0.6, 0.8, 10}, 10, 0), "slower");
  EXPECT_EQ(raceVerdict({1.0, 0.97, 1.03, 10}, 10, 0), "no-difference");
  EXPECT_EQ(raceVerdict({1.01, 1.005, 1.015, 10}, 10, 0), "no-difference") << "a hundredth is of no practical weight";
  EXPECT_EQ(raceVerdict({1.4, 1.3, 1.5, 3}, 3, 0), "machine-busy") << "too few pairs";
  EXPECT_EQ(raceVerdict({1.4, 1.3, 1.5, 7}, 7, 8), "machine-busy") << "more discarded than kept";
  EXPECT_EQ(raceVerdict({1.1, 0.7, 1.6, 10}, 10, 0), "machine-busy") << "too wide to say anything";
}

TEST(Verdict, AgainstItselfIsRarelyADifference) {
  std::mt19937 generator(11);
  std::normal_distribution<double> noise(0, 0.03);
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> ratios(10);
    for (auto& ratio : ratios) ratio = std::exp(noise(generator));
    const auto verdict = raceVerdict(medianInterval(ratios), 10, 0);
    wrong += verdict == "faster" || verdict == "slower";
  }
  EXPECT_LE(wrong, 30);
}

TEST(SameAccuracy, WithinTheIntervalOfTheDifference) {
  EXPECT_TRUE(sameAccuracy(0.881, 0.883, 10000, 10000));
  EXPECT_TRUE(sameAccuracy(0.85, 0.83, 300, 300));
  EXPECT_FALSE(sameAccuracy(0.88, 0.84, 10000, 10000));
  EXPECT_FALSE(sameAccuracy(0.5, 0.5, 0, 100));
}

}  // namespace atelier::engine
