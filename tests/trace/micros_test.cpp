#include "core/trace/micros.h"

#include <gtest/gtest.h>

namespace atelier::trace::testing {
namespace {

std::string written(std::int64_t nanoseconds) {
  std::string text;
  appendMicroseconds(text, nanoseconds);
  return text;
}

}  // namespace

TEST(Micros, AreReadExactlyWhereADoubleWouldRound) {
  EXPECT_EQ(nanosecondsOf("5205382885092.001"), 5205382885092001);
  EXPECT_EQ(nanosecondsOf("1790857026123456.789"), 1790857026123456789);  // since 1970
  EXPECT_EQ(nanosecondsOf("12"), 12000);
  EXPECT_EQ(nanosecondsOf("0.5"), 500);
  EXPECT_EQ(nanosecondsOf("-1.5"), -1500);
}

TEST(Micros, AreRoundedBelowANanosecond) {
  EXPECT_EQ(nanosecondsOf("1.2344"), 1234);
  EXPECT_EQ(nanosecondsOf("1.2345"), 1235);
  EXPECT_EQ(nanosecondsOf("1.9999999"), 2000);
  EXPECT_EQ(nanosecondsOf("-1.2345"), -1235);
}

TEST(Micros, MayHaveAnExponent) {
  EXPECT_EQ(nanosecondsOf("1.5e3"), 1500000);
  EXPECT_EQ(nanosecondsOf("1500E-3"), 1500);
  EXPECT_EQ(nanosecondsOf("1e+2"), 100000);
  EXPECT_EQ(nanosecondsOf("1e-3"), 1);
  EXPECT_EQ(nanosecondsOf("6e-4"), 1);
  EXPECT_EQ(nanosecondsOf("1e-900"), 0);
  EXPECT_EQ(nanosecondsOf("0e900"), 0);
}

TEST(Micros, RefuseWhatIsNoTime) {
  for (const char* text : {"", "-", ".5", "5.", "1e", "NaN", "Infinity", "1,5", " 1", "1 ", "0x10", "1.5.2", "1e9999", "--1"})
    EXPECT_FALSE(nanosecondsOf(text)) << text;
  EXPECT_FALSE(nanosecondsOf("1e300"));
  EXPECT_FALSE(nanosecondsOf("9999999999999999.999"));  // beyond 2^61 ns
}

TEST(Micros, AreWrittenWithThreeDecimals) {
  EXPECT_EQ(written(0), "0.000");
  EXPECT_EQ(written(7), "0.007");
  EXPECT_EQ(written(1234567), "1234.567");
  EXPECT_EQ(written(-1), "-0.001");
  EXPECT_EQ(written(INT64_MIN), "-9223372036854775.808");
  for (const std::int64_t value : {0L, 1L, -999L, 1000L, 1790857026123456789L}) EXPECT_EQ(nanosecondsOf(written(value)), value);
}

}  // namespace atelier::trace::testing
