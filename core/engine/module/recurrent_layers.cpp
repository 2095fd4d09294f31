#include "recurrent_layers.h"

#include <cmath>

namespace atelier::engine {

Lstm::Lstm(std::int64_t in, std::int64_t hidden) : m_hidden(hidden) {
  m_weights = {register_parameter("weight_ih_l0", at::empty({4 * hidden, in})),
               register_parameter("weight_hh_l0", at::empty({4 * hidden, hidden})),
               register_parameter("bias_ih_l0", at::empty({4 * hidden})),
               register_parameter("bias_hh_l0", at::empty({4 * hidden}))};
  const at::NoGradGuard noGrad;
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  for (auto& weight : m_weights) weight.uniform_(-bound, bound);
}

at::Tensor Lstm::forward(at::Tensor input) {
  const auto zeros = at::zeros({1, input.size(0), m_hidden}, input.options());
  const std::vector<at::Tensor> state{zeros, zeros};
  return std::get<0>(at::lstm(input, state, m_weights, true, 1, 0.0, is_training(), false, true));
}

}  // namespace atelier::engine
