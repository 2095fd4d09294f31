// cross_entropy on a GPU: as cross_entropy.h, on device memory, in order of `stream` (a cudaStream_t), without waiting for it.
// Thread: any whose current device has the memory.
#pragma once

#include "cross_entropy.h"

namespace atelier::kernels {

// `result` and `losses` (a float64 a row) are device memory, too. A softmax takes CUDA's exponential: within 1e-6 of the
// reference relative to a row's largest gradient. Returns a cudaError_t code, 0 where all was launched.
int crossEntropyCuda(const float* logits, const std::int64_t* targets, float* gradient, const CrossEntropyRule& rule,
                     CrossEntropyResult* result, double* losses, void* stream);

}  // namespace atelier::kernels
