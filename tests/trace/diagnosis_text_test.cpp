#include "core/trace/diagnosis_text.h"

#include <gtest/gtest.h>

namespace atelier::trace {

TEST(DiagnosisText, WritesFiguresAsTheReaderDoes) {
  const wire::Message message{"evidence.data_wait", {{"milliseconds", "1.42"}, {"count", "12000"}, {"times", "∞"}}};
  const auto english = localised(message, wire::Format("en")), french = localised(message, wire::Format("fr"));
  EXPECT_EQ(english.args[0].second, "1.42");
  EXPECT_EQ(english.args[1].second, "12,000");
  EXPECT_EQ(french.args[0].second, "1,42");
  EXPECT_EQ(french.args[1].second, "12\u202f000");
  EXPECT_EQ(french.args[2].second, "∞");
  EXPECT_EQ(french.id, message.id);
}

TEST(DiagnosisText, LeavesNamesThatLookLikeNumbers) {
  const wire::Message message{
      "evidence.zeros", {{"module", "2.1"}, {"operator", "1e3"}, {"first", "0.10"}, {"last", "12000"}, {"percent", "97.5"}}};
  const auto french = localised(message, wire::Format("fr"));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(french.args[i], message.args[i]);
  EXPECT_EQ(french.args[4].second, "97,5");
}

}  // namespace atelier::trace
