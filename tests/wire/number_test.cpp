// JSON as it is read everywhere: whole, or not at all.
#include "core/wire/number.h"

#include <string>

#include <gtest/gtest.h>

namespace atelier::wire {

TEST(ParseJson, AZeroByteIsNoEndOfTheText) {
  using namespace std::string_literals;
  EXPECT_FALSE(parseJson("{\"a\":1}\0 and more"s));
  EXPECT_FALSE(parseJson("{\"a\":1}\0"s));
  ASSERT_TRUE(parseJson("{\"a\":1}"s));
  EXPECT_EQ((*parseJson("{\"a\":\"\\u0000\"}"s))["a"], "\0"s);
}

}  // namespace atelier::wire
