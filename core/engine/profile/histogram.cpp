#include "histogram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>

#include <ATen/Parallel.h>

namespace atelier::engine {
namespace {

constexpr std::int64_t kChunk = 1 << 18;  // values that one thread counts at a time
constexpr std::int64_t kPart = 1 << 24;   // values that are on a GPU three times at a time
constexpr int kExponents = 256, kBias = 127;
constexpr std::uint32_t kMagnitude = 0x7FFFFFFF;

// The exponent stands in the word as it is: counting the words' upper nine bits costs hardly more than reading them.
wire::ValueHistogram histogramOfFloats(const float* values, std::int64_t count) {
  std::array<std::int64_t, 2 * kExponents> fields{};
  wire::ValueHistogram rest;
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = std::bit_cast<std::uint32_t>(values[i]);
    const auto exponent = (word >> 23) & 0xFF;
    if (exponent == 0 || exponent == kExponents - 1) {
      rest.add(static_cast<double>(values[i]));
      continue;
    }
    ++fields[word >> 23];
    largest = std::max(largest, word & kMagnitude);
  }
  for (int exponent = 1; exponent < kExponents - 1; ++exponent) {
    const auto positive = fields[static_cast<std::size_t>(exponent)];
    const auto negative = fields[static_cast<std::size_t>(exponent + kExponents)];
    rest.addBin(exponent - kBias, positive + negative);
    rest.negatives += negative;
  }
  if (largest > 0) rest.largest = std::max(rest.largest, static_cast<double>(std::bit_cast<float>(largest)));
  return rest;
}

wire::ValueHistogram histogramOfDoubles(const double* values, std::int64_t count) {
  wire::ValueHistogram histogram;
  for (std::int64_t i = 0; i < count; ++i) histogram.add(values[i]);
  return histogram;
}

template <class T, class Count>
wire::ValueHistogram inChunks(const T* values, std::int64_t count, Count countThem) {
  wire::ValueHistogram all;
  std::mutex mutex;
  at::parallel_for(0, count, kChunk, [&](std::int64_t from, std::int64_t to) {
    const auto part = countThem(values + from, to - from);
    const std::lock_guard lock(mutex);
    all.add(part);
  });
  return all;
}

wire::ValueHistogram histogramOfPart(const at::Tensor& values) {
  const auto finite = at::isfinite(values), zero = values.eq(0);
  const auto known = values.masked_select(finite.logical_and(zero.logical_not()));
  // A mantissa in [0.5, 1) goes with an exponent that is one too high.
  const auto exponents = std::get<1>(at::frexp(known)).to(at::kLong).sub(1 + wire::ValueHistogram::kLowest);
  const auto bins = at::bincount(exponents.clamp(0, wire::ValueHistogram::kBins - 1), {}, wire::ValueHistogram::kBins).cpu();
  const auto largest =
      known.numel() > 0 ? known.abs().max().to(at::kDouble) : at::zeros({}, values.options().dtype(at::kDouble));
  const auto figures = at::stack({zero.sum(at::kDouble), values.lt(0).sum(at::kDouble), values.isnan().sum(at::kDouble),
                                  at::isinf(values).sum(at::kDouble), largest})
                           .cpu();
  const auto* read = figures.const_data_ptr<double>();
  wire::ValueHistogram histogram;
  histogram.zeros = std::llround(read[0]);
  histogram.negatives = std::llround(read[1]);
  histogram.nans = std::llround(read[2]);
  histogram.infinities = std::llround(read[3]);
  histogram.largest = read[4];
  for (int i = 0; i < wire::ValueHistogram::kBins; ++i)
    histogram.addBin(i + wire::ValueHistogram::kLowest, bins.const_data_ptr<std::int64_t>()[i]);
  return histogram;
}

}  // namespace

wire::ValueHistogram histogramByOperators(const at::Tensor& tensor) {
  const at::NoGradGuard noGrad;
  wire::ValueHistogram all;
  if (tensor.numel() == 0) return all;
  for (const auto& part : tensor.detach().to(at::kFloat).flatten().split(kPart)) all.add(histogramOfPart(part));
  return all;
}

wire::ValueHistogram histogramOf(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_meta() || tensor.numel() == 0 || !at::isFloatingType(tensor.scalar_type())) return {};
  const at::NoGradGuard noGrad;
  auto values = tensor.detach();
  if (values.layout() != at::kStrided) values = values.to_dense();
  values = values.resolve_neg();
  if (!values.is_cpu()) return histogramByOperators(values);
  const bool wide = values.scalar_type() == at::kDouble;
  if (!wide) values = values.to(at::kFloat);
  // The order of the values is of no account: only gaps are.
  if (!values.is_non_overlapping_and_dense()) values = values.contiguous();
  if (wide) return inChunks(values.const_data_ptr<double>(), values.numel(), histogramOfDoubles);
  return inChunks(values.const_data_ptr<float>(), values.numel(), histogramOfFloats);
}

}  // namespace atelier::engine
