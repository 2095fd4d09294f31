// MemoryModel: what a training step would need at a batch that was not tried, from what smaller batches did need. Such bytes
// are "predicted", never measured, and always come from other batches than the one they are said of.
//
//   peak = max over the step's stages of ( weights + gradients + optimizer state + activations + other )
//
// Weights, gradients and optimizer state don't depend on the batch and can be counted (countMemory). Of each stage, every part
// is taken as a line over the batch, constant + per sample × batch, through two batches that were measured. Activations (what
// forward keeps for backward, and its work space) have most of the slope, the input of the step (other) the rest. Precision,
// accumulation, the optimizer and checkpointing are in the measured lines by themselves.
// The stage that needs most changes with the batch: a small one peaks in the optimizer, whose work space has the weights' size,
// a large one at the end of forward. So the stages are foretold apart. Values only; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "core/engine/module/module.h"
#include "core/wire/run_spec.h"
#include "core/wire/summary.h"

namespace atelier::engine {

enum class StepStage { Data, Forward, Backward, Optimizer };
inline constexpr std::size_t kStepStages = 4;
// "data", "forward", …: as profiles and marks name them.
const char* stageName(StepStage stage);

// The composition at the highest total within each stage.
using StagePeaks = std::array<wire::MemoryBytes, kStepStages>;

// What a run holds between its steps, whatever the batch.
struct CountedMemory {
  std::int64_t values = 0, trained = 0;  // of parameters and buffers; of those that take part in training
  std::int64_t weights = 0;              // bytes: parameters and buffers
  std::int64_t gradients = 0;            // one value a trained one, in its type
  // Adam, AdamW: two moments a trained value and a counter a tensor; SGD: one where there is momentum. With float32 masters of
  // bfloat16 weights: the masters, and moments of theirs. With an average of the weights (ema): one more float32 value.
  std::int64_t optimizer = 0;

  std::int64_t total() const { return weights + gradients + optimizer; }
};
// Of a model that its techniques have prepared.
CountedMemory countMemory(const Module& model, const wire::RunSpec& spec);

struct BytesLine {
  double constant = 0, per_sample = 0;
};
struct StageLine {
  BytesLine weights{}, gradients{}, optimizer{}, activations{}, other{};

  BytesLine total() const;
  // Whole bytes, no part below zero; the parts sum to the total.
  wire::MemoryBytes at(std::int64_t batch) const;
};

struct MemoryForecast {
  wire::MemoryBytes bytes{};
  StepStage stage = StepStage::Forward;  // that is predicted to need most
  StageLine line{};                      // its line
  std::int64_t from[2] = {0, 0};         // the batches that it goes through
};

class MemoryModel {
 public:
  // What was measured at a batch; again: in its place.
  void add(std::int64_t batch, const StagePeaks& peaks) { m_measured[batch] = peaks; }

  // From smaller batches alone; nullopt: fewer than two were measured.
  std::optional<MemoryForecast> predict(std::int64_t batch) const;
  // The largest batch predicted to fit, from all that was measured; nullopt: nothing is known, or nothing grows.
  std::optional<std::int64_t> largest(std::int64_t budget) const;

 private:
  using Measured = std::map<std::int64_t, StagePeaks>;
  struct Pair {
    Measured::const_iterator small, large;
  };
  std::optional<Pair> pairBelow(Measured::const_iterator end) const;

  Measured m_measured;
};

}  // namespace atelier::engine
