#include "adamw.h"

#include <cmath>
#include <vector>

#include "kernels/common/chunks.h"
#include "kernels/common/clones.h"
#include "kernels/common/sum.h"

namespace atelier::kernels {

// Not in the unnamed namespace: see clones.h.
namespace adamw_loops {

struct Coefficients {
  float factor;  // of the gradient
  float keep;    // of the parameter: what decoupled decay leaves
  float decay;   // coupled
  float weight1, beta2, weight2;
  float inverse_correction2, epsilon;
  float step;  // −rate ÷ the first moment's correction
};

template <bool kCoupled>
ATELIER_KERNEL_INLINE void update(float* __restrict parameters, const float* __restrict gradients, float* __restrict first,
                                  float* __restrict second, std::int64_t count, const Coefficients& with) {
  const Coefficients c = with;  // or each store might change it
  const bool near = c.weight1 < 0.5F;
  for (std::int64_t i = 0; i < count; ++i) {
    float parameter = parameters[i], gradient = gradients[i] * c.factor;
    if constexpr (kCoupled) gradient += parameter * c.decay;
    else parameter *= c.keep;
    const float difference = gradient - first[i];
    // As at::lerp: from the nearer end.
    const float moment = near ? first[i] + c.weight1 * difference : gradient + (c.weight1 - 1) * difference;
    const float square = second[i] * c.beta2 + c.weight2 * gradient * gradient;
    first[i] = moment;
    second[i] = square;
    parameters[i] = parameter + c.step * moment / (std::sqrt(square) * c.inverse_correction2 + c.epsilon);
  }
}

ATELIER_KERNEL_CLONES
void updateCoupled(float* parameters, const float* gradients, float* first, float* second, std::int64_t count,
                   const Coefficients& with) {
  update<true>(parameters, gradients, first, second, count, with);
}

ATELIER_KERNEL_CLONES
void updateDecoupled(float* parameters, const float* gradients, float* first, float* second, std::int64_t count,
                     const Coefficients& with) {
  update<false>(parameters, gradients, first, second, count, with);
}

ATELIER_KERNEL_CLONES
double sumOfSquares(const float* values, std::int64_t count) {
  return sumOf<true>(values, count);
}

ATELIER_KERNEL_CLONES
void scale(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace adamw_loops

namespace {

using adamw_loops::Coefficients;

std::vector<Coefficients> coefficientsOf(std::span<const AdamTensor> tensors, const AdamRule& rule, double factor) {
  std::vector<Coefficients> all(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0 && tensors[i].step == tensors[i - 1].step) {  // powers cost as much as a small tensor
      all[i] = all[i - 1];
      continue;
    }
    const auto step = static_cast<double>(tensors[i].step);
    const double correction1 = 1 - std::pow(rule.beta1, step), correction2 = 1 - std::pow(rule.beta2, step);
    all[i] = {static_cast<float>(factor),
              rule.decoupled ? static_cast<float>(1 - rule.rate * rule.weight_decay) : 1.0F,
              static_cast<float>(rule.weight_decay),
              static_cast<float>(1 - rule.beta1),
              static_cast<float>(rule.beta2),
              static_cast<float>(1 - rule.beta2),
              static_cast<float>(1 / std::sqrt(correction2)),
              static_cast<float>(rule.epsilon),
              static_cast<float>(-rule.rate / correction1)};
  }
  return all;
}

template <class Tensors, class ValuesOf>
GradientNorm normOf(const Tensors& tensors, const Chunks& chunks, double inverseScale, const ParallelFor& parallel,
                    const ValuesOf& valuesOf) {
  // A sum a chunk, added in order: the norm is the same with any number of threads.
  std::vector<double> sums(static_cast<std::size_t>(chunks.count()), 0.0);
  parallel(chunks.count(), [&](std::int64_t begin, std::int64_t end) {
    for (auto chunk = begin; chunk < end; ++chunk) {
      double sum = 0;
      chunks.visit(chunk, chunk + 1, [&](std::size_t i, std::int64_t first, std::int64_t count) {
        sum += adamw_loops::sumOfSquares(valuesOf(tensors[i]) + first, count);
      });
      sums[static_cast<std::size_t>(chunk)] = sum;
    }
  });
  double sum = 0;
  for (const double one : sums) sum += one;
  // Squares of float32 don't overflow float64: the sum is finite where all values are.
  return {std::sqrt(sum) * inverseScale, std::isfinite(sum)};
}

}  // namespace

double clipFactor(double norm, double most) {
  const double factor = most / (norm + 1e-6);
  return factor > 1 ? 1 : factor;
}

GradientNorm gradientNormReference(std::span<const Gradient> gradients, double inverse_scale) {
  double sum = 0;
  bool finite = true;
  for (const auto& gradient : gradients)
    for (std::int64_t i = 0; i < gradient.count; ++i) {
      const auto value = static_cast<double>(gradient.values[i]);
      finite = finite && std::isfinite(value);
      sum += value * value;
    }
  return {std::sqrt(sum) * inverse_scale, finite};
}

GradientNorm gradientNorm(std::span<const Gradient> gradients, double inverse_scale, const ParallelFor& parallel) {
  return normOf(gradients, Chunks(gradients), inverse_scale, parallel, [](const Gradient& one) { return one.values; });
}

void scaleGradients(std::span<const GradientToScale> gradients, float factor, const ParallelFor& parallel) {
  const Chunks chunks(gradients);
  parallel(chunks.count(), [&](std::int64_t begin, std::int64_t end) {
    chunks.visit(begin, end, [&](std::size_t i, std::int64_t first, std::int64_t count) {
      adamw_loops::scale(gradients[i].values + first, count, factor);
    });
  });
}

AdamOutcome adamStepReference(std::span<const AdamTensor> tensors, const AdamRule& rule) {
  std::vector<Gradient> gradients;
  for (const auto& tensor : tensors) gradients.push_back({tensor.gradient, tensor.count});
  AdamOutcome outcome;
  float clip = 1;
  if (rule.most_norm > 0 || rule.skip_not_finite) {
    const auto norm = gradientNormReference(gradients, rule.inverse_scale);
    outcome = {norm.norm, norm.finite, norm.finite || !rule.skip_not_finite};
    if (rule.most_norm > 0) clip = static_cast<float>(clipFactor(norm.norm, rule.most_norm));
  }
  if (!outcome.stepped) return outcome;
  const auto unscale = static_cast<float>(rule.inverse_scale), decay = static_cast<float>(rule.weight_decay);
  const auto keep = static_cast<float>(1 - rule.rate * rule.weight_decay), epsilon = static_cast<float>(rule.epsilon);
  const auto beta2 = static_cast<float>(rule.beta2), weight1 = static_cast<float>(1 - rule.beta1);
  const auto weight2 = static_cast<float>(1 - rule.beta2);
  for (const auto& t : tensors) {
    const auto step = static_cast<double>(t.step);
    const auto rate = static_cast<float>(-rule.rate / (1 - std::pow(rule.beta1, step)));
    const auto correction2 = static_cast<float>(std::sqrt(1 - std::pow(rule.beta2, step)));
    for (std::int64_t i = 0; i < t.count; ++i) {
      float gradient = t.gradient[i] * unscale * clip, &parameter = t.parameter[i];
      if (rule.decoupled) parameter *= keep;
      else if (rule.weight_decay != 0) gradient += parameter * decay;
      float &first = t.first_moment[i], &second = t.second_moment[i];
      if (weight1 < 0.5F) first += weight1 * (gradient - first);
      else first = gradient - (gradient - first) * (1 - weight1);
      second = second * beta2 + weight2 * gradient * gradient;
      parameter += rate * first / (std::sqrt(second) / correction2 + epsilon);
    }
  }
  return outcome;
}

AdamOutcome adamStep(std::span<const AdamTensor> tensors, const AdamRule& rule, const ParallelFor& parallel) {
  const Chunks chunks(tensors);
  AdamOutcome outcome;
  double factor = rule.inverse_scale;
  if (rule.most_norm > 0 || rule.skip_not_finite) {
    const auto found =
        normOf(tensors, chunks, rule.inverse_scale, parallel, [](const AdamTensor& one) { return one.gradient; });
    outcome = {found.norm, found.finite, found.finite || !rule.skip_not_finite};
    if (rule.most_norm > 0) factor *= clipFactor(found.norm, rule.most_norm);
  }
  if (!outcome.stepped) return outcome;
  const auto coefficients = coefficientsOf(tensors, rule, factor);
  const auto update = !rule.decoupled && rule.weight_decay != 0 ? adamw_loops::updateCoupled : adamw_loops::updateDecoupled;
  parallel(chunks.count(), [&](std::int64_t begin, std::int64_t end) {
    chunks.visit(begin, end, [&](std::size_t i, std::int64_t first, std::int64_t count) {
      const auto& t = tensors[i];
      update(t.parameter + first, t.gradient + first, t.first_moment + first, t.second_moment + first, count, coefficients[i]);
    });
  });
  return outcome;
}

}  // namespace atelier::kernels
