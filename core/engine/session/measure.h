// Measurement's one home: blocks of steps, timed with the device synchronised at their borders only, checked for
// disturbance, and summed up as medians with intervals. A pause is taken out of the clock.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/engine/monitor/contention.h"
#include "core/wire/run_event.h"
#include "trainer.h"

namespace atelier::engine {

struct Block {
  wire::BlockDone done;
  std::vector<double> step_milliseconds;
  double cpu_seconds = 0;
  bool complete = true;  // false: stopped before its last step
};

// All measured blocks of one variant.
class Measurement {
 public:
  void add(Block block) { m_blocks.push_back(std::move(block)); }
  const std::vector<Block>& blocks() const { return m_blocks; }

  // Rates of the blocks that count: the undisturbed ones, or all when fewer than six of those are left.
  std::vector<double> rates() const;
  // Writes the measured part of a summary: samples/s, percentiles, stages, CPU, blocks, steps, loss.
  void summarise(wire::RunSummary& summary, int cores) const;

 private:
  std::vector<const Block*> counted() const;
  std::vector<Block> m_blocks;
};

// Called after every step; returns false to stop, and may block (a pause). What it returns as paused is taken off the clock,
// and so is what the session did for itself (it wrote a checkpoint), which disturbs nobody.
struct StepWatch {
  bool go_on = true;
  double paused_seconds = 0;
  double own_seconds = 0, own_cpu_seconds = 0;
};
using AfterStep = std::function<StepWatch(const StepFigures&)>;

// Runs `steps` steps of the trainer as one block.
Block measureBlock(Trainer& trainer, std::int64_t number, std::int64_t steps, int cores, const AfterStep& afterStep);

}  // namespace atelier::engine
