#include "statistics.h"

#include <algorithm>
#include <cmath>

namespace atelier::engine {
namespace {

// P(X ≤ k), X binomial (n, ½).
double binomialHalf(int k, int n) {
  double term = std::pow(0.5, n), sum = 0;
  for (int i = 0; i <= k; ++i) {
    sum += term;
    term *= static_cast<double>(n - i) / (i + 1);
  }
  return sum;
}

// The narrowest symmetric pair of ranks that covers the median with this confidence; `deviations` of the normal
// distribution have that coverage, for counts that the binomial can't be summed for.
wire::Interval orderInterval(const std::vector<double>& values, double confidence, double deviations) {
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const int n = static_cast<int>(sorted.size());
  int rank = 1;  // the interval is [x(rank), x(n+1−rank)]; coverage 1 − 2 P(X ≤ rank − 1)
  while (n <= 1000 && 2 * (rank + 1) <= n && 1 - 2 * binomialHalf(rank, n) >= confidence) ++rank;
  if (n > 1000) rank = std::max(1, static_cast<int>(n / 2.0 - deviations / 2 * std::sqrt(n)));
  const auto low = static_cast<std::size_t>(rank - 1), high = static_cast<std::size_t>(n - rank);
  return {median(sorted), sorted[low], sorted[high], n};
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

wire::Interval medianInterval(const std::vector<double>& values) {
  return orderInterval(values, 0.95, 1.96);
}

wire::Interval decisionInterval(const std::vector<double>& values) {
  return orderInterval(values, 0.99, 2.58);
}

std::string raceVerdict(const wire::Interval& ratio, int pairs, int discarded) {
  constexpr int kFewest = 6;
  if (pairs < kFewest || discarded > pairs) return "machine-busy";
  if (ratio.low > 1 && ratio.median >= 1 + kPracticalShare) return "faster";
  if (ratio.high < 1 && ratio.median <= 1 / (1 + kPracticalShare)) return "slower";
  if (ratio.high - ratio.low > 0.5 * ratio.median) return "machine-busy";
  return "no-difference";
}

bool raceDecided(const std::vector<double>& ratios) {
  if (ratios.size() < static_cast<std::size_t>(kFewestToDecide)) return false;
  constexpr double kAbove = 1 + kPracticalShare, kBelow = 1 - kPracticalShare;
  const auto interval = decisionInterval(ratios);
  return interval.low > kAbove || interval.high < kBelow || (interval.low >= kBelow && interval.high <= kAbove);
}

bool sameAccuracy(double a, double b, std::int64_t evaluatedA, std::int64_t evaluatedB) {
  if (evaluatedA <= 0 || evaluatedB <= 0) return false;
  const double deviation =
      std::sqrt(a * (1 - a) / static_cast<double>(evaluatedA) + b * (1 - b) / static_cast<double>(evaluatedB));
  return std::fabs(a - b) <= std::max(0.01, 1.96 * deviation);
}

}  // namespace atelier::engine
