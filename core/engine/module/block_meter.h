// BlockMeter: what the blocks of a model take of a CPU's memory, read off its account while training steps recompute all of
// them. Exact for tensor storages; a block's parts that two blocks share are counted with both.
// Thread: the trainer's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/engine/monitor/tensor_memory.h"
#include "recompute.h"
#include "segments.h"

namespace atelier::engine {

class BlockMeter {
 public:
  // `spans` hold every block. The account must outlive this.
  BlockMeter(MemoryAccount& account, std::vector<BlockSpan> spans);

  // A step begins whose figures count; those of several steps are the highest of each.
  void begin();
  // Around each call of a block, the first time and again.
  void enter(std::size_t block, const at::Tensor& input);
  void leave(std::size_t block, const at::Tensor& output);
  // Of the segment that begins with this block.
  void observe(std::size_t block, SegmentMoment moment);
  // Backward has been through every segment in this step.
  bool complete() const { return m_done == m_spans.size(); }
  // REQUIRES: complete().
  BlockCosts costs() const { return m_costs; }

 private:
  std::int64_t keptUpTo(std::size_t block) const;

  MemoryAccount& m_account;
  const std::vector<BlockSpan> m_spans;
  BlockCosts m_costs;
  std::vector<std::int64_t> m_inputs;  // of this step
  std::int64_t m_before = 0;           // live when the block was called, or when a backward pass began
  std::size_t m_done = 0;
  bool m_reached = false;  // backward has come to the blocks
};

}  // namespace atelier::engine
