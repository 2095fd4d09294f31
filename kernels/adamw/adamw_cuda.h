// adamw on a GPU: as adamw.h, on device memory, in order of `stream` (a cudaStream_t), without waiting for it. What comes out
// lies on the device, so that no step waits for the norm of its gradients. Thread: any whose current device has the memory.
// Returned are cudaError_t codes, 0 where all was launched.
#pragma once

#include "adamw.h"

namespace atelier::kernels {

// float64 values of device memory that a norm needs while it is worked out.
inline constexpr std::int64_t kNormScratch = 1024;

// `norm`, `outcome` and `scratch` are device memory. Norms are the same on any run on one kind of GPU.
int gradientNormCuda(std::span<const Gradient> gradients, double inverse_scale, GradientNorm* norm, double* scratch,
                     void* stream);
int scaleGradientsCuda(std::span<const GradientToScale> gradients, float factor, void* stream);
// Where the outcome is not `stepped`, nothing was touched.
int adamStepCuda(std::span<const AdamTensor> tensors, const AdamRule& rule, AdamOutcome* outcome, double* scratch,
                 void* stream);

}  // namespace atelier::kernels
