#include "core/engine/module/segments.h"

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

using Spans = std::vector<BlockSpan>;

// Four blocks of input 1 and graph 16 on a base of 100, with work space of 5.
BlockCosts fourBlocks() {
  return {.inputs = {1, 1, 1, 1}, .inner = {16, 16, 16, 16}, .base = 100, .head = 100, .working = 5};
}

}  // namespace

TEST(EvenSpans, SegmentsOfKBlocksTheLastOneShorter) {
  EXPECT_EQ(evenSpans({5}, 5, 2), (Spans{{0, 2}, {2, 4}, {4, 5}}));
  EXPECT_EQ(evenSpans({3}, 3, 1), (Spans{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(evenSpans({3}, 3, 9), (Spans{{0, 3}}));
}

TEST(EvenSpans, NoSegmentReachesIntoTheNextRow) {
  EXPECT_EQ(evenSpans({2, 3, 1}, 6, 2), (Spans{{0, 2}, {2, 4}, {4, 5}, {5, 6}}));
  EXPECT_EQ(evenSpans({2, 2}, 4, 3), (Spans{{0, 2}, {2, 4}}));
}

TEST(EvenSpans, OnlyTheFirstBlocksAreRecomputed) {
  EXPECT_EQ(evenSpans({2, 3}, 3, 2), (Spans{{0, 2}, {2, 3}}));
  EXPECT_EQ(evenSpans({2, 3}, 1, 2), (Spans{{0, 1}}));
  EXPECT_TRUE(evenSpans({2, 3}, 0, 2).empty());
  EXPECT_TRUE(evenSpans({}, 0, 1).empty());
}

TEST(SquareRootSegment, MakesAboutAsManySegmentsAsBlocksInEach) {
  EXPECT_EQ(squareRootSegment(16), 4U);
  EXPECT_EQ(squareRootSegment(100), 10U);
  EXPECT_EQ(squareRootSegment(12), 4U);  // three segments
  EXPECT_EQ(squareRootSegment(2), 1U) << "one segment of both saves nothing";
  EXPECT_EQ(squareRootSegment(1), 1U);
  EXPECT_EQ(squareRootSegment(0), 1U);
}

TEST(PredictedPeak, WithoutSegmentsEveryGraphStandsAtOnce) {
  EXPECT_EQ(predictedPeak(fourBlocks(), {}), 100 + 4 * 17 + 5);
  auto costs = fourBlocks();
  costs.head = 110;
  EXPECT_EQ(predictedPeak(costs, {}), 110 + 4 * 17);
}

TEST(PredictedPeak, OneInputASegmentAndOneSegmentsGraphs) {
  EXPECT_EQ(predictedPeak(fourBlocks(), evenSpans({4}, 4, 1)), 100 + 4 + 16 + 5);
  EXPECT_EQ(predictedPeak(fourBlocks(), evenSpans({4}, 4, 2)), 100 + 1 + 2 * 17 + 5);
}

// What the last block keeps is gone before another is computed again: it costs nothing to leave it alone.
TEST(PredictedPeak, TheLastBlockIsFree) {
  EXPECT_EQ(predictedPeak(fourBlocks(), evenSpans({4}, 3, 1)), predictedPeak(fourBlocks(), evenSpans({4}, 4, 1)));
}

// … unless there is much behind it: logits of a large vocabulary stand beside what it keeps.
TEST(PredictedPeak, ALargeHeadMakesTheLastBlockCost) {
  auto costs = fourBlocks();
  costs.head = 300;
  EXPECT_EQ(predictedPeak(costs, evenSpans({4}, 4, 1)), 304);
  EXPECT_EQ(predictedPeak(costs, evenSpans({4}, 3, 1)), 320);
}

TEST(ChooseSegments, TakesTheFewestBlocksThatFit) {
  const auto costs = fourBlocks();
  EXPECT_EQ(chooseSegments(costs, {4}, 1000).recomputed, 0U);
  EXPECT_TRUE(chooseSegments(costs, {4}, 1000).spans.empty());
  std::size_t before = 0;
  for (std::int64_t budget = 178; budget >= 125; --budget) {
    const auto choice = chooseSegments(costs, {4}, budget);
    EXPECT_LE(choice.peak, budget);
    EXPECT_EQ(choice.peak, predictedPeak(costs, choice.spans));
    EXPECT_GE(choice.recomputed, before) << budget;
    before = choice.recomputed;
    for (std::size_t fewer = 0; fewer < choice.recomputed; ++fewer)
      for (std::size_t every = 1; every <= 4; ++every)
        EXPECT_GT(predictedPeak(costs, evenSpans({4}, fewer, every)), budget) << fewer << " blocks would do";
  }
  EXPECT_EQ(before, 3U) << "the last block is left alone";
}

// Blocks that hold no more than their input gain by longer segments only: of a hundred, each alone would keep them all.
TEST(ChooseSegments, ThinBlocksAreTakenTogether) {
  BlockCosts costs{.inputs = std::vector<std::int64_t>(100, 10), .inner = std::vector<std::int64_t>(100, 0)};
  EXPECT_EQ(predictedPeak(costs, evenSpans({100}, 100, 1)), 1000);
  const auto choice = chooseSegments(costs, {100}, 300);
  EXPECT_LE(choice.peak, 300);
  EXPECT_GT(choice.spans.front().end - choice.spans.front().first, 3U);
}

TEST(ChooseSegments, TakesTheLowestPeakWhereNothingFits) {
  const auto choice = chooseSegments(fourBlocks(), {4}, 50);
  EXPECT_EQ(choice.peak, 125);
  EXPECT_GE(choice.recomputed, 3U);
}

}  // namespace atelier::engine
