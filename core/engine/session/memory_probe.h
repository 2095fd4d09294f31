// A probe of a training step's memory: a fresh trainer with an account of its own does the few steps after which nothing new is
// allocated any more, its memory is read stage by stage, and all of it is given back, also when it ran out. The bytes of two
// probes of one spec are equal on a CPU.
//
// The steps are: windows of micro-batches until an optimizer step is done (a float16 run may leave the first ones out), so that
// the optimizer's state exists; then up to two micro-batches more, so that a forward pass meets its window's gradients and a
// backward pass adds to those of its own. Inference: two batches.
// A probe stands for the worst that a run will meet:
// - batches of sentences are made of the longest ones, in whatever order the run would take them;
// - batches that loader workers would hold ready are there, as a block of their size, instead of as many as happen to be ready;
// - states that `rollback` keeps in memory are there.
// Left out is what a run does beside its steps: evaluations, profiles, checkpoints.
// Thread: the session's. Afterwards this thread allocates on an account without a budget.
#pragma once

#include <string>
#include <vector>

#include "control.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/wire/result.h"
#include "memory_model.h"
#include "plan.h"

namespace atelier::engine {

struct StepMemory {
  bool fits = true;
  bool stopped = false;         // by the control; then nothing else is of use
  StagePeaks stages{};          // where it fits
  wire::MemoryBytes peak{};     // of all; where it doesn't fit, what was reached before
  wire::MemoryBytes kept{};     // live between steps; on a CPU
  CountedMemory counted{};      // zero where not even the model could be made
  std::int64_t left_bytes = 0;  // live after all was given back: 0
  std::string detail{};         // where it doesn't fit: what LibTorch says
  std::vector<wire::Message> notices{};
};

// `memory_budget` is the limit on a CPU; on a GPU it is what the device has, and a budget is not looked at. On a GPU what is
// neither weights nor gradients nor counted optimizer state is taken for activations.
// Fails with what no smaller batch would mend: a sample that can't be read, an operator that throws.
// REQUIRES: validate(spec) succeeded.
wire::Result<StepMemory> probeStep(const wire::RunSpec& spec, DataCache& cache, TensorMemory& memory, Control& control);

}  // namespace atelier::engine
