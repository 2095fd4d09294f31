// What lies between tensors and the loops of kernels/, which know pointers and counts alone: which tensors they take, and
// ATen's threads for them. Thread: the session's.
#pragma once

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "kernels/common/parallel.h"

namespace atelier::engine {

// Float32 on the CPU, without gaps: its elements are `numel()` in a row from data_ptr(), in whatever order.
inline bool isPlainMemory(const at::Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat && tensor.layout() == at::kStrided &&
         tensor.is_non_overlapping_and_dense();
}
inline bool arePlainMemory(const std::vector<at::Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), isPlainMemory);
}

// Their n-th elements in memory belong together.
inline bool lieAlike(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides();
}

// For writing as an operator would: autograd sees that the tensor is no longer what it kept.
inline float* writableMemory(const at::Tensor& tensor) {
  tensor.unsafeGetTensorImpl()->bump_version();
  return tensor.mutable_data_ptr<float>();
}

// A kernels::ParallelFor.
inline void inTorchThreads(std::int64_t count, const kernels::Range& work) {
  constexpr std::int64_t kLeast = 4;  // items of some thousand elements; for less, waking a thread costs more than it does
  at::parallel_for(0, count, kLeast, [&](std::int64_t begin, std::int64_t end) { work(begin, end); });
}

}  // namespace atelier::engine
