#include "machine.h"

#include <chrono>
#include <vector>

#include <ATen/ATen.h>

#include "core/engine/session/statistics.h"

namespace atelier::engine {

MatmulRate measureMatmul(bool bfloat16, int size, int repeats) {
  const at::NoGradGuard noGrad;
  const auto options = at::TensorOptions().dtype(bfloat16 ? at::kBFloat16 : at::kFloat);
  const auto a = at::ones({size, size}, options), b = at::ones({size, size}, options);
  auto out = at::empty({size, size}, options);
  for (int i = 0; i < 2; ++i) at::mm_out(out, a, b);
  std::vector<double> rates;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    at::mm_out(out, a, b);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    rates.push_back(2.0 * size * size * size / seconds * 1e-9);
  }
  return {medianInterval(rates)};
}

}  // namespace atelier::engine
