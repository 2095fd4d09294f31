#include "core/trace/intervals.h"

#include <gtest/gtest.h>

namespace atelier::trace::testing {

TEST(Intervals, AreUnitedInAnyOrder) {
  EXPECT_EQ(united({{30, 40}, {0, 10}, {5, 20}, {20, 25}, {50, 50}, {60, 55}}), (Intervals{{0, 25}, {30, 40}}));
  EXPECT_TRUE(united({}).empty());
}

TEST(Intervals, ShareWhatIsInBoth) {
  EXPECT_EQ(common({{0, 10}, {20, 30}}, {{5, 25}}), (Intervals{{5, 10}, {20, 25}}));
  EXPECT_EQ(common({{0, 10}}, {{10, 20}}), Intervals{});
  EXPECT_EQ(common({{0, 100}}, {{1, 2}, {3, 4}}), (Intervals{{1, 2}, {3, 4}}));
}

TEST(Intervals, LeaveOutWhatIsInTheOther) {
  EXPECT_EQ(without({{0, 10}, {20, 30}}, {{5, 25}}), (Intervals{{0, 5}, {25, 30}}));
  EXPECT_EQ(without({{0, 100}}, {{10, 20}, {30, 40}}), (Intervals{{0, 10}, {20, 30}, {40, 100}}));
  EXPECT_EQ(without({{0, 10}}, {{0, 10}}), Intervals{});
  EXPECT_EQ(without({{5, 10}}, {}), (Intervals{{5, 10}}));
  EXPECT_EQ(without({{0, 5}, {6, 8}}, {{4, 7}}), (Intervals{{0, 4}, {7, 8}}));
}

TEST(Intervals, APartAndTheRestAreTheWhole) {
  const Intervals a{{0, 7}, {9, 30}, {31, 44}}, b{{3, 10}, {12, 13}, {29, 32}, {50, 60}};
  EXPECT_EQ(lengthOf(common(a, b)) + lengthOf(without(a, b)), lengthOf(a));
  EXPECT_EQ(lengthOf(a), 41);
}

}  // namespace atelier::trace::testing
