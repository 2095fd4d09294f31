#include "core/engine/monitor/contention.h"

#include <gtest/gtest.h>

namespace atelier::engine {

TEST(Contention, NamesTheGravestDisturbance) {
  EXPECT_EQ(disturbance({.seconds = 1}, 2), "");
  EXPECT_EQ(disturbance({.seconds = 1, .steal = 0.3}, 2), "busy.steal");
  EXPECT_EQ(disturbance({.seconds = 1, .waiting = 0.2}, 2), "busy.waiting");
  EXPECT_EQ(disturbance({.seconds = 1, .others = 0.5, .waiting = 0.03}, 2), "busy.others");
  EXPECT_EQ(disturbance({.seconds = 1, .others = 0.5}, 16), "") << "idle cores may serve others without harm";
  EXPECT_EQ(disturbance({.seconds = 1, .clock_change = 0.3}, 2), "busy.clock");
  EXPECT_EQ(disturbance({.seconds = 1, .waiting = 0.9, .own_threads_fit = false}, 2), "")
      << "our own threads wait for one another";
  EXPECT_EQ(disturbance({.seconds = 1, .others = 0.6, .waiting = 0.9, .own_threads_fit = false}, 2), "busy.waiting");
}

TEST(Contention, ATickOfTheSystemsClockIsNoDisturbanceOfAShortBlock) {
  EXPECT_EQ(disturbance({.seconds = 0.02, .steal = 0.01, .others = 0.01}, 2), "");
}

TEST(Process, ReadsThisProcess) {
  EXPECT_GT(treeUsage().rss_bytes, 1 << 20);
  EXPECT_GE(availableCores(), 1);
  EXPECT_GT(millisecondsSinceStart(), 0);
  const double before = processCpuSeconds();
  volatile double sink = 0;
  for (int i = 0; i < 20000000; ++i) sink = sink + i;
  EXPECT_GT(processCpuSeconds(), before);
}

}  // namespace atelier::engine
