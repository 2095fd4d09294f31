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

// The same at 99 %, from eight values on (the lowest and the highest of eight cover 99.2 %; fewer cover less).
// REQUIRES: not empty.
wire::Interval decisionInterval(const std::vector<double>& values);

// A difference below this share is of no practical weight: no verdict hangs on it.
inline constexpr double kPracticalShare = 0.02;

// Verdict on b over a from pairs of blocks measured side by side: "faster" when the interval lies above 1 and the median
// beyond kPracticalShare, "slower" likewise below, "machine-busy" when more than half of the pairs were disturbed, when
// fewer than six are left, or when the interval is wider than half of the median and straddles 1; else "no-difference".
std::string raceVerdict(const wire::Interval& ratio, int pairs, int discarded);

// Whether a race may stop on these ratios (of undisturbed pairs): at least kFewestToDecide of them, and their
// decisionInterval() wholly above 1 + kPracticalShare, wholly below 1 − kPracticalShare, or wholly between the two.
// Who looks after each pair and stops at the first convincing interval is wrong more often than one interval's error says:
// with 95 % intervals far more often. Hence the wider interval. Simulated (tests/engine/race_tally_test.cpp), A against A is
// then called a difference in under 2 % of races of 50 pairs while a pair's noise is below 30 %, in 4 % at any noise, and a
// true ratio on the very border of 1.02 is called faster in 2 %. Each of b, c and d has this error for itself.
inline constexpr int kFewestToDecide = 8;
bool raceDecided(const std::vector<double>& ratios);

// Two shares of correct answers agree: their difference is within its own 95 % interval, or within a point.
bool sameAccuracy(double a, double b, std::int64_t evaluatedA, std::int64_t evaluatedB);

}  // namespace atelier::engine
