// ValueHistogram: how large the values of a tensor, or of many, are: one bin a power of two, and what has no magnitude counted
// beside. With it goes what a number format would make of them. It travels in Health. Values only; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "number_format.h"

namespace atelier::wire {

// Of the values that are finite and not 0, after they were multiplied by a scale: shares, 0 … 1.
struct OutsideShares {
  double zero = 0;       // become zero
  double subnormal = 0;  // keep fewer digits than the format has
  double overflow = 0;   // beyond the largest
  double lost() const { return zero + overflow; }
};

class ValueHistogram {
 public:
  // A bin holds magnitudes from 2^exponent up to the next power of two; the first also what is smaller, the last what is
  // larger.
  static constexpr int kLowest = -150, kHighest = 128, kBins = kHighest - kLowest + 1;

  std::int64_t zeros = 0, negatives = 0;  // negatives: below 0, −∞ among them
  std::int64_t infinities = 0, nans = 0;
  double largest = 0;  // finite magnitude

  void add(double value);
  // So many values in the bin of 2^exponent; `largest` and `negatives` are the caller's.
  void addBin(int exponent, std::int64_t values);
  void add(const ValueHistogram& other);

  std::int64_t bin(int exponent) const;  // 0 outside
  std::int64_t finite() const;           // finite and not 0
  std::int64_t count() const { return finite() + zeros + infinities + nans; }
  bool empty() const { return count() == 0; }
  // The lowest and highest bin that holds something. REQUIRES: finite() > 0.
  int lowestBin() const;
  int highestBin() const;

  // Values are taken to lie evenly in their bin. REQUIRES: scale finite and above 0.
  OutsideShares outside(const NumberFormat& format, double scale = 1) const;
  // The power of two, as its exponent, at which the fewest values become zero while none overflows; among equals the one with
  // the fewest subnormals, then the one nearest to 1. 0 when nothing was counted, and when what was is too large for any
  // (beyond 2^300).
  int bestScale(const NumberFormat& format) const;

  bool operator==(const ValueHistogram&) const = default;

 private:
  std::vector<std::int64_t> m_bins{};  // kBins of them, or none while all are 0
};

// Of a model at one step.
struct ValueHistograms {
  ValueHistogram weights{}, activations{}, gradients{};
  bool empty() const { return weights.empty() && activations.empty() && gradients.empty(); }
  bool operator==(const ValueHistograms&) const = default;
};

nlohmann::json toJson(const ValueHistogram& histogram);
nlohmann::json toJson(const ValueHistograms& histograms);
// Lenient: what is absent, mistyped, negative or outside the bins counts nothing.
ValueHistogram histogramFromJson(const nlohmann::json& json);
ValueHistograms histogramsFromJson(const nlohmann::json& json);

}  // namespace atelier::wire
