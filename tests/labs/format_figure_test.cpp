#include "labs/format_figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "labs/check.h"
#include "labs/figures.h"

namespace atelier::lab {
namespace {

TEST(FormatFigureTest, SaysWhatAFormatMakesOfANumber) {
  EXPECT_EQ(formatFigure("float32(16777217)"), 16777216);
  EXPECT_EQ(formatFigure("float32(16777216)"), 16777216);
  EXPECT_EQ(formatFigure("bfloat16(1 + 2^-9)"), 1);
  EXPECT_EQ(formatFigure("bfloat16(1+2^-7)"), 1.0078125);
  EXPECT_EQ(formatFigure("float16(1 + 2^-9)"), 1.001953125);
  EXPECT_EQ(formatFigure("float16(65519)"), 65504);
  EXPECT_EQ(formatFigure("e5m2(0.3)"), 0.3125);
  EXPECT_EQ(formatFigure("float16(2^-25)"), 0) << "halfway to the smallest: to even";
  EXPECT_EQ(formatFigure("float16(70000)"), HUGE_VAL);
  ASSERT_TRUE(formatFigure("e4m3fn(1000)").has_value());
  EXPECT_TRUE(std::isnan(*formatFigure("e4m3fn(1000)"))) << "no infinity, no saturation";
}

TEST(FormatFigureTest, OtherTextsAreNone) {
  for (const char* text : {"", "(", "()", "float32", "float32()", "float32(1", "float64(1)", "float32(one)", "float32(1 +)",
                           "float32(1)x", "float32(1 * 2)",
                           "float32(inf)", "float32(10^999)", "ratio", "a.b(c)", "float32(2^)", "float32(^2)"})
    EXPECT_FALSE(formatFigure(text).has_value()) << text;
}

TEST(FormatFigureTest, ItIsAFigureOfEveryResult) {
  for (const char* verb : {"run", "race", "profile"}) EXPECT_TRUE(isKnownQuantity(verb, "bfloat16(0.1)")) << verb;
  EXPECT_FALSE(isKnownQuantity("run", "bfloat17(0.1)"));
  const auto figure = figureAt(nlohmann::json::object(), "bfloat16(1 + 2^-9)");
  ASSERT_TRUE(figure.has_value());
  EXPECT_EQ(figure->median, 1);
  EXPECT_EQ(figure->count, 1);
}

}  // namespace
}  // namespace atelier::lab
