#include "value_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "json_read.h"
#include "number.h"

namespace atelier::wire {
namespace {

using nlohmann::json;

// A record may say anything: so large a count that no sum of them overflows.
constexpr std::int64_t kMost = std::int64_t{1} << 50;
// Scales are looked for between these powers of two: with them every bin can be brought into every format.
constexpr int kFarthest = 300;

std::size_t placeOf(int exponent) {
  return static_cast<std::size_t>(std::clamp(exponent, ValueHistogram::kLowest, ValueHistogram::kHighest) -
                                  ValueHistogram::kLowest);
}

std::int64_t countOf(const json& value) {
  if (!value.is_number_integer()) return 0;
  if (value.is_number_unsigned()) return static_cast<std::int64_t>(std::min<std::uint64_t>(value.get<std::uint64_t>(), kMost));
  return std::clamp<std::int64_t>(value.get<std::int64_t>(), 0, kMost);
}

// The share of a bin's values that are smaller than the limit.
double shareBelow(int exponent, double limit) {
  const double low = std::ldexp(1.0, exponent);
  return std::clamp((limit - low) / low, 0.0, 1.0);
}

// Which of two scales serves better.
struct Choice {
  double zero = 0, subnormal = 0;
  int exponent = 0;
  bool better(const Choice& other) const {
    if (zero != other.zero) return zero < other.zero;
    if (subnormal != other.subnormal) return subnormal < other.subnormal;
    return std::abs(exponent) < std::abs(other.exponent);
  }
};

}  // namespace

void ValueHistogram::addBin(int exponent, std::int64_t values) {
  if (values <= 0) return;
  if (m_bins.empty()) m_bins.resize(kBins);
  m_bins[placeOf(exponent)] += values;
}

void ValueHistogram::add(double value) {
  if (std::isnan(value)) {
    ++nans;
    return;
  }
  if (value < 0) ++negatives;
  if (std::isinf(value)) {
    ++infinities;
  } else if (value == 0) {
    ++zeros;
  } else {
    addBin(std::ilogb(value), 1);
    largest = std::max(largest, std::fabs(value));
  }
}

void ValueHistogram::add(const ValueHistogram& other) {
  zeros += other.zeros;
  negatives += other.negatives;
  infinities += other.infinities;
  nans += other.nans;
  largest = std::max(largest, other.largest);
  if (other.m_bins.empty()) return;
  if (m_bins.empty()) m_bins.resize(kBins);
  for (std::size_t i = 0; i < m_bins.size(); ++i) m_bins[i] += other.m_bins[i];
}

std::int64_t ValueHistogram::bin(int exponent) const {
  if (m_bins.empty() || exponent < kLowest || exponent > kHighest) return 0;
  return m_bins[placeOf(exponent)];
}

std::int64_t ValueHistogram::finite() const {
  return std::accumulate(m_bins.begin(), m_bins.end(), std::int64_t{0});
}

int ValueHistogram::lowestBin() const {
  const auto found = std::find_if(m_bins.begin(), m_bins.end(), [](std::int64_t values) { return values > 0; });
  return kLowest + static_cast<int>(found - m_bins.begin());
}

int ValueHistogram::highestBin() const {
  const auto found = std::find_if(m_bins.rbegin(), m_bins.rend(), [](std::int64_t values) { return values > 0; });
  return kHighest - static_cast<int>(found - m_bins.rbegin());
}

OutsideShares ValueHistogram::outside(const NumberFormat& format, double scale) const {
  const auto whole = static_cast<double>(finite());
  OutsideShares shares;
  if (whole == 0) return shares;
  const auto facts = format.facts();
  const double zeroBelow = facts.smallest_subnormal / 2 / scale, overflowAbove = format.overflowLimit() / scale;
  const double normalFrom = format.integer() ? zeroBelow : facts.smallest_normal / scale;
  // The largest is known: where it fits, nothing overflows, however its bin reaches beyond.
  const bool overflows = largest > overflowAbove;
  double zero = 0, small = 0, over = 0;
  for (int exponent = kLowest; exponent <= kHighest; ++exponent) {
    const auto values = static_cast<double>(bin(exponent));
    if (values == 0) continue;
    zero += values * shareBelow(exponent, zeroBelow);
    small += values * shareBelow(exponent, normalFrom);
    if (overflows) over += values * (1 - shareBelow(exponent, overflowAbove));
  }
  shares.zero = zero / whole;
  shares.subnormal = std::max(0.0, small - zero) / whole;
  // At least the one that is known.
  shares.overflow = overflows ? std::max(over, 1.0) / whole : 0;
  return shares;
}

int ValueHistogram::bestScale(const NumberFormat& format) const {
  if (finite() == 0) return 0;
  const double limit = format.overflowLimit();
  Choice best{std::numeric_limits<double>::infinity(), 0, 0};
  for (int exponent = -kFarthest; exponent <= kFarthest; ++exponent) {
    const double scale = std::ldexp(1.0, exponent);
    if (largest * scale > limit) break;
    const auto shares = outside(format, scale);
    const Choice choice{shares.zero, shares.subnormal, exponent};
    if (choice.better(best)) best = choice;
  }
  return best.exponent;
}

json toJson(const ValueHistogram& histogram) {
  json object{{"zeros", histogram.zeros},
              {"negatives", histogram.negatives},
              {"infinities", histogram.infinities},
              {"nans", histogram.nans}};
  putNumber(object, "largest", histogram.largest);
  auto bins = json::array();
  if (histogram.finite() > 0) {
    object["first"] = histogram.lowestBin();
    for (int exponent = histogram.lowestBin(); exponent <= histogram.highestBin(); ++exponent)
      bins.push_back(histogram.bin(exponent));
  }
  object["bins"] = std::move(bins);
  return object;
}

json toJson(const ValueHistograms& histograms) {
  return {{"weights", toJson(histograms.weights)},
          {"activations", toJson(histograms.activations)},
          {"gradients", toJson(histograms.gradients)}};
}

ValueHistogram histogramFromJson(const json& object) {
  ValueHistogram histogram;
  if (!object.is_object()) return histogram;
  histogram.zeros = countOf(memberAt(object, "zeros"));
  histogram.negatives = countOf(memberAt(object, "negatives"));
  histogram.infinities = countOf(memberAt(object, "infinities"));
  histogram.nans = countOf(memberAt(object, "nans"));
  const auto largest = getNumber(object, "largest").value_or(0);
  const auto first = memberAt(object, "first"), bins = memberAt(object, "bins");
  if (first.is_number_integer() && bins.is_array()) {
    // Compared as a double, so that no number is too large for it.
    const double from = first.get<double>();
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const double exponent = from + static_cast<double>(i);
      if (exponent < ValueHistogram::kLowest || exponent > ValueHistogram::kHighest) continue;
      histogram.addBin(static_cast<int>(exponent), countOf(bins[i]));
    }
  }
  if (histogram.finite() == 0) return histogram;
  // What is not said, or cannot be: as large as its bin allows.
  const double low = std::ldexp(1.0, histogram.highestBin());
  const bool fits = largest >= low && (largest <= 2 * low || histogram.highestBin() == ValueHistogram::kHighest);
  const bool tiny = largest > 0 && largest <= 2 * low && histogram.highestBin() == ValueHistogram::kLowest;
  histogram.largest = std::isfinite(largest) && (fits || tiny) ? largest : 2 * low;
  return histogram;
}

ValueHistograms histogramsFromJson(const json& object) {
  ValueHistograms histograms;
  histograms.weights = histogramFromJson(memberAt(object, "weights"));
  histograms.activations = histogramFromJson(memberAt(object, "activations"));
  histograms.gradients = histogramFromJson(memberAt(object, "gradients"));
  return histograms;
}

}  // namespace atelier::wire
