#include "core/wire/csv.h"

#include <gtest/gtest.h>

namespace atelier::wire {

TEST(Csv, QuotesWhatMustBeAndNothingElse) {
  EXPECT_EQ(csvCell("cnn, wide"), "\"cnn, wide\"");
  EXPECT_EQ(csvCell("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(csvCell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csvCell("plain words"), "plain words");
  EXPECT_EQ(csvCell(""), "");
}

TEST(Csv, ARowEndsInCrLf) {
  EXPECT_EQ(csvRow({"id", "", "x,y"}), "id,,\"x,y\"\r\n");
  EXPECT_EQ(csvRow({}), "\r\n");
}

}  // namespace atelier::wire
