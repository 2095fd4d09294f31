// The statistics of measurement: medians with distribution-free confidence intervals, and verdicts. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/wire/summary.h"

namespace atelier::engine {

// REQUIRES: not empty.
double median(std::vector<double> values);
// Linear interpolation between order statistics, 0 ≤ q ≤ 1. REQUIRES: not empty.
double quantile(std::vector<double> values, double q);

// Median with its 95 % interval by order statistics: the narrowest symmetric pair of ranks whose binomial coverage reaches
// 95 % (Conover, Practical Nonparametric Statistics, 3.2). Fewer than six values can't reach it: lowest and highest then.
// REQUIRES: not empty.
wire::Interval medianInterval(const std::vector<double>& values);

// A difference below this share is of no practical weight: no verdict hangs on it.
inline constexpr double kPracticalShare = 0.02;

// Verdict on b over a from pairs of blocks measured side by side: "faster" when the interval lies above 1 and the median
// beyond kPracticalShare, "slower" likewise below, "machine-busy" when more than half of the pairs were disturbed, when
// fewer than six are left, or when the interval is wider than half of the median and straddles 1; else "no-difference".
std::string raceVerdict(const wire::Interval& ratio, int pairs, int discarded);

// Two shares of correct answers agree: their difference is within its own 95 % interval, or within a point.
bool sameAccuracy(double a, double b, std::int64_t evaluatedA, std::int64_t evaluatedB);

}  // namespace atelier::engine
