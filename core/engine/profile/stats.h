// TensorSums: what the values of a tensor come to, in a form that can be put together: of the parts of one, of the calls of a
// module. Any thread.
#pragma once

#include <cstdint>
#include <limits>

#include <ATen/ATen.h>

#include "core/wire/health.h"

namespace atelier::engine {

struct TensorSums {
  std::int64_t count = 0, finite = 0, zeros = 0, nans = 0;
  // Of the finite values.
  double mean = 0;
  double spread = 0;   // Σ (value − mean)²
  double squares = 0;  // Σ value²
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();

  bool allFinite() const { return finite == count; }
  // As if the other's values were among these (Chan, Golub and LeVeque 1979).
  void add(const TensorSums& other);
  // Without module and type. The deviation is that of the values themselves (÷ n), all of them being known.
  wire::TensorStats stats() const;
};

// Of any dtype, layout and strides; nothing of an undefined or a meta tensor. One pass over memory where that holds float or
// double on a CPU without gaps, whatever the order. Reads a GPU's result back: it synchronises.
TensorSums sumsOf(const at::Tensor& tensor);
// The same by ATen's operators, wherever the tensor lies. REQUIRES: defined, not meta.
TensorSums sumsByOperators(const at::Tensor& tensor);

// No value is NaN or infinite. True of what has no values, and of integers.
bool allFinite(const at::Tensor& tensor);

}  // namespace atelier::engine
