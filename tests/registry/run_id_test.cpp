#include "core/registry/run_id.h"

#include <algorithm>
#include <ctime>

#include "fixture.h"

namespace atelier::registry::testing {
namespace {

TEST(RunIdTest, IdsOfOneThreadDifferAndSortByTime) {
  std::vector<std::string> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(makeRunId());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  for (const auto& id : ids) EXPECT_TRUE(validId(id)) << id;
}

TEST(RunIdTest, AnIdTellsItsTime) {
  const auto before = std::time(nullptr);
  const auto time = idMilliseconds(makeRunId());
  ASSERT_TRUE(time.has_value());
  EXPECT_GE(*time / 1000, before);
  EXPECT_LE(*time / 1000, before + 10);
  EXPECT_EQ(idMilliseconds("19700101-000001-000fff"), 1000);
}

TEST(RunIdTest, OtherNamesTellNone) {
  for (const auto* id : {"", "baseline", "20261330-104512-3f9a1c", "20261130-254512-3f9a1c", "20261130-104512-xyz000",
                         "-0261130-104512-3f9a1c", "20261130_104512-3f9a1c"})
    EXPECT_FALSE(idMilliseconds(id)) << id;
}

}  // namespace
}  // namespace atelier::registry::testing
