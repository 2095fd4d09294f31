#include "recurrent_layers.h"

#include <cmath>

#include <ATen/autocast_mode.h>

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

namespace {

// oneDNN has no bfloat16 LSTM for processors without AVX-512, and a float16 one for hardly any, and throws: there it runs in
// float32, as autocast leaves alone whatever has no lower precision.
class Float32WhereNeeded {
 public:
  explicit Float32WhereNeeded(const at::Tensor& input)
      : m_off(input.is_cpu() && at::autocast::is_autocast_enabled(at::kCPU) &&
              (at::autocast::get_autocast_dtype(at::kCPU) == at::kHalf || __builtin_cpu_supports("avx512bw") == 0)) {
    if (m_off) at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  ~Float32WhereNeeded() {
    if (m_off) at::autocast::set_autocast_enabled(at::kCPU, true);
  }
  Float32WhereNeeded(const Float32WhereNeeded&) = delete;
  Float32WhereNeeded& operator=(const Float32WhereNeeded&) = delete;
  bool off() const { return m_off; }

 private:
  bool m_off;
};

}  // namespace

at::Tensor Lstm::forward(at::Tensor input) {
  const Float32WhereNeeded float32(input);
  // The weights' own type, which need not be float32.
  if (float32.off()) input = input.to(m_weights.front().scalar_type());
  const auto zeros = at::zeros({1, input.size(0), m_hidden}, input.options());
  const std::vector<at::Tensor> state{zeros, zeros};
  return std::get<0>(at::lstm(input, state, m_weights, true, 1, 0.0, is_training(), false, true));
}

}  // namespace atelier::engine
