#include "core/engine/profile/stats.h"

#include <cmath>
#include <limits>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/engine/profile/watch.h"

namespace atelier::engine {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

// Against ATen's own, in double.
void expectLike(const TensorSums& sums, const at::Tensor& values) {
  const auto exact = values.to(at::kDouble);
  const auto stats = sums.stats();
  EXPECT_EQ(stats.count, exact.numel());
  EXPECT_EQ(stats.nans, 0);
  EXPECT_EQ(stats.infinities, 0);
  EXPECT_NEAR(stats.mean, exact.mean().item<double>(), 1e-6);
  EXPECT_NEAR(stats.deviation, exact.std(false).item<double>(), 1e-6);
  EXPECT_NEAR(stats.norm, exact.norm().item<double>(), 1e-5 * stats.norm);
  EXPECT_EQ(stats.min, exact.min().item<double>());
  EXPECT_EQ(stats.max, exact.max().item<double>());
}

}  // namespace

TEST(Stats, CountsWhatIsNotFiniteAndLeavesItOutOfTheMoments) {
  const auto values = at::tensor({1.0F, kNan, -2.0F, kInfinity, 0.0F, -kInfinity, 3.0F, -0.0F});
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    const auto stats = statsOf(values.to(type));
    EXPECT_EQ(stats.count, 8) << type;
    EXPECT_EQ(stats.nans, 1) << type;
    EXPECT_EQ(stats.infinities, 2) << type;
    EXPECT_EQ(stats.zeros, 2) << type;
    EXPECT_NEAR(stats.mean, 0.4, 1e-12) << type;
    EXPECT_NEAR(stats.deviation, std::sqrt(13.2 / 5), 1e-12) << type;
    EXPECT_DOUBLE_EQ(stats.norm, std::sqrt(14.0)) << type;
    EXPECT_EQ(stats.min, -2) << type;
    EXPECT_EQ(stats.max, 3) << type;
    EXPECT_FALSE(allFinite(values.to(type))) << type;
  }
}

TEST(Stats, OfNothingAreZero) {
  for (const auto& nothing : {at::Tensor(), at::empty({0}), at::empty({3, 0, 2}, at::kBFloat16), at::empty({4}, at::kMeta)}) {
    const auto stats = statsOf(nothing);
    EXPECT_EQ(stats.count, 0);
    EXPECT_EQ(stats.mean, 0);
    EXPECT_EQ(stats.deviation, 0);
    EXPECT_EQ(stats.norm, 0);
    EXPECT_EQ(stats.min, 0);
    EXPECT_EQ(stats.max, 0);
    EXPECT_TRUE(allFinite(nothing));
  }
  const auto stats = statsOf(at::full({9}, kNan));
  EXPECT_EQ(stats.count, 9);
  EXPECT_EQ(stats.nans, 9);
  EXPECT_EQ(stats.mean, 0);
  EXPECT_EQ(stats.min, 0) << "no finite value has a least";
}

TEST(Stats, ReadIntegersTruthsScalarsAndComplexNumbers) {
  const auto large = statsOf(at::tensor({std::int64_t{1} << 40, std::int64_t{-3}, std::int64_t{0}}));
  EXPECT_EQ(large.max, 1099511627776.0) << "a float would round it";
  EXPECT_EQ(large.min, -3);
  EXPECT_EQ(large.zeros, 1);
  const auto truths = statsOf(at::ones({3, 5}).gt(0));
  EXPECT_EQ(truths.mean, 1);
  EXPECT_EQ(truths.count, 15);
  EXPECT_EQ(statsOf(at::scalar_tensor(2.5)).mean, 2.5);
  const auto pair = statsOf(at::complex(at::tensor({3.0F}), at::tensor({-4.0F})));
  EXPECT_EQ(pair.count, 2);
  EXPECT_DOUBLE_EQ(pair.norm, 5);
}

