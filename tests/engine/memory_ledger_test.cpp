#include "core/engine/profile/memory_ledger.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

using trace::Allocation;
using trace::Category;

trace::MemoryAtStart live(std::int64_t weights, std::int64_t other) {
  trace::MemoryAtStart memory;
  memory.bytes[static_cast<std::size_t>(Category::Weights)] = weights;
  memory.bytes[static_cast<std::size_t>(Category::Other)] = other;
  return memory;
}

Allocation entry(std::int64_t time, std::int64_t bytes, std::uint64_t address, Category category, int device = -1) {
  return {time, bytes, address, 0, device, category};
}

// Live bytes of a category after all that happened until a time.
std::int64_t liveAt(const trace::Trace& trace, Category category, std::int64_t time) {
  auto bytes = trace.memory_at_start.bytes[static_cast<std::size_t>(category)];
  for (const auto& one : trace.memory)
    if (one.category == category && one.time <= time) bytes += one.bytes;
  return bytes;
}

bool inOrder(const trace::Trace& trace) {
  return std::is_sorted(trace.memory.begin(), trace.memory.end(),
                        [](const Allocation& a, const Allocation& b) { return a.time < b.time; });
}

}  // namespace

TEST(MemoryLedger, KeepsWhatWasSeenInTheOrderOfTime) {
  trace::Trace trace;
  MemoryLedger ledger(trace, -1);
  ledger.add({entry(30, -8, 64, Category::Unknown), entry(10, 8, 64, Category::Activations)}, {{0, live(100, 0)}}, 0);
  ASSERT_EQ(trace.memory.size(), 2U);
  EXPECT_EQ(trace.memory[0].bytes, 8);
  EXPECT_EQ(trace.memory[1].category, Category::Activations) << "what is freed is what was allocated there";
  EXPECT_EQ(liveAt(trace, Category::Weights, 100), 100);
  EXPECT_EQ(liveAt(trace, Category::Activations, 100), 0);
}

// A loader's workers make batches that nobody sees; the step frees them.
TEST(MemoryLedger, BlocksMadeUnseenAreEnteredWhenTheirFreeTellsWhich) {
  trace::Trace trace;
  MemoryLedger ledger(trace, -1);
  // One batch of 50 stands ready at each border; each step frees one.
  ledger.add({entry(15, -50, 640, Category::Other), entry(25, -50, 704, Category::Other), entry(35, -50, 768, Category::Other)},
             {{0, live(0, 50)}, {20, live(0, 50)}, {30, live(0, 50)}}, 0);
  EXPECT_TRUE(inOrder(trace));
  EXPECT_EQ(liveAt(trace, Category::Other, 20), 50);
  EXPECT_EQ(liveAt(trace, Category::Other, 30), 50);
  EXPECT_EQ(liveAt(trace, Category::Other, 40), 0);
  for (const std::uint64_t address : {704U, 768U}) {
    std::int64_t sum = 0, entries = 0;
    for (const auto& one : trace.memory)
      if (one.address == address) sum += one.bytes, ++entries;
    EXPECT_EQ(sum, 0) << address;
    EXPECT_EQ(entries, 2) << address;
  }
}

TEST(MemoryLedger, BlocksMadeUnseenAndKeptAreEnteredToo) {
  trace::Trace trace;
  MemoryLedger ledger(trace, -1);
  ledger.add({}, {{0, live(10, 0)}, {20, live(10, 70)}, {30, live(10, 60)}}, 0);
  EXPECT_EQ(liveAt(trace, Category::Other, 10), 0);
  EXPECT_EQ(liveAt(trace, Category::Other, 20), 70);
  EXPECT_EQ(liveAt(trace, Category::Other, 30), 60);
  EXPECT_EQ(liveAt(trace, Category::Weights, 30), 10);
}

// Between two windows nobody sees what is freed: what was live at the first one's end need not be at the second's begin.
TEST(MemoryLedger, ASecondWindowBeginsWithWhatIsLiveThen) {
  trace::Trace trace;
  MemoryLedger ledger(trace, -1);
  ledger.add({entry(10, 30, 64, Category::Activations)}, {{0, live(100, 0)}}, 0);
  EXPECT_EQ(liveAt(trace, Category::Activations, 10), 30);
  ledger.add({entry(1010, 30, 64, Category::Activations), entry(1020, -30, 64, Category::Unknown)}, {{1000, live(100, 5)}}, 0);
  EXPECT_TRUE(inOrder(trace));
  EXPECT_EQ(liveAt(trace, Category::Activations, 1000), 0);
  EXPECT_EQ(liveAt(trace, Category::Activations, 1010), 30);
  EXPECT_EQ(liveAt(trace, Category::Other, 1000), 5);
  EXPECT_EQ(liveAt(trace, Category::Activations, 1020), 0);
  EXPECT_EQ(trace.memory_at_start.bytes[0], 100) << "the first window's";
}

TEST(MemoryLedger, OfAGpuOnlyTheTotalAgreesAndTheHostIsLeftAlone) {
  trace::Trace trace;
  MemoryLedger ledger(trace, 0);
  ledger.add({entry(5, 40, 64, Category::Activations, 0), entry(6, 12, 64, Category::Other, -1)}, {{0, live(100, 0)}}, 0);
  ledger.add({}, {{1000, live(100, 7)}}, 0);
  EXPECT_EQ(liveAt(trace, Category::Activations, 1000), 0);
  std::int64_t onDevice = 100, onHost = 0;
  for (const auto& one : trace.memory) (one.device == 0 ? onDevice : onHost) += one.bytes;
  EXPECT_EQ(onDevice, 107);
  EXPECT_EQ(onHost, 0) << "what the first window left is no more known to be live";
}

}  // namespace atelier::engine
