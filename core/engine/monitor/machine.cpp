#include "machine.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <ATen/ATen.h>

#include "core/engine/session/statistics.h"

namespace atelier::engine {
namespace {

constexpr auto kLongest = std::chrono::milliseconds(600);

}  // namespace

MatmulRate measureMatmul(bool bfloat16, int size, int repeats) {
  const at::NoGradGuard noGrad;
  const auto options = at::TensorOptions().dtype(bfloat16 ? at::kBFloat16 : at::kFloat);
  const auto a = at::ones({size, size}, options), b = at::ones({size, size}, options);
  auto out = at::empty({size, size}, options);
  at::mm_out(out, a, b);
  std::vector<double> rates;
  const auto first = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    at::mm_out(out, a, b);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (i >= 3 && begin - first > kLongest) break;
    rates.push_back(2.0 * size * size * size / seconds * 1e-9);
  }
  return {medianInterval(rates), *std::max_element(rates.begin(), rates.end())};
}

}  // namespace atelier::engine
