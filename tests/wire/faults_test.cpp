#include "core/wire/faults.h"

#include <set>

#include <gtest/gtest.h>

#include "core/wire/catalog.h"

namespace atelier::wire {
namespace {

using Ids = std::vector<std::string>;

}  // namespace

TEST(Faults, EachHasItsTextsInBothLanguages) {
  const auto ids = faultIds();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  for (const char* language : {"en", "fr"}) {
    const auto texts = Catalog::builtIn(language);
    for (const auto& id : ids) {
      EXPECT_TRUE(texts.has("fault." + id + ".label")) << language << " " << id;
      EXPECT_TRUE(texts.has("fault." + id + ".help")) << language << " " << id;
      EXPECT_NE(texts.text("option.inject.help").find(id), std::string::npos) << language << " " << id;
    }
  }
}

TEST(Faults, AreReadOnceEachInTheirOrder) {
  for (const char* nothing : {"", "  ", "none", " none ", "none,none"}) EXPECT_EQ(*parseFaults(nothing), Ids{}) << nothing;
  EXPECT_EQ(*parseFaults("nan"), Ids{"nan"});
  EXPECT_EQ(*parseFaults(" nan , item,nan,none"), (Ids{"nan", "item"}));
  std::string all;
  for (const auto& id : faultIds()) all += (all.empty() ? "" : ",") + id;
  EXPECT_EQ(*parseFaults(all), faultIds());
}

TEST(Faults, EveryUnknownWordIsNamedWithItsNeighbour) {
  const auto parsed = parseFaults("nan,itme,,NAN,slow loader");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ExitCode::Usage);
  const auto& messages = parsed.error().messages;
  ASSERT_EQ(messages.size(), 4U);
  for (const auto& message : messages) {
    EXPECT_EQ(message.id, "inject.unknown");
    ASSERT_EQ(message.args.size(), 3U);
    EXPECT_EQ(message.args[1].first, "allowed");
    EXPECT_TRUE(message.args[1].second.starts_with("none, slow-loader, item, ")) << message.args[1].second;
  }
  EXPECT_EQ(messages[0].args[0].second, "itme");
  EXPECT_EQ(messages[0].args[2].second, "item");
  EXPECT_EQ(messages[1].args[0].second, "");
  EXPECT_EQ(messages[2].args[0].second, "NAN");
  EXPECT_EQ(messages[3].args[2].second, "slow-loader");
}

TEST(Faults, HostileTextIsRefusedWhole) {
  for (const std::string& text :
       {std::string(100'000, 'x'), std::string("nan\0", 4), std::string("nan;item"), std::string("\xff")})
    EXPECT_FALSE(parseFaults(text).ok());
}

}  // namespace atelier::wire
