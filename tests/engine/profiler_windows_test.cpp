// When the profiler looks, what it leaves behind, and what happens when it is cut short.
#include <algorithm>
#include <stdexcept>
#include <thread>

#include "profiled.h"

namespace atelier::engine {

using namespace profiled;
using trace::Kind;

TEST(Profiler, LeavesTheHooksOfOthersAndTakesItsOwnOff) {
  auto trainer = trainerOf();
  int before = 0, after = 0;
  auto& hooks = trainer.model().hooks();
  hooks.before.push_back([&](Module&, at::Tensor&) { ++before; });
  hooks.after.push_back([&](Module&, const at::Tensor&, at::Tensor&) { ++after; });
  profile(trainer);
  EXPECT_EQ(hooks.before.size(), 1U);
  EXPECT_EQ(hooks.after.size(), 1U);
  EXPECT_EQ(before, after);
  before = 0;
  trainer.step();
  EXPECT_GT(before, 0);
  EXPECT_FALSE(c10::memoryProfilingEnabled());
}

TEST(Profiler, ASecondProfileOfTheSameTrainerWorks) {
  auto trainer = trainerOf();
  profile(trainer);
  const auto trace = profile(trainer).trace;
  const auto steps = eventsOf(trace, Kind::Step);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(trace.nameOf(*steps.front()), "step 7");
  expectMemoryIsTheAccounts(trace, trainer);
}

TEST(Profiler, RepeatsStandOneBehindTheOther) {
  auto trainer = trainerOf();
  const auto [trace, notices, taken] =
      profile(trainer, {.schedule = {.wait = 2, .warmup = 1, .active = 2, .repeat = 2, .skip_first = 1}});
  EXPECT_EQ(taken, 11);
  const auto steps = eventsOf(trace, Kind::Step);
  ASSERT_EQ(steps.size(), 4U);
  std::vector<std::string> names;
  std::int64_t inside = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    names.push_back(trace.nameOf(*steps[i]));
    inside += steps[i]->duration;
    EXPECT_EQ(steps[i]->step, static_cast<std::int32_t>(i));
    EXPECT_GE(steps[i]->start, i > 0 ? steps[i - 1]->end() : 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"step 4", "step 5", "step 9", "step 10"}));
  EXPECT_LT(steps[2]->start - steps[1]->end(), inside) << "the steps that nobody looked at are left out";
  expectMemoryIsTheAccounts(trace, trainer);
}

TEST(Profiler, WithoutWarmupNothingIsLost) {
  auto trainer = trainerOf();
  const auto [trace, notices, taken] = profile(trainer, {.schedule = {.wait = 0, .warmup = 0, .active = 3}});
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(eventsOf(trace, Kind::Step).size(), 3U);
  expectMemoryIsTheAccounts(trace, trainer);
}

// openxla/xprof 720: five steps made a trace of 1.8 GB.
TEST(Profiler, ABoundedTraceSaysWhatWasCut) {
  auto trainer = trainerOf();
  const auto whole = static_cast<std::int64_t>(profile(trainer).trace.events.size());
  ProfileOptions options;
  options.most_events = whole - 1;
  const auto less = profile(trainer, options);
  EXPECT_EQ(eventsOf(less.trace, Kind::Step).size(), 2U) << "a whole step went";
  EXPECT_EQ(static_cast<std::int64_t>(less.trace.events.size()) + less.trace.events_cut, whole);
  EXPECT_GT(less.trace.events_cut, 0);
  EXPECT_GT(less.trace.memory_cut, 0);
}

TEST(Profiler, AFullTraceEndsTheProfileAndSaysSo) {
  auto trainer = trainerOf();
  ProfileOptions options;
  options.schedule.active = 1000;
  options.most_events = 50;
  const auto [trace, notices, taken] = profile(trainer, options);
  EXPECT_EQ(taken, 3) << "wait, warm-up, and one step that is more than fits";
  EXPECT_LE(trace.events.size(), 50U);
  EXPECT_GT(trace.events_cut, 0);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices.front(), (wire::Message{"profile.ended_early", {{"steps", "1"}, {"planned", "1000"}, {"events", "50"}}}));
  EXPECT_THROW(Profiler(trainer, {.most_events = 0}), c10::Error);
}

TEST(Profiler, DroppedInTheMiddleOfAStepItEndsKineto) {
  auto trainer = trainerOf();
  trainer.activate();
  {
    Profiler profiler(trainer, {.schedule = {.wait = 0, .warmup = 0, .active = 3}});
    profiler.beginStep();
    EXPECT_FALSE(trainer.model().hooks().empty());
  }
  EXPECT_TRUE(trainer.model().hooks().empty());
  EXPECT_FALSE(c10::memoryProfilingEnabled());
  EXPECT_EQ(eventsOf(profile(trainer).trace, Kind::Step).size(), 3U);
}

TEST(Profiler, AStepThatThrowsLeavesNothingOpen) {
  auto trainer = trainerOf();
  trainer.activate();
  auto& before = trainer.model().hooks().before;
  before.push_back([](Module& module, at::Tensor&) {
    if (module.path() == "1.0") throw std::runtime_error("a fault in a layer");
  });
  {
    Profiler profiler(trainer, {.schedule = {.wait = 0, .warmup = 0, .active = 3}});
    profiler.beginStep();
    EXPECT_THROW(trainer.step(), std::runtime_error);
  }
  ASSERT_EQ(before.size(), 1U);
  before.clear();
  const auto trace = profile(trainer).trace;
  EXPECT_EQ(eventsOf(trace, Kind::Step).size(), 3U);
  for (const auto* step : eventsOf(trace, Kind::Step)) EXPECT_EQ(step->parent, -1);
}

TEST(Profiler, ABudgetThatIsMetIsToldAsItIsWithoutAProfiler) {
  auto trainer = trainerOf({{"memory_budget", "4MiB"}});
  trainer.activate();
  Profiler profiler(trainer, {.schedule = {.wait = 0, .warmup = 0, .active = 1}});
  profiler.beginStep();
  EXPECT_THROW(trainer.step(), c10::OutOfMemoryError);
  withoutBudget();
}

// Frees in other threads are told to nobody; they must not be told wrongly.
TEST(Profiler, AFreeInAnotherThreadIsHarmless) {
  auto trainer = trainerOf();
  trainer.activate();
  Profiler profiler(trainer, {.schedule = {.wait = 0, .warmup = 0, .active = 1}});
  profiler.beginStep();
  auto tensor = at::empty({1 << 16});
  std::thread([moved = std::move(tensor)]() mutable { moved.reset(); }).join();
  trainer.step();
  profiler.endStep();
  const auto trace = profiler.take();
  const auto made =
      std::find_if(trace.memory.begin(), trace.memory.end(), [](const auto& one) { return one.bytes == 4 << 16; });
  EXPECT_NE(made, trace.memory.end());
}

}  // namespace atelier::engine
