// How loader settings are searched; what a race is worth is made up here. tests/worker/autotune_test.cpp runs the whole.
#include "core/engine/session/autotune.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "text_fixture.h"

namespace atelier::engine {
namespace {

// Two workers are half again as fast, a longer prefetch a little; every setting of more than 512 a batch has no room.
double speedOf(const LoaderSetting& setting) {
  return 1 + 0.25 * static_cast<double>(std::min<std::int64_t>(2, setting.workers)) + 0.01 * static_cast<double>(setting.prefetch);
}

struct Lane {
  std::vector<TuningRace> races{};
  RunTuningRace run(std::int64_t largest = 1 << 20, const std::string& verdict = "faster") {
    return [this, largest, verdict](const TuningRace& race) -> wire::Result<std::vector<TunedSetting>> {
      races.push_back(race);
      std::vector<TunedSetting> results;
      for (const auto& setting : race.settings) {
        if (setting.batch > largest) return wire::Error{wire::ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", "x"}}}};
        const auto speed = speedOf(setting);
        results.push_back({setting, 0, 100 * speed, wire::Interval{speed, speed - 0.01, speed + 0.01, 10}, verdict, {}});
      }
      return results;
    };
  }
};

}  // namespace

TEST(Autotune, TheGridIsBoundedByTheCoresAndLeavesTheStartOut) {
  const LoaderSetting start{0, 2, 128};
  const auto two = tuningGrid(start, 2, false);
  EXPECT_EQ(two, (std::vector<LoaderSetting>{{1, 2, 128}, {1, 4, 128}, {2, 2, 128}, {2, 4, 128}}));
  for (const auto& setting : tuningGrid(start, 6, true)) EXPECT_LE(setting.workers, 6);
  const auto batches = tuningGrid(start, 1, true);
  EXPECT_EQ(std::count_if(batches.begin(), batches.end(), [](const auto& s) { return s.batch == 512 && s.workers == 0; }), 1);
  EXPECT_EQ(std::count(batches.begin(), batches.end(), start), 0);
  for (const auto& setting : tuningGrid({3, 8, 1}, 4, true)) EXPECT_GE(setting.batch, 1);
}

TEST(Autotune, HalvesUntilALastRaceNamesTheFastest) {
  Lane lane;
  Control control;
  const LoaderSetting start{0, 2, 128};
  const auto grid = tuningGrid(start, 16, false);
  const auto tuning = tune(start, grid, lane.run(), control);
  ASSERT_TRUE(tuning.ok());
  ASSERT_TRUE(tuning->best.has_value());
  EXPECT_EQ(tuning->tried.size(), grid.size());
  EXPECT_GE(tuning->tried[*tuning->best].setting.workers, 2);
  EXPECT_EQ(tuning->tried[*tuning->best].setting.prefetch, 4);
  EXPECT_TRUE(tuning->better);
  EXPECT_EQ(std::count_if(lane.races.begin(), lane.races.end(), [](const auto& race) { return race.last; }), 1);
  EXPECT_TRUE(lane.races.back().last);
  for (const auto& race : lane.races) EXPECT_LE(race.settings.size(), kSettingsOfARace);
  EXPECT_GT(lane.races[lane.races.size() - 2].round, 0) << "the better half is measured again, longer";
  for (const auto& one : tuning->tried) EXPECT_GE(one.races, 1);
}

TEST(Autotune, SaysWhenNothingIsSurelyBetter) {
  Lane lane;
  Control control;
  const auto tuning = tune({0, 2, 128}, tuningGrid({0, 2, 128}, 2, false), lane.run(1 << 20, "no-difference"), control);
  ASSERT_TRUE(tuning.ok());
  EXPECT_TRUE(tuning->best.has_value());
  EXPECT_FALSE(tuning->better);
}

TEST(Autotune, ASettingThatHasNoRoomIsLeftOutAloneWithItsReason) {
  Lane lane;
  Control control;
  const auto tuning = tune({0, 2, 128}, tuningGrid({0, 2, 128}, 2, true), lane.run(256), control);
  ASSERT_TRUE(tuning.ok());
  for (const auto& one : tuning->tried) {
    EXPECT_EQ(one.failure.empty(), one.setting.batch <= 256);
    EXPECT_EQ(one.ratio.has_value(), one.setting.batch <= 256);
  }
  ASSERT_TRUE(tuning->best.has_value());
  const auto none = tune({0, 2, 128}, tuningGrid({0, 2, 128}, 2, false), lane.run(1), control);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, wire::ExitCode::OutOfMemory);
}

TEST(Autotune, StopsWhenItIsToldTo) {
  Control control;
  int races = 0;
  const auto run = [&](const TuningRace& race) -> wire::Result<std::vector<TunedSetting>> {
    if (++races == 2) control.stop();
    std::vector<TunedSetting> results(race.settings.size());
    return results;
  };
  const auto tuning = tune({0, 2, 128}, tuningGrid({0, 2, 128}, 16, true), run, control);
  ASSERT_TRUE(tuning.ok());
  EXPECT_TRUE(tuning->interrupted);
  EXPECT_FALSE(tuning->best.has_value());
  EXPECT_EQ(races, 2);
}

}  // namespace atelier::engine
