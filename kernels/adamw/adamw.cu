#include <algorithm>
#include <cmath>

#include "adamw_cuda.h"
#include "kernels/cuda/block.cuh"

namespace atelier::kernels {
namespace {

using namespace device;

// As many tensors as fit into a launch's parameters (4 KiB), cut into pieces that blocks take.
constexpr int kTensors = 48;
constexpr std::int64_t kPiece = 4096;

struct Part {
  float* parameter;
  const float* gradient;
  float *first, *second;
  std::int64_t count;
  float inverse_correction2, step;
};
struct Batch {
  Part parts[kTensors];
  std::int64_t begins[kTensors + 1];  // of the parts, in pieces
  int count;

  __host__ __device__ std::int64_t pieces() const { return begins[count]; }
};
static_assert(sizeof(Batch) < 4000);

struct Numbers {  // of a whole step
  float keep, decay, weight1, beta2, weight2, epsilon;
  double inverse_scale, most_norm;
  bool coupled;
};

// Fills one batch after another and hands each to launch(batch).
template <class Tensors, class PartOf, class Launch>
void inBatches(const Tensors& tensors, const PartOf& partOf, const Launch& launch) {
  Batch batch{};
  for (const auto& tensor : tensors) {
    if (tensor.count == 0) continue;
    batch.parts[batch.count] = partOf(tensor);
    batch.begins[batch.count + 1] = batch.begins[batch.count] + (tensor.count + kPiece - 1) / kPiece;
    if (++batch.count < kTensors) continue;
    launch(batch);
    batch.count = 0;
  }
  if (batch.count > 0) launch(batch);
}

// take(part, element) for the elements of this block's pieces.
template <class Take>
__device__ void overPieces(const Batch& batch, const Take& take) {
  for (std::int64_t piece = blockIdx.x; piece < batch.pieces(); piece += gridDim.x) {
    int i = 0;
    while (piece >= batch.begins[i + 1]) ++i;
    const Part& part = batch.parts[i];
    const std::int64_t first = (piece - batch.begins[i]) * kPiece;
    const std::int64_t last = first + kPiece < part.count ? first + kPiece : part.count;
    for (std::int64_t k = first + threadIdx.x; k < last; k += kThreads) take(part, k);
  }
}

__global__ void addSquares(const __grid_constant__ Batch batch, double* sums) {
  double sum = 0;
  overPieces(batch, [&](const Part& part, std::int64_t k) {
    const double value = part.gradient[k];
    sum += value * value;
  });
  sum = overBlock(sum, Add());
  if (threadIdx.x == 0) sums[blockIdx.x] += sum;  // launches of a stream follow each other
}

__device__ double sumOfAll(const double* sums) {
  double sum = 0;
  for (auto i = static_cast<std::int64_t>(threadIdx.x); i < kNormScratch; i += kThreads) sum += sums[i];
  return overBlock(sum, Add());
}

__global__ void settleNorm(const double* sums, double inverseScale, GradientNorm* norm) {
  const double sum = sumOfAll(sums);
  if (threadIdx.x == 0) *norm = {sqrt(sum) * inverseScale, isfinite(sum) != 0};
}

__global__ void settleOutcome(const double* sums, double inverseScale, bool skip, AdamOutcome* outcome) {
  const double sum = sumOfAll(sums);
  const bool finite = isfinite(sum) != 0;
  if (threadIdx.x == 0) *outcome = {sqrt(sum) * inverseScale, finite, finite || !skip};
}

__global__ void multiply(const __grid_constant__ Batch batch, float factor) {
  overPieces(batch, [&](const Part& part, std::int64_t k) { part.parameter[k] *= factor; });
}

__global__ void update(const __grid_constant__ Batch batch, Numbers n, const AdamOutcome* outcome) {
  if (!outcome->stepped) return;
  double scale = n.inverse_scale;
  if (n.most_norm > 0) {
    const double clip = n.most_norm / (outcome->norm + 1e-6);
    scale *= clip > 1 ? 1 : clip;
  }
  const auto factor = static_cast<float>(scale);
  const bool near = n.weight1 < 0.5F;
  overPieces(batch, [&](const Part& part, std::int64_t k) {
    float parameter = part.parameter[k], gradient = part.gradient[k] * factor, first = part.first[k];
    if (n.coupled) gradient += parameter * n.decay;
    else parameter *= n.keep;
    const float difference = gradient - first;
    first = near ? first + n.weight1 * difference : gradient + (n.weight1 - 1) * difference;
    const float second = part.second[k] * n.beta2 + n.weight2 * gradient * gradient;
    part.first[k] = first;
    part.second[k] = second;
    part.parameter[k] = parameter + part.step * first / (sqrtf(second) * part.inverse_correction2 + n.epsilon);
  });
}

unsigned blocksOf(const Batch& batch, std::int64_t most) {
  return static_cast<unsigned>(std::min(batch.pieces(), most));
}

template <class Tensors, class PartOf>
void sumSquares(const Tensors& tensors, const PartOf& partOf, double* sums, cudaStream_t stream) {
  cudaMemsetAsync(sums, 0, sizeof(double) * kNormScratch, stream);
  inBatches(tensors, partOf,
            [&](const Batch& batch) { addSquares<<<blocksOf(batch, kNormScratch), kThreads, 0, stream>>>(batch, sums); });
}

Part partOf(const AdamTensor& tensor, const AdamRule& rule) {
  const auto step = static_cast<double>(tensor.step);
  const double correction1 = 1 - std::pow(rule.beta1, step), correction2 = 1 - std::pow(rule.beta2, step);
  return {tensor.parameter,
          tensor.gradient,
          tensor.first_moment,
          tensor.second_moment,
          tensor.count,
          static_cast<float>(1 / std::sqrt(correction2)),
          static_cast<float>(-rule.rate / correction1)};
}

}  // namespace

int gradientNormCuda(std::span<const Gradient> gradients, double inverse_scale, GradientNorm* norm, double* scratch,
                     void* stream) {
  const auto part = [](const Gradient& one) { return Part{nullptr, one.values, nullptr, nullptr, one.count, 0, 0}; };
  sumSquares(gradients, part, scratch, streamOf(stream));
  settleNorm<<<1, kThreads, 0, streamOf(stream)>>>(scratch, inverse_scale, norm);
  return launched();
}

int scaleGradientsCuda(std::span<const GradientToScale> gradients, float factor, void* stream) {
  const auto part = [](const GradientToScale& one) { return Part{one.values, nullptr, nullptr, nullptr, one.count, 0, 0}; };
  inBatches(gradients, part,
            [&](const Batch& batch) { multiply<<<blocksOf(batch, 1 << 30), kThreads, 0, streamOf(stream)>>>(batch, factor); });
  return launched();
}

int adamStepCuda(std::span<const AdamTensor> tensors, const AdamRule& rule, AdamOutcome* outcome, double* scratch,
                 void* stream) {
  const auto part = [&](const AdamTensor& tensor) { return partOf(tensor, rule); };
  if (rule.most_norm > 0 || rule.skip_not_finite) sumSquares(tensors, part, scratch, streamOf(stream));
  else cudaMemsetAsync(scratch, 0, sizeof(double) * kNormScratch, streamOf(stream));
  settleOutcome<<<1, kThreads, 0, streamOf(stream)>>>(scratch, rule.inverse_scale, rule.skip_not_finite, outcome);
  const Numbers numbers{rule.decoupled ? static_cast<float>(1 - rule.rate * rule.weight_decay) : 1.0F,
                        static_cast<float>(rule.weight_decay),
                        static_cast<float>(1 - rule.beta1),
                        static_cast<float>(rule.beta2),
                        static_cast<float>(1 - rule.beta2),
                        static_cast<float>(rule.epsilon),
                        rule.inverse_scale,
                        rule.most_norm,
                        !rule.decoupled && rule.weight_decay != 0};
  inBatches(tensors, part, [&](const Batch& batch) {
    update<<<blocksOf(batch, 1 << 30), kThreads, 0, streamOf(stream)>>>(batch, numbers, outcome);
  });
  return launched();
}

}  // namespace atelier::kernels
