// Recomputation: a segment of a model keeps its inputs alone for the backward pass. It runs at once without a graph; when
// backward reaches it, it runs again with one, from the same random states and under the same autocast, and that graph serves
// and is gone before the next segment's is made. Gradients are bit for bit those of the plain backward pass, and they reach
// the parameters as ordinary gradients of the segment: accumulation, parameters shared with other segments, inputs that want
// none, and torch::autograd::grad() are right.
// What a segment does to its surroundings happens once: batch norms look at recomputing() and leave their running statistics
// alone the second time. Hooks of modules run both times, since they may replace tensors; one that only looks asks
// recomputing() too. Gradient hooks are put on the second graph alone.
// Where one parameter is used in a segment more than once and elsewhere too, its gradients are added up within the segment
// first. A hook on a parameter itself (at::Tensor::register_hook) sees a segment's share, and then the sum.
// Thread: any; the state below is the thread's own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/ATen.h>

namespace atelier::engine {

// When backward reaches a segment.
enum class SegmentMoment {
  Again,     // it is about to run for the second time
  Backward,  // its graph is there, and about to be used
  Done,      // its graph is gone
};

struct Segment {
  // Undefined inputs (no mask) stay so. Makes one tensor, of what it is given and of `parameters`, and writes to neither.
  std::function<at::Tensor(const std::vector<at::Tensor>& inputs)> run;
  // All that it reads beside its inputs and that may want gradients, each once.
  std::vector<at::Tensor> parameters;
  std::function<void(SegmentMoment)> observe{};  // for who measures
};

// The segment's output, to be computed again in backward. Where no gradient is asked for it just runs.
// Backward with create_graph fails (c10::NotImplementedError): there is no second derivative. It fails as PyTorch's own
// operators do when an input was written to since, and when it comes a second time without retain_graph.
at::Tensor recomputed(const std::shared_ptr<const Segment>& segment, const std::vector<at::Tensor>& inputs);

// This thread runs a segment, the first time or again: both must take the same ways through the kernels.
bool inSegment();
// … again.
bool recomputing();

}  // namespace atelier::engine
