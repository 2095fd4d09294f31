#include "core/engine/profile/histogram.h"

#include <cmath>
#include <limits>

#include "core/engine/profile/watch.h"
#include "listened.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor oddValues() {
  return at::tensor({0.0, -0.0, 1.0, -1.5, 3.0, 0.25, 1e-45, -1e-40, 3e38, kInfinity, -kInfinity, std::nan("")}, at::kFloat);
}

}  // namespace

TEST(Histogram, PutsEachValueWhereItBelongs) {
  const auto histogram = histogramOf(oddValues());
  EXPECT_EQ(histogram.zeros, 2);
  EXPECT_EQ(histogram.negatives, 3) << "minus infinity is below 0, minus 0 is not";
  EXPECT_EQ(histogram.infinities, 2);
  EXPECT_EQ(histogram.nans, 1);
  EXPECT_EQ(histogram.bin(0), 2);
  EXPECT_EQ(histogram.bin(1), 1);
  EXPECT_EQ(histogram.bin(-2), 1);
  EXPECT_EQ(histogram.bin(-149), 1) << "the smallest subnormal";
  EXPECT_EQ(histogram.bin(-133), 1);
  EXPECT_EQ(histogram.bin(127), 1);
  EXPECT_EQ(histogram.finite(), 7);
  EXPECT_EQ(histogram.count(), 12);
  EXPECT_EQ(histogram.largest, static_cast<double>(3e38F));
}

TEST(Histogram, OperatorsCountTheSame) {
  at::manual_seed(7);
  EXPECT_EQ(histogramByOperators(oddValues()), histogramOf(oddValues()));
  const auto values = at::randn({300, 1000}).mul(at::randn({300, 1000}).mul(20).exp());
  const auto direct = histogramOf(values);
  EXPECT_EQ(direct.count(), 300'000);
  EXPECT_EQ(histogramByOperators(values), direct);
  for (const auto& nothing : {at::empty({0}), at::zeros({5})}) EXPECT_EQ(histogramByOperators(nothing), histogramOf(nothing));
}

TEST(Histogram, StridesAndOrderAreOfNoAccount) {
  at::manual_seed(3);
  const auto values = at::randn({4, 6, 5, 7});
  const auto expected = histogramOf(values);
  EXPECT_EQ(histogramOf(values.contiguous(at::MemoryFormat::ChannelsLast)), expected);
  EXPECT_EQ(histogramOf(values.transpose(0, 3)), expected);
  EXPECT_EQ(histogramOf(values.slice(1, 0, 6, 2)).count(), 4 * 3 * 5 * 7);
  EXPECT_EQ(histogramOf(values.slice(1, 0, 6, 2)), histogramOf(values.slice(1, 0, 6, 2).contiguous()));
}

TEST(Histogram, ReadsNarrowAndWideFloatsAndNothingElse) {
  const auto wide = at::tensor({1e-320, 1e300, -2.0}, at::kDouble);
  const auto histogram = histogramOf(wide);
  EXPECT_EQ(histogram.bin(wire::ValueHistogram::kLowest), 1);
  EXPECT_EQ(histogram.bin(wire::ValueHistogram::kHighest), 1);
  EXPECT_EQ(histogram.largest, 1e300);
  EXPECT_EQ(histogramOf(at::tensor({0.5, 4.0}).to(at::kHalf)).bin(2), 1);
  EXPECT_EQ(histogramOf(at::tensor({0.5, 4.0}).to(at::kBFloat16)).bin(-1), 1);
  EXPECT_TRUE(histogramOf(at::arange(5)).empty());
  EXPECT_TRUE(histogramOf(at::Tensor()).empty());
  EXPECT_TRUE(histogramOf(at::empty({3}, at::device(at::kMeta))).empty());
}

TEST(Histogram, AWatchedStepCountsWeightsActivationsAndGradients) {
  Listened run({{"model", "mlp"}, {"watch", 2}});
  run.steps(2);
  const auto said = run.said<wire::HealthSampled>();
  ASSERT_EQ(said.size(), 1U);
  const auto& histograms = said.front().health.histograms;
  std::int64_t parameters = 0;
  for (const auto& parameter : run.trainer.model().parameters()) parameters += parameter.numel();
  EXPECT_EQ(histograms.weights.count(), parameters);
  EXPECT_EQ(histograms.gradients.count(), parameters);
  EXPECT_GT(histograms.activations.count(), 0);
  EXPECT_GT(histograms.activations.zeros, 0) << "a ReLU";
  EXPECT_EQ(histograms.weights.infinities + histograms.weights.nans, 0);
  std::int64_t seen = 0;
  for (const auto& stats : said.front().health.activations) seen += stats.count;
  EXPECT_LT(histograms.activations.count(), seen) << "what the model puts out is what its last part does: counted once";
}

TEST(Histogram, IsCountedOnlyWhereItIsAskedFor) {
  const auto model = fixture::buildModel("mlp", {1, 4, 4, 3});
  Watch watch(*model, false);
  watch.begin(1, false);
  (*model)(at::ones({2, 1, 4, 4})).sum().backward();
  EXPECT_TRUE(watch.end().histograms.empty());
  watch.begin(2);
  (*model)(at::ones({2, 1, 4, 4})).sum().backward();
  EXPECT_FALSE(watch.end().histograms.gradients.empty());
}

}  // namespace atelier::engine
