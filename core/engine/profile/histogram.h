// The magnitudes of a tensor's values, a bin a power of two. Any thread.
#pragma once

#include <ATen/ATen.h>

#include "core/wire/value_histogram.h"

namespace atelier::engine {

// Of floating-point tensors of any layout and strides, as float32 (double: as it is); nothing of others, of an undefined or a
// meta tensor. One pass over memory and no tensor of its own where that holds float or double on a CPU without gaps. Reads a
// GPU's result back: it synchronises.
wire::ValueHistogram histogramOf(const at::Tensor& tensor);
// The same by ATen's operators, wherever the tensor lies, as float32. REQUIRES: defined, not meta, floating-point, strided.
wire::ValueHistogram histogramByOperators(const at::Tensor& tensor);

}  // namespace atelier::engine
