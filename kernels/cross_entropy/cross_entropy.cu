#include "cross_entropy_cuda.h"
#include "kernels/cuda/block.cuh"

namespace atelier::kernels {
namespace {

using namespace device;

// One block looks at all targets.
__global__ void countTargets(const std::int64_t* targets, CrossEntropyRule rule, CrossEntropyResult* result) {
  std::int64_t counted = 0, bad = rule.rows;
  for (std::int64_t row = threadIdx.x; row < rule.rows; row += kThreads) {
    if (targets[row] == rule.ignored) continue;
    if (targets[row] < 0 || targets[row] >= rule.classes) bad = row < bad ? row : bad;
    else ++counted;
  }
  counted = overBlock(counted, Add());
  bad = overBlock(bad, Smaller());
  if (threadIdx.x > 0) return;
  if (bad < rule.rows) *result = {nan(""), 0, bad};
  else *result = {0, counted, -1};
}

// A block a row, going on by the grid's width.
__global__ void takeRows(const float* logits, const std::int64_t* targets, float* gradient, CrossEntropyRule rule,
                         const CrossEntropyResult* result, double* losses) {
  if (result->bad_row >= 0) return;
  const auto count = static_cast<double>(result->counted), classes = static_cast<double>(rule.classes);
  const double share = rule.smoothing / classes;
  for (std::int64_t row = blockIdx.x; row < rule.rows; row += gridDim.x) {
    const float* mine = logits + row * rule.classes;
    float* out = gradient + row * rule.classes;
    const std::int64_t target = targets[row];
    float most = -INFINITY;
    for (std::int64_t i = threadIdx.x; i < rule.classes; i += kThreads) most = mine[i] > most ? mine[i] : most;
    most = overBlock(most, Larger());
    double sum = 0, offsets = 0;
    for (std::int64_t i = threadIdx.x; i < rule.classes; i += kThreads) {
      const float power = expf(mine[i] - most);
      out[i] = power;
      sum += static_cast<double>(power);
      offsets += static_cast<double>(mine[i]) - static_cast<double>(most);
    }
    sum = overBlock(sum, Add());
    offsets = overBlock(offsets, Add());
    const bool counts = target != rule.ignored;
    const auto factor = static_cast<float>(1 / (sum * count)), less = static_cast<float>(share / count);
    const auto hit = static_cast<float>((1 - rule.smoothing) / count), nothing = static_cast<float>(0 * sum);
    for (std::int64_t i = threadIdx.x; i < rule.classes; i += kThreads)
      out[i] = counts ? out[i] * factor - less - (i == target ? hit : 0.0F) : nothing;
    if (threadIdx.x > 0) continue;
    double loss = 0;
    if (counts) {
      loss = log(sum) - (static_cast<double>(mine[target]) - static_cast<double>(most));
      if (rule.smoothing != 0) loss = (1 - rule.smoothing) * loss + share * (classes * log(sum) - offsets);
    }
    losses[row] = loss;
  }
}

__global__ void meanOf(const double* losses, std::int64_t rows, CrossEntropyResult* result) {
  if (result->bad_row >= 0) return;
  double sum = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += kThreads) sum += losses[row];
  sum = overBlock(sum, Add());
  if (threadIdx.x == 0) result->loss = sum / static_cast<double>(result->counted);
}

}  // namespace

int crossEntropyCuda(const float* logits, const std::int64_t* targets, float* gradient, const CrossEntropyRule& rule,
                     CrossEntropyResult* result, double* losses, void* stream) {
  countTargets<<<1, kThreads, 0, streamOf(stream)>>>(targets, rule, result);
  if (rule.rows > 0)
    takeRows<<<blocksFor(rule.rows * kThreads), kThreads, 0, streamOf(stream)>>>(logits, targets, gradient, rule, result,
                                                                                 losses);
  meanOf<<<1, kThreads, 0, streamOf(stream)>>>(losses, rule.rows, result);
  return launched();
}

}  // namespace atelier::kernels
