// LaidOutLinear: x Wᵀ + b with the weight laid out once for oneDNN's matmul, which then need not do it in each call. For
// inference in float32 on a CPU: about a fifth faster at the few rows of a small batch. The copy counts as weights in the
// memory account for as long as it is kept.
// Thread: the session's.
#pragma once

#include <optional>

#include <ATen/ATen.h>

#include "seen_tensors.h"

namespace atelier::engine {

class LaidOutLinear {
 public:
  // nullopt: this call can't be done so (autograd or autocast look on, another type or device, too small to gain, no room
  // under the memory budget). A copy of former weights is then let go.
  std::optional<at::Tensor> operator()(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias);
  void forget();

 private:
  bool serves(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const;
  bool layOut(const at::Tensor& weight);

  at::Tensor m_laidOut;  // oneDNN's own layout, opaque; undefined: none
  SeenTensors m_seen;
  bool m_noRoom = false;
};

}  // namespace atelier::engine
