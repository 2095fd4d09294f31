// A linear layer whose matmuls take eight-bit operands: inputs and weights in e4m3, gradients in e5m2, each scaled so that its
// largest value is the format's largest. Emulated: values pass through the eight bits and are multiplied in float32, as tensor
// cores accumulate; so it shows what the format costs in accuracy, and saves memory (inputs are kept in eight bits for the
// backward pass), but no time.
// Thread: any; values only.
#pragma once

#include <ATen/ATen.h>

namespace atelier::engine {

enum class Fp8Scale { Tensor, Row };

struct Fp8Matrix {
  at::Tensor codes;   // (M, K), at::kFloat8_e4m3fn or at::kFloat8_e5m2
  at::Tensor factor;  // float32, () or (M, 1): what the values were multiplied by
};

// A format's largest finite value: 448 of e4m3fn, 57,344 of e5m2.
double largestOf(at::ScalarType format);

// `matrix` (M, K). Saturating: infinities become the format's largest, too; NaN stays NaN.
Fp8Matrix toFp8(const at::Tensor& matrix, at::ScalarType format, Fp8Scale scale);
// float32.
at::Tensor fromFp8(const Fp8Matrix& matrix);

// input (…, K), weight (N, K), bias (N), all float32 → (…, N). Differentiable.
at::Tensor fp8Linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, Fp8Scale scale);

}  // namespace atelier::engine
