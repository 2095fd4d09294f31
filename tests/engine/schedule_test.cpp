#include "core/engine/profile/schedule.h"

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

ProfileSchedule parsed(const std::string& text) {
  const auto schedule = parseSchedule(text);
  EXPECT_TRUE(schedule.ok() && schedule->has_value()) << text;
  return schedule.ok() ? schedule->value_or(ProfileSchedule{}) : ProfileSchedule{};
}

std::string phases(const ProfileSchedule& schedule, std::int64_t steps) {
  std::string all;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto phase = phaseAt(schedule, step);
    all += phase == ProfilePhase::Off ? '.' : phase == ProfilePhase::Warmup ? 'w' : 'A';
  }
  return all;
}

}  // namespace

TEST(ProfileSchedule, OffIsNoneAndOnIsTheDefault) {
  const auto off = parseSchedule("off");
  ASSERT_TRUE(off.ok());
  EXPECT_FALSE(off->has_value());
  EXPECT_EQ(scheduleText(parsed("on")), "wait=1,warmup=1,active=3,repeat=1");
}

TEST(ProfileSchedule, AnyKeysInAnyOrderAndWhatIsTextReadsBack) {
  const auto schedule = parsed(" active = 5, skip_first=2 ");
  EXPECT_EQ(schedule.active, 5);
  EXPECT_EQ(schedule.skip_first, 2);
  EXPECT_EQ(schedule.wait, 1);
  EXPECT_EQ(schedule.steps(), 2 + 1 + 1 + 5);
  EXPECT_EQ(scheduleText(schedule), "wait=1,warmup=1,active=5,repeat=1,skip_first=2");
  EXPECT_EQ(scheduleText(parsed(scheduleText(schedule))), scheduleText(schedule));
}

// As torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1).
TEST(ProfileSchedule, PhasesAreThoseOfPyTorch) {
  EXPECT_EQ(phases({.wait = 1, .warmup = 1, .active = 2, .repeat = 2, .skip_first = 1}, 11), "..wAA.wAA..");
  EXPECT_EQ(phases({.wait = 0, .warmup = 0, .active = 2, .repeat = 1}, 4), "AA..");
  EXPECT_EQ(phaseAt({}, -1), ProfilePhase::Off);
}

TEST(ProfileSchedule, RefusesWhatIsNoneAndNamesThePart) {
  const std::vector<std::pair<std::string, std::string>> wrong{{"", ""},
                                                               {"maybe", "maybe"},
                                                               {"OFF", "OFF"},
                                                               {"active=0", "active=0"},
                                                               {"repeat=0", "repeat=0"},
                                                               {"wait=-1", "wait=-1"},
                                                               {"wait=1,warm=2", "warm=2"},
                                                               {"wait=1,wait=2", "wait=2"},
                                                               {"active=1.5", "active=1.5"},
                                                               {"active=", "active="},
                                                               {"active", "active"},
                                                               {"active=1000001", "active=1000001"},
                                                               {"active=99999999999999999999", "active=99999999999999999999"},
                                                               {"active=3,", ""},
                                                               {"active=3;wait=1", "active=3;wait=1"}};
  for (const auto& [given, part] : wrong) {
    const auto schedule = parseSchedule(given);
    ASSERT_FALSE(schedule.ok()) << given;
    EXPECT_EQ(schedule.error().code, wire::ExitCode::Usage);
    EXPECT_EQ(schedule.error().messages.front(), (wire::Message{"profile.schedule", {{"given", given}, {"why", part}}}));
  }
}

TEST(ProfileSchedule, TheLongestDoesNotOverflow) {
  const auto longest = parsed("wait=1000000,warmup=1000000,active=1000000,repeat=1000000,skip_first=1000000");
  EXPECT_EQ(longest.steps(), 3'000'001'000'000);
  EXPECT_EQ(phaseAt(longest, longest.steps() - 1), ProfilePhase::Active);
}

}  // namespace atelier::engine
