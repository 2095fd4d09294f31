#include "cross_entropy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/clones.h"
#include "kernels/common/sum.h"

namespace atelier::kernels {

// Not in the unnamed namespace: see clones.h.
namespace cross_entropy_loops {

// e^x for x ≤ 0 within two units in the last place, NaN for NaN. 2ⁿ · e^r with |r| ≤ ln 2 / 2, the polynomial is that of
// Cephes' expf (Moshier).
ATELIER_KERNEL_INLINE float exponential(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 · 2²³: adding it rounds to a whole number, which its low bits then hold
  const float shifted = x * 1.44269504088896341F + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U);
  const float value = ((p * r) * r + r + 1.0F) * power;
  return x < -87.0F ? 0.0F : value;  // below, 2ⁿ is no normal number
}

ATELIER_KERNEL_CLONES
float largest(const float* values, std::int64_t count) {
  Four most{};
  most -= std::numeric_limits<float>::infinity();
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Four four;
    std::memcpy(&four, values + i, sizeof four);
    most = four > most ? four : most;
  }
  float one = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  for (; i < count; ++i) one = values[i] > one ? values[i] : one;
  return one;
}

// out[i] = e^(values[i] − most); returns their sum.
ATELIER_KERNEL_CLONES
double exponentials(const float* __restrict values, float* __restrict out, std::int64_t count, float most) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = exponential(values[i] - most);
  return sumOf<false>(out, count);
}

ATELIER_KERNEL_CLONES
void toGradient(float* values, std::int64_t count, float factor, float share) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] * factor - share;
}

// Σ (values[i] − most)
ATELIER_KERNEL_CLONES
double sumOfOffsets(const float* values, std::int64_t count, float most) {
  const auto wideMost = static_cast<double>(most);
  FourWide sums{};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Four four;
    std::memcpy(&four, values + i, sizeof four);
    sums += __builtin_convertvector(four, FourWide) - wideMost;
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < count; ++i) sum += static_cast<double>(values[i]) - wideMost;
  return sum;
}

}  // namespace cross_entropy_loops

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CrossEntropyResult counted(const std::int64_t* targets, const CrossEntropyRule& rule) {
  CrossEntropyResult result;
  for (std::int64_t row = 0; row < rule.rows; ++row) {
    if (targets[row] == rule.ignored) continue;
    if (targets[row] < 0 || targets[row] >= rule.classes) return {kNaN, 0, row};
    ++result.counted;
  }
  return result;
}

// The row's loss; its gradient is of the mean over `count` rows.
double takeRow(const float* logits, std::int64_t target, float* gradient, const CrossEntropyRule& rule, double count) {
  namespace loops = cross_entropy_loops;
  const auto classes = static_cast<double>(rule.classes);
  const float most = loops::largest(logits, rule.classes);
  const double sum = loops::exponentials(logits, gradient, rule.classes, most);
  if (target == rule.ignored) {
    std::fill_n(gradient, rule.classes, static_cast<float>(0 * sum));
    return 0;
  }
  const double share = rule.smoothing / classes, logOfSum = std::log(sum);
  loops::toGradient(gradient, rule.classes, static_cast<float>(1 / (sum * count)), static_cast<float>(share / count));
  gradient[target] -= static_cast<float>((1 - rule.smoothing) / count);
  // Offsets from the largest, as of large logits themselves the sum's logarithm would be lost.
  const double loss = logOfSum - (static_cast<double>(logits[target]) - static_cast<double>(most));
  if (rule.smoothing == 0) return loss;  // or an infinite logit elsewhere would make NaN of it
  const double smooth = classes * logOfSum - loops::sumOfOffsets(logits, rule.classes, most);
  return (1 - rule.smoothing) * loss + share * smooth;
}

}  // namespace

CrossEntropyResult crossEntropyReference(const float* logits, const std::int64_t* targets, float* gradient,
                                         const CrossEntropyRule& rule) {
  auto result = counted(targets, rule);
  if (result.bad_row >= 0) return result;
  const auto count = static_cast<double>(result.counted), classes = static_cast<double>(rule.classes);
  for (std::int64_t row = 0; row < rule.rows; ++row, logits += rule.classes, gradient += rule.classes) {
    const double most = *std::max_element(logits, logits + rule.classes);
    const bool counts = targets[row] != rule.ignored;
    double sum = 0;
    for (std::int64_t i = 0; i < rule.classes; ++i) sum += std::exp(static_cast<double>(logits[i]) - most);
    for (std::int64_t i = 0; i < rule.classes; ++i) {
      const double hit = i == targets[row] ? 1 : 0;
      const double wanted = hit * (1 - rule.smoothing) + rule.smoothing / classes;
      const double offset = static_cast<double>(logits[i]) - most, share = std::exp(offset) / sum;
      gradient[i] = static_cast<float>(counts ? (share - wanted) / count : 0 * share);
      if (counts && wanted != 0) result.loss += wanted * (std::log(sum) - offset);
    }
    if (counts && std::isnan(sum)) result.loss = kNaN;
  }
  result.loss /= count;
  return result;
}

CrossEntropyResult crossEntropy(const float* logits, const std::int64_t* targets, float* gradient, const CrossEntropyRule& rule,
                                const ParallelFor& parallel) {
  auto result = counted(targets, rule);
  if (result.bad_row >= 0) return result;
  const auto count = static_cast<double>(result.counted);
  // A loss a row, added in order: the mean is the same with any number of threads.
  std::vector<double> losses(static_cast<std::size_t>(rule.rows), 0.0);
  // Rows in groups of some thousand values, or a thread would cost more than its work.
  const std::int64_t group = std::max<std::int64_t>(1, 4096 / rule.classes), groups = (rule.rows + group - 1) / group;
  parallel(groups, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = begin * group; row < std::min(end * group, rule.rows); ++row)
      losses[static_cast<std::size_t>(row)] =
          takeRow(logits + row * rule.classes, targets[row], gradient + row * rule.classes, rule, count);
  });
  for (const double loss : losses) result.loss += loss;
  result.loss /= count;
  return result;
}

}  // namespace atelier::kernels
