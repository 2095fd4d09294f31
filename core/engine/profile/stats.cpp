#include "stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <ATen/Parallel.h>

#include "watch.h"

namespace atelier::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kChunk = 1 << 16;  // values: half a second-level cache of today
constexpr std::size_t kLanes = 8;

// Several sums side by side: then a compiler may take as many values at once without changing the order of any addition.
template <class T>
struct Lanes {
  Lanes() {
    min.fill(std::numeric_limits<T>::infinity());
    max.fill(-std::numeric_limits<T>::infinity());
  }

  void take(std::size_t lane, T value, double pivot) {
    const bool isFinite = std::fabs(value) <= std::numeric_limits<T>::max();
    const double known = isFinite ? static_cast<double>(value) : pivot;
    const double off = known - pivot, square = known * known;
    const T low = isFinite ? value : std::numeric_limits<T>::infinity();
    const T high = isFinite ? value : -std::numeric_limits<T>::infinity();
    sum[lane] += off;
    spread[lane] += off * off;
    squares[lane] += isFinite ? square : 0.0;
    min[lane] = low < min[lane] ? low : min[lane];
    max[lane] = high > max[lane] ? high : max[lane];
    finite[lane] += isFinite ? 1 : 0;
    zeros[lane] += value == T(0) ? 1 : 0;
    nans[lane] += std::isnan(value) ? 1 : 0;
  }

  std::array<double, kLanes> sum{}, spread{}, squares{};
  std::array<T, kLanes> min, max;
  std::array<std::int64_t, kLanes> finite{}, zeros{}, nans{};
};

// Differences from one of the values keep the digits that a sum of squares would lose where the mean is large.
template <class T>
TensorSums sumsOfChunk(const T* values, std::int64_t count) {
  const double pivot = std::isfinite(values[0]) ? static_cast<double>(values[0]) : 0.0;
  Lanes<T> lanes;
  const auto whole = count - count % static_cast<std::int64_t>(kLanes);
  for (std::int64_t i = 0; i < whole; i += static_cast<std::int64_t>(kLanes))
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes.take(lane, values[i + static_cast<std::int64_t>(lane)], pivot);
  for (auto i = whole; i < count; ++i) lanes.take(0, values[i], pivot);
  TensorSums sums;
  double off = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    off += lanes.sum[lane];
    sums.spread += lanes.spread[lane];
    sums.squares += lanes.squares[lane];
    sums.min = std::min(sums.min, static_cast<double>(lanes.min[lane]));
    sums.max = std::max(sums.max, static_cast<double>(lanes.max[lane]));
    sums.finite += lanes.finite[lane];
    sums.zeros += lanes.zeros[lane];
    sums.nans += lanes.nans[lane];
  }
  sums.count = count;
  if (sums.finite == 0) return sums;
  // What was not finite stood at the pivot and added nothing.
  const auto n = static_cast<double>(sums.finite);
  sums.mean = pivot + off / n;
  sums.spread = std::max(0.0, sums.spread - off * off / n);
  return sums;
}

template <class T>
TensorSums sumsOfValues(const T* values, std::int64_t count) {
  const auto chunks = (count + kChunk - 1) / kChunk;
  std::vector<TensorSums> parts(static_cast<std::size_t>(chunks));
  at::parallel_for(0, chunks, 1, [&](std::int64_t from, std::int64_t to) {
    for (auto i = from; i < to; ++i)
      parts[static_cast<std::size_t>(i)] = sumsOfChunk(values + i * kChunk, std::min(kChunk, count - i * kChunk));
  });
  TensorSums all;
  for (const auto& part : parts) all.add(part);
  return all;
}

template <class T>
bool finiteValues(const T* values, std::int64_t count) {
  for (std::int64_t from = 0; from < count; from += kChunk) {
    bool bad = false;
    for (auto i = from; i < std::min(count, from + kChunk); ++i)
      bad |= !(std::fabs(values[i]) <= std::numeric_limits<T>::max());
    if (bad) return false;
  }
  return true;
}

// The values as float or double, strided.
at::Tensor readable(const at::Tensor& tensor) {
  auto values = tensor.detach();
  if (values.layout() != at::kStrided) values = values.to_dense();
  if (values.is_complex()) values = at::view_as_real(values.resolve_conj());
  values = values.resolve_neg();
  const auto type = values.scalar_type();
  if (type == at::kFloat || type == at::kDouble) return values;
  // A double holds the integers that occur; a float would round those above 2²⁴.
  return values.to(at::isFloatingType(type) ? at::kFloat : at::kDouble);
}

