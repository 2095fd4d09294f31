// cross_entropy: softmax cross-entropy of rows of logits, mean over the rows that count, and its gradient in the same call:
// the softmax is never stored. As torch.nn.functional.cross_entropy with label_smoothing, ignore_index and reduction="mean".
// Logits and gradient are rows × classes, row-major, float32, and don't overlap; sums are float64. Pointers need no alignment.
// Results don't depend on threads or instruction set, bit for bit. Any thread.
//
// Values that are not finite do what they do in PyTorch: a row with NaN or +∞, or of −∞ alone, makes the loss NaN and its own
// gradient NaN, also where it is ignored (the gradient then); −∞ is a probability of 0, which costs ∞ as a target or where
// labels are smoothed. Logits of any finite size are taken.
#pragma once

#include <cstdint>

#include "kernels/common/parallel.h"

namespace atelier::kernels {

struct CrossEntropyRule {
  std::int64_t rows = 0, classes = 1;  // at least 0 and 1
  double smoothing = 0;                // 0 … 1: what all classes share evenly of a row's target
  std::int64_t ignored = -100;         // a row with this target counts for nothing
};

struct CrossEntropyResult {
  double loss = 0;            // mean; NaN where no row counts
  std::int64_t counted = 0;   // rows
  std::int64_t bad_row = -1;  // the first whose target is no class and not ignored; nothing else is done then
};

// Row by row in float64.
CrossEntropyResult crossEntropyReference(const float* logits, const std::int64_t* targets, float* gradient,
                                         const CrossEntropyRule& rule);

// `gradient`: of the mean loss by the logits, written in full. Within 1e-6 of the reference relative to a row's largest
// gradient; a probability below 1e-38 is taken for 0.
CrossEntropyResult crossEntropy(const float* logits, const std::int64_t* targets, float* gradient, const CrossEntropyRule& rule,
                                const ParallelFor& parallel);

}  // namespace atelier::kernels
