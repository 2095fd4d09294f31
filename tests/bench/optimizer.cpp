// Milliseconds a step of the fused AdamW takes; tests/bench/optimizer_peer.py takes turns between it and PyTorch's. Threads are
// OpenMP's, as LibTorch's are. From the repository's root; no Torch, no Qt:
//   g++ -std=c++20 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -fopenmp -I. tests/bench/optimizer.cpp
//   kernels/adamw/adamw.cpp -o /tmp/optimizer
// Usage: optimizer WAY THREADS STEPS REPEATS COUNT…: WAY is `step`, or `whole` with unscaling, a check for values that are not
// finite and clipping; a COUNT for each tensor. Prints a JSON object.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <omp.h>

#include "kernels/adamw/adamw.h"

namespace {

using namespace atelier;
using Clock = std::chrono::steady_clock;

struct Tensor {
  // The peer fills its own with the same.
  explicit Tensor(std::size_t count) : parameter(count), gradient(count), first(count), second(count) {
    for (std::size_t i = 0; i < count; ++i) {
      parameter[i] = static_cast<float>(i % 101) / 101 - 0.5F;
      gradient[i] = static_cast<float>(i % 97) / 97 - 0.4F;
    }
  }
  std::vector<float> parameter, gradient, first, second;
};

void inOpenMp(std::int64_t count, const kernels::Range& work) {
  const std::int64_t threads = std::min<std::int64_t>(omp_get_max_threads(), (count + 3) / 4);
  if (threads < 2) {
    if (count > 0) work(0, count);
    return;
  }
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const std::int64_t each = (count + threads - 1) / threads, begin = omp_get_thread_num() * each;
    if (begin < count) work(begin, std::min(begin + each, count));
  }
}

class Bench {
 public:
  Bench(bool whole, int argc, char** argv) {
    for (int i = 5; i < argc; ++i) m_tensors.emplace_back(static_cast<std::size_t>(std::atoll(argv[i])));
    m_rule.weight_decay = 0.01;
    if (!whole) return;
    m_rule.most_norm = 1;
    m_rule.skip_not_finite = true;
  }
  // The list is made anew each time, as an optimizer must.
  void step() {
    ++m_steps;
    std::vector<kernels::AdamTensor> list;
    list.reserve(m_tensors.size());
    for (auto& t : m_tensors)
      list.push_back({t.parameter.data(), t.gradient.data(), t.first.data(), t.second.data(),
                      static_cast<std::int64_t>(t.parameter.size()), m_steps});
    kernels::adamStep(list, m_rule, inOpenMp);
  }
  double sum() const {
    double sum = 0;
    for (const auto& t : m_tensors)
      for (const float value : t.parameter) sum += static_cast<double>(value);
    return sum;
  }

 private:
  std::vector<Tensor> m_tensors;
  kernels::AdamRule m_rule;
  std::int64_t m_steps = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  omp_set_num_threads(std::max(1, std::atoi(argv[2])));
  const int steps = std::max(1, std::atoi(argv[3])), repeats = std::max(1, std::atoi(argv[4]));
  Bench bench(std::string(argv[1]) == "whole", argc, argv);
  for (int i = 0; i < steps; ++i) bench.step();
  const double sum = bench.sum();  // before anything depends on how often it was timed
  std::vector<double> times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) bench.step();
    times.push_back(std::chrono::duration<double>(Clock::now() - begin).count() / steps);
  }
  std::sort(times.begin(), times.end());
  std::printf("{\"milliseconds\": %.6f, \"sum\": %.9g}\n", times[times.size() / 2] * 1e3, sum);
  return 0;
}