// What stands in memory without gaps is read in its own order: no sum asks for another.
at::Tensor withoutGaps(const at::Tensor& values) {
  return values.is_non_overlapping_and_dense() ? values : values.contiguous();
}

bool holdsNothing(const at::Tensor& tensor) {
  return !tensor.defined() || tensor.is_meta() || tensor.numel() == 0;
}

}  // namespace

void TensorSums::add(const TensorSums& other) {
  const auto n = static_cast<double>(finite), more = static_cast<double>(other.finite);
  if (finite == 0) {
    mean = other.mean;
    spread = other.spread;
  } else if (other.finite > 0) {
    const double apart = other.mean - mean;
    mean += apart * more / (n + more);
    spread += other.spread + apart * apart * n * more / (n + more);
  }
  squares += other.squares;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  count += other.count;
  finite += other.finite;
  zeros += other.zeros;
  nans += other.nans;
}

wire::TensorStats TensorSums::stats() const {
  wire::TensorStats stats;
  stats.count = count;
  stats.zeros = zeros;
  stats.nans = nans;
  stats.infinities = count - finite - nans;
  if (finite == 0) return stats;
  stats.mean = mean;
  stats.deviation = std::sqrt(spread / static_cast<double>(finite));
  stats.norm = std::sqrt(squares);
  stats.min = min;
  stats.max = max;
  return stats;
}

TensorSums sumsOf(const at::Tensor& tensor) {
  if (holdsNothing(tensor)) return {};
  const at::NoGradGuard noGrad;
  const auto values = readable(tensor);
  if (!values.is_cpu()) return sumsByOperators(values);
  const auto dense = withoutGaps(values);
  if (dense.scalar_type() == at::kDouble) return sumsOfValues(dense.const_data_ptr<double>(), dense.numel());
  return sumsOfValues(dense.const_data_ptr<float>(), dense.numel());
}

TensorSums sumsByOperators(const at::Tensor& tensor) {
  const at::NoGradGuard noGrad;
  const auto values = readable(tensor);
  TensorSums sums;
  sums.count = values.numel();
  if (sums.count == 0) return sums;
  const auto finite = at::isfinite(values);
  const auto known = at::where(finite, values, at::Scalar(0.0));
  const auto number = finite.sum(at::kDouble), mean = known.sum(at::kDouble).div(number);
  const auto off = at::where(finite, values.sub(mean.to(values.scalar_type())), at::Scalar(0.0));
  const auto norm = [](const at::Tensor& x) { return at::linalg_vector_norm(x, 2, std::nullopt, false, at::kDouble); };
  const auto figures = at::stack({number, values.eq(0).sum(at::kDouble), values.isnan().sum(at::kDouble), mean, norm(off),
                                  norm(known), at::where(finite, values, at::Scalar(kInfinity)).min().to(at::kDouble),
                                  at::where(finite, values, at::Scalar(-kInfinity)).max().to(at::kDouble)})
                           .cpu();
  const auto* read = figures.const_data_ptr<double>();
  sums.finite = std::llround(read[0]);
  sums.zeros = std::llround(read[1]);
  sums.nans = std::llround(read[2]);
  if (sums.finite == 0) return sums;
  sums.mean = read[3];
  sums.spread = read[4] * read[4];
  sums.squares = read[5] * read[5];
  sums.min = read[6];
  sums.max = read[7];
  return sums;
}

bool allFinite(const at::Tensor& tensor) {
  if (holdsNothing(tensor) || !(at::isFloatingType(tensor.scalar_type()) || tensor.is_complex())) return true;
  const at::NoGradGuard noGrad;
  const auto values = readable(tensor);
  if (!values.is_cpu()) return at::isfinite(values).all().item<bool>();
  const auto dense = withoutGaps(values);
  if (dense.scalar_type() == at::kDouble) return finiteValues(dense.const_data_ptr<double>(), dense.numel());
  return finiteValues(dense.const_data_ptr<float>(), dense.numel());
}

wire::TensorStats statsOf(const at::Tensor& tensor) {
  return sumsOf(tensor).stats();
}

}  // namespace atelier::engine
