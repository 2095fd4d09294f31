#include "core/engine/session/race_tally.h"

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "core/engine/session/statistics.h"

namespace atelier::engine {
namespace {

constexpr int kPairs = 50;

RaceTally tallyOf(const std::vector<double>& ratios) {
  RaceTally tally;
  for (const double ratio : ratios) tally.add(ratio, false);
  return tally;
}

// The verdict on which a race stops that is looked at after each pair, or "" when it goes its whole way.
std::string decidedVerdict(const std::function<double()>& ratio) {
  RaceTally tally;
  for (int i = 0; i < kPairs; ++i) {
    tally.add(ratio(), false);
    if (tally.decided()) return tally.verdict();
  }
  return "";
}

// The shares of races that stop on each verdict when the true ratio is `ratio` and a pair's noise (log-normal) has this
// deviation.
std::map<std::string, double> shares(double ratio, double noise) {
  constexpr int kRaces = 1500;
  std::mt19937 generator(5);
  std::normal_distribution<double> normal(0, noise);
  std::map<std::string, double> decided;
  for (int i = 0; i < kRaces; ++i) decided[decidedVerdict([&] { return ratio * std::exp(normal(generator)); })] += 1.0 / kRaces;
  return decided;
}

}  // namespace

TEST(DecisionInterval, CoversNinetyNinePercentFromEightValuesOn) {
  const auto eight = decisionInterval({8, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_DOUBLE_EQ(eight.low, 1);
  EXPECT_DOUBLE_EQ(eight.high, 8);
  std::vector<double> values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  const auto wide = decisionInterval(values), narrow = medianInterval(values);
  EXPECT_DOUBLE_EQ(wide.low, 4) << "ranks 4 and 17 of 20 cover 99.7 %, 5 and 16 only 98.8 %";
  EXPECT_DOUBLE_EQ(wide.high, 17);
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_DOUBLE_EQ(wide.median, narrow.median);
  const auto many = decisionInterval(std::vector<double>(1500, 1.0));
  EXPECT_DOUBLE_EQ(many.low, 1);
  EXPECT_EQ(many.count, 1500);
}

TEST(RaceDecided, WantsEightPairsAndAnIntervalOnOneSide) {
  EXPECT_FALSE(raceDecided(std::vector<double>(7, 1.5))) << "seven cover 98.4 % at most";
  EXPECT_TRUE(raceDecided(std::vector<double>(8, 1.5)));
  EXPECT_TRUE(raceDecided(std::vector<double>(8, 0.9)));
  EXPECT_TRUE(raceDecided(std::vector<double>(8, 1.0)));
  EXPECT_FALSE(raceDecided({1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.01})) << "one of eight says otherwise";
  EXPECT_FALSE(raceDecided({1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.03}));
  EXPECT_FALSE(raceDecided({}));
}

TEST(RaceTally, LeavesDisturbedPairsOutAndCountsThem) {
  RaceTally tally;
  EXPECT_FALSE(tally.ratio().has_value());
  EXPECT_EQ(tally.verdict(), "machine-busy");
  tally.add(9, true);
  EXPECT_DOUBLE_EQ(tally.ratio()->median, 9) << "with no calm pair the ratio is shown all the same";
  for (int i = 0; i < 8; ++i) tally.add(1.5, false);
  EXPECT_EQ(tally.pairs(), 8);
  EXPECT_EQ(tally.discarded(), 1);
  EXPECT_DOUBLE_EQ(tally.ratio()->high, 1.5);
  EXPECT_EQ(tally.verdict(), "faster");
  EXPECT_TRUE(tally.decided());
  for (int i = 0; i < 8; ++i) tally.add(1.5, true);
  EXPECT_FALSE(tally.decided()) << "most pairs were disturbed: no verdict to stop on";
}

TEST(RaceTally, WhatItStopsOnIsItsVerdict) {
  EXPECT_EQ(tallyOf(std::vector<double>(8, 1.03)).verdict(), "faster");
  EXPECT_EQ(tallyOf(std::vector<double>(8, 0.97)).verdict(), "slower");
  EXPECT_EQ(tallyOf(std::vector<double>(8, 1.01)).verdict(), "no-difference");
}

TEST(RaceTally, AgainstItselfRarelyStopsOnADifference) {
  for (const double noise : {0.005, 0.02, 0.05, 0.1, 0.3, 1.0}) {
    auto decided = shares(1, noise);
    EXPECT_LT(decided["faster"] + decided["slower"], 0.05) << "noise " << noise;
  }
  EXPECT_GT(shares(1, 0.005)["no-difference"], 0.99) << "a quiet machine soon knows that there is none";
}

TEST(RaceTally, OnTheVeryBorderOfADifferenceItRarelyStops) {
  for (const double noise : {0.005, 0.05, 0.3}) EXPECT_LT(shares(1 + kPracticalShare, noise)["faster"], 0.05) << noise;
}

TEST(RaceTally, SeesARealDifference) {
  EXPECT_GT(shares(1.1, 0.02)["faster"], 0.99);
  EXPECT_GT(shares(0.9, 0.02)["slower"], 0.99);
}

}  // namespace atelier::engine
