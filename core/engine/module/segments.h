// Which blocks of a model to recompute, in which segments, and what that comes to: the plan behind `checkpointing`.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atelier::engine {

// Blocks [first, end) of a model as one segment, in the order in which they run.
struct BlockSpan {
  std::size_t first, end;
  bool operator==(const BlockSpan&) const = default;
};

// Segments of `every` blocks over the first `recomputed` ones, none across the border of a row: rows are numbers of
// neighbouring blocks (a stage of a ResNet), and the last segment of each may be shorter.
// REQUIRES: every ≥ 1.
std::vector<BlockSpan> evenSpans(const std::vector<std::size_t>& rows, std::size_t recomputed, std::size_t every);

// Blocks a segment for about √n segments of n blocks (Chen et al. 2016, "Training deep nets with sublinear memory cost"): as
// many inputs are kept as blocks computed again at once. At least two segments of two blocks or more.
std::size_t squareRootSegment(std::size_t blocks);

// Bytes of one training step.
struct BlockCosts {
  std::vector<std::int64_t> inputs;  // of each block: what it takes
  std::vector<std::int64_t> inner;   // … what its graph holds beyond its input and its output
  std::int64_t base = 0;     // live while segments run again, without anything of the blocks: weights, gradients, stem, …
  std::int64_t head = 0;     // highest behind the last block, before backward reaches it, without what the blocks keep
  std::int64_t working = 0;  // highest that a segment's backward pass takes for the time being
};

// The highest total of a step with these segments; blocks in none keep all that they made. An upper bound as far as `base` and
// `working` are those of the costliest block.
std::int64_t predictedPeak(const BlockCosts& costs, const std::vector<BlockSpan>& spans);

struct SegmentChoice {
  std::vector<BlockSpan> spans;
  std::size_t recomputed = 0;  // blocks
  std::int64_t peak = 0;       // predicted
};

// The fewest recomputed blocks whose peak fits the budget; if none does, what has the lowest peak. Recomputed are the first
// blocks: what the last ones keep is gone again before backward comes to those.
// REQUIRES: the rows' sum is the number of blocks of the costs.
SegmentChoice chooseSegments(const BlockCosts& costs, const std::vector<std::size_t>& rows, std::int64_t budget);

}  // namespace atelier::engine
