// What a model's output is worth: the loss of a task and how often it was right. Thread: the session's.
#pragma once

#include <ATen/ATen.h>

#include "core/engine/data/dataset.h"

namespace atelier::engine {

// Mean over what is counted. `output` as Task says, in any float type; it is taken to float32 first.
at::Tensor taskLoss(Task task, const at::Tensor& output, const Batch& batch, std::int64_t pad, double labelSmoothing);

// What a batch's mean loss is taken over: its samples, or its tokens that a next one is foretold for; those reads the device.
std::int64_t countedIn(Task task, const Batch& batch, std::int64_t pad);

struct TaskScore {
  double loss_sum = 0;
  std::int64_t correct = 0, count = 0;  // count: samples, or tokens that a next one was foretold for
};
// Sums of a batch; reads the device.
TaskScore taskScore(Task task, const at::Tensor& output, const Batch& batch, std::int64_t pad);

}  // namespace atelier::engine
