// adamw: an optimizer step over many tensors in at most two passes: one reads the gradients for their norm and for values that
// are not finite, one takes the loss's scale and the clipping out of them and updates, with the formulas and defaults of
// torch.optim.Adam and AdamW (no amsgrad, not maximize). Gradients are never written, so that unscaling and clipping cost no
// pass of their own. All is float32, the norm float64. Pointers need no alignment; no two ranges overlap; counts may be 0.
// Results don't depend on threads or instruction set, bit for bit. Any thread.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/common/parallel.h"

namespace atelier::kernels {

struct AdamTensor {
  float* parameter = nullptr;
  const float* gradient = nullptr;
  float *first_moment = nullptr, *second_moment = nullptr;
  std::int64_t count = 0;
  std::int64_t step = 1;  // of this tensor, this one included: 1 in the first
};

struct AdamRule {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  bool decoupled = true;         // AdamW: the decay shrinks the parameter; otherwise it joins the gradient
  double inverse_scale = 1;      // gradients are multiplied by it first: 1 ÷ the loss's scale
  double most_norm = 0;          // then scaled to this L2 norm at most, as clip_grad_norm_ does; 0: not
  bool skip_not_finite = false;  // nothing is touched where a gradient is not finite
};

struct AdamOutcome {
  double norm = 0;      // of the unscaled gradients, before clipping; 0 where neither clipping nor skipping asks for it
  bool finite = true;   // likewise
  bool stepped = true;  // when false, `step` must not be counted
};

struct Gradient {
  const float* values = nullptr;
  std::int64_t count = 0;
};

struct GradientNorm {
  double norm = 0;     // the L2 norm of all together; of finite values it is finite
  bool finite = true;  // all values are
};

// What clip_grad_norm_ multiplies gradients of this norm by: at most 1; NaN where the norm is.
double clipFactor(double norm, double most);

GradientNorm gradientNormReference(std::span<const Gradient> gradients, double inverse_scale);
GradientNorm gradientNorm(std::span<const Gradient> gradients, double inverse_scale, const ParallelFor& parallel);

struct GradientToScale {
  float* values = nullptr;
  std::int64_t count = 0;
};
void scaleGradients(std::span<const GradientToScale> gradients, float factor, const ParallelFor& parallel);

// Element by element, with torch's order of operations.
AdamOutcome adamStepReference(std::span<const AdamTensor> tensors, const AdamRule& rule);
// The same within a few units in the last place: unscaling and clipping are one product, the second moment's correction is a
// product rather than a quotient.
AdamOutcome adamStep(std::span<const AdamTensor> tensors, const AdamRule& rule, const ParallelFor& parallel);

}  // namespace atelier::kernels