// The sum of squares of such values has no digit left for their difference.
TEST(Stats, ALargeMeanLeavesTheDeviationItsDigits) {
  const auto values = at::arange(200'004).remainder(2).to(at::kFloat).add(1e7F);
  EXPECT_NEAR(statsOf(values).deviation, 0.5, 1e-9);
  EXPECT_NEAR(statsOf(values).mean, 1e7 + 0.5, 1e-6);
  EXPECT_EQ(statsOf(at::full({100'000}, 3.1e8F)).deviation, 0);
}

TEST(Stats, DoNotDependOnLayoutAndStrides) {
  at::manual_seed(1);
  const auto values = at::randn({5, 7, 9, 3});
  expectLike(sumsOf(values), values);
  for (const auto& other :
       {values.contiguous(at::MemoryFormat::ChannelsLast), values.permute({2, 0, 3, 1}), values.transpose(0, 3).contiguous()})
    expectLike(sumsOf(other), values);
  const auto gaps = values.slice(1, 1, 6, 2), repeated = values.select(0, 0).unsqueeze(0).expand({4, 7, 9, 3});
  expectLike(sumsOf(gaps), gaps.contiguous());
  expectLike(sumsOf(repeated), repeated.contiguous());
  expectLike(sumsOf(values.flatten().to_sparse()), values.flatten());
  expectLike(sumsOf(values.requires_grad_(true)), values.detach());
}

TEST(Stats, OddSizesAroundTheLanesAndTheChunks) {
  at::manual_seed(2);
  for (const std::int64_t size : {1, 2, 7, 8, 9, 17, 65535, 65536, 65537, 131072 + 3}) {
    const auto values = at::randn({size});
    expectLike(sumsOf(values), values);
    auto bad = values.clone();
    bad[size - 1].fill_(kInfinity);
    EXPECT_EQ(statsOf(bad).infinities, 1) << size;
    EXPECT_FALSE(allFinite(bad)) << size;
    EXPECT_TRUE(allFinite(values)) << size;
  }
}

TEST(Stats, AreTheSameWhateverTheThreads) {
  at::manual_seed(3);
  const auto values = at::randn({1 << 20});
  const auto threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = sumsOf(values);
  at::set_num_threads(2);
  const auto two = sumsOf(values);
  at::set_num_threads(threads);
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.spread, two.spread);
  EXPECT_EQ(one.squares, two.squares);
}

TEST(Stats, TheWayByOperatorsComesToTheSame) {
  at::manual_seed(4);
  auto values = at::randn({3, 4, 50}).mul(7).add(100);
  values.select(0, 1).select(0, 2).slice(0, 3, 6).fill_(kNan);
  values.select(0, 2).select(0, 2).slice(0, 3, 4).fill_(-kInfinity);
  values.select(0, 0).select(0, 0).slice(0, 0, 9).zero_();
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
    const auto here = sumsOf(values.to(type)), there = sumsByOperators(values.to(type));
    EXPECT_EQ(here.count, there.count);
    EXPECT_EQ(here.finite, there.finite);
    EXPECT_EQ(here.zeros, there.zeros);
    EXPECT_EQ(here.nans, 3);
    EXPECT_EQ(there.nans, 3);
    EXPECT_NEAR(here.mean, there.mean, 1e-4);
    EXPECT_NEAR(here.spread, there.spread, 1e-4 * here.spread);
    EXPECT_NEAR(here.squares, there.squares, 1e-6 * here.squares);
    EXPECT_EQ(here.min, there.min);
    EXPECT_EQ(here.max, there.max);
  }
  EXPECT_EQ(sumsByOperators(at::full({4}, kNan)).stats().mean, 0);
  EXPECT_EQ(sumsByOperators(at::empty({0})).count, 0);
}

TEST(Stats, PartsPutTogetherAreTheWhole) {
  at::manual_seed(5);
  const auto values = at::randn({1000}).add(50);
  TensorSums all;
  all.add(sumsOf(at::empty({0})));
  for (const auto& part : values.split(130)) all.add(sumsOf(part));
  all.add(sumsOf(at::full({2}, kNan)));
  EXPECT_EQ(all.count, 1002);
  EXPECT_EQ(all.nans, 2);
  const auto whole = sumsOf(values);
  EXPECT_NEAR(all.mean, whole.mean, 1e-12);
  EXPECT_NEAR(all.spread, whole.spread, 1e-9 * whole.spread);
  EXPECT_EQ(all.min, whole.min);
}

}  // namespace atelier::engine
