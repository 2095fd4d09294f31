#include "kernels/adamw/adamw.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "threads.h"

namespace atelier::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kGuard = -77.0F;
constexpr std::size_t kEdge = 3;  // guarded values before and after, which also put the rest off any alignment

std::vector<float> values(std::size_t count, std::uint32_t seed, float scale) {
  std::vector<float> all(count + 2 * kEdge, kGuard);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    all[kEdge + i] = scale * (static_cast<float>(seed >> 8U) / 8388608.0F - 1.0F);
  }
  return all;
}

// Tensors of given sizes with parameters, gradients and moments of their own.
struct Model {
  explicit Model(const std::vector<std::size_t>& counts, float gradientScale = 1) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto seed = static_cast<std::uint32_t>(i * 7919 + 5);
      parameters.push_back(values(counts[i], seed, 0.5F));
      gradients.push_back(values(counts[i], seed + 1, 0.1F * gradientScale));
      first.push_back(values(counts[i], seed + 2, 0.05F));
      second.push_back(values(counts[i], seed + 3, 0.01F));
      for (auto& one : second.back()) one = one == kGuard ? one : std::fabs(one);
      sizes.push_back(static_cast<std::int64_t>(counts[i]));
    }
  }
  std::vector<AdamTensor> tensors(std::int64_t step = 3) {
    std::vector<AdamTensor> all;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      all.push_back({parameters[i].data() + kEdge, gradients[i].data() + kEdge, first[i].data() + kEdge,
                     second[i].data() + kEdge, sizes[i], step + static_cast<std::int64_t>(i % 3)});
    return all;
  }
  std::vector<Gradient> onlyGradients() {
    std::vector<Gradient> all;
    for (std::size_t i = 0; i < sizes.size(); ++i) all.push_back({gradients[i].data() + kEdge, sizes[i]});
    return all;
  }
  bool operator==(const Model& other) const {
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {  // NaN is NaN
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    };
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (!same(parameters[i], other.parameters[i]) || !same(first[i], other.first[i]) || !same(second[i], other.second[i]) ||
          !same(gradients[i], other.gradients[i]))
        return false;
    return true;
  }

  std::vector<std::vector<float>> parameters, gradients, first, second;
  std::vector<std::int64_t> sizes;
};

void expectNear(const std::vector<float>& actual, const std::vector<float>& expected, float relative, float absolute,
                const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (i < kEdge || i + kEdge >= actual.size()) {
      ASSERT_EQ(actual[i], kGuard) << what << ": wrote outside, at " << i;
      continue;
    }
    ASSERT_NEAR(actual[i], expected[i], relative * std::fabs(expected[i]) + absolute) << what << " at " << i;
  }
}

void expectSame(const Model& actual, const Model& expected) {
  for (std::size_t i = 0; i < actual.sizes.size(); ++i) {
    const auto tensor = " of tensor " + std::to_string(i);
    // A parameter moves by about the rate, 1e-2: 1e-8 is a millionth of that.
    expectNear(actual.parameters[i], expected.parameters[i], 3e-7F, 1e-8F, "parameter" + tensor);
    expectNear(actual.first[i], expected.first[i], 5e-7F, 1e-8F, "first moment" + tensor);
    expectNear(actual.second[i], expected.second[i], 5e-7F, 1e-12F, "second moment" + tensor);
  }
}

std::vector<AdamRule> rules() {
  AdamRule adamw{1e-2, 0.9, 0.999, 1e-8, 0.1};
  auto adam = adamw, plain = adamw, clipped = adamw, scaled = adamw, far = adamw, tight = adamw;
  adam.decoupled = false;
  plain.decoupled = false;
  plain.weight_decay = 0;
  clipped.most_norm = 0.01;
  scaled.inverse_scale = 1.0 / 1024;
  scaled.most_norm = 1e-4;
  scaled.skip_not_finite = true;
  far.beta1 = 0.3;  // the moment is nearer to the gradient than to what it was
  tight.most_norm = 1e9;
  return {adamw, adam, plain, clipped, scaled, far, tight};
}

const std::vector<std::size_t> kOddSizes{1, 0, 3, 7, 8, 15, 17, 4095, 4096, 4097, 12289, 31, 0};

}  // namespace

TEST(AdamW, AgreesWithTheReferenceAtOddSizesAndOffsets) {
  for (const auto& rule : rules()) {
    Model actual(kOddSizes), expected(kOddSizes);
    for (int step = 1; step <= 3; ++step) {
      const auto a = adamStep(actual.tensors(step), rule, inThisThread);
      const auto e = adamStepReference(expected.tensors(step), rule);
      EXPECT_NEAR(a.norm, e.norm, 1e-12 * e.norm);
      EXPECT_EQ(a.stepped, e.stepped);
    }
    expectSame(actual, expected);
  }
}

// Worked out by hand: m = 0.1·2, v = 0.001·4, both corrected back to 2 and 4.
TEST(AdamW, TheFirstStepMovesByTheRate) {
  float parameter = 1, gradient = 2, first = 0, second = 0;
  const AdamTensor tensor{&parameter, &gradient, &first, &second, 1, 1};
  adamStep({&tensor, 1}, {0.01, 0.9, 0.999, 1e-8, 0.5}, inThisThread);
  EXPECT_FLOAT_EQ(parameter, 1.0F * (1 - 0.01F * 0.5F) - 0.01F);
  EXPECT_FLOAT_EQ(first, 0.2F);
  EXPECT_FLOAT_EQ(second, 0.004F);
  EXPECT_EQ(gradient, 2.0F);
}

TEST(AdamW, ThreadsDoNotChangeABit) {
  for (const auto& rule : rules()) {
    Model alone(kOddSizes), shared(kOddSizes);
    const auto one = adamStep(alone.tensors(), rule, inThisThread);
    for (const std::int64_t threads : {2, 3, 7}) {
      Model other(kOddSizes);
      const auto many = adamStep(other.tensors(), rule, inThreads(threads));
      EXPECT_EQ(many.norm, one.norm);
      EXPECT_TRUE(other == alone) << threads;
    }
  }
}

TEST(AdamW, ManySmallTensorsAreShared) {
  Model actual(std::vector<std::size_t>(3000, 10)), expected(std::vector<std::size_t>(3000, 10));
  std::int64_t items = 0;
  adamStep(actual.tensors(), {}, [&](std::int64_t count, const Range& work) {
    items = count;
    inThreads(2)(count, work);
  });
  adamStepReference(expected.tensors(), {});
  expectSame(actual, expected);
  // 16 places each, in pieces of 4,096.
  EXPECT_EQ(items, 12);
}

TEST(AdamW, NothingToDoIsNoWork) {
  const ParallelFor none = [](std::int64_t count, const Range&) { EXPECT_EQ(count, 0); };
  const auto outcome = adamStep({}, {1e-3, 0.9, 0.999, 1e-8, 0, true, 1, 1.0, true}, none);
  EXPECT_EQ(outcome.norm, 0);
  EXPECT_TRUE(outcome.finite);
  EXPECT_TRUE(outcome.stepped);
}

TEST(AdamW, AGradientThatIsNotFiniteLeavesAllUntouchedWhenAsked) {
  AdamRule rule;
  rule.skip_not_finite = true;
  for (const float bad : {kInfinity, -kInfinity, kNaN})
    for (const std::size_t tensor : {0U, 6U, 10U})
      for (const std::size_t at : {std::size_t{0}, kOddSizes[tensor] - 1}) {
        Model model(kOddSizes);
        model.gradients[tensor][kEdge + at] = bad;
        const Model before = model;
        const auto outcome = adamStep(model.tensors(), rule, inThreads(2));
        EXPECT_FALSE(outcome.finite);
        EXPECT_FALSE(outcome.stepped);
        EXPECT_TRUE(model == before) << bad << " in tensor " << tensor << " at " << at;
      }
}

TEST(AdamW, AGradientThatIsNotFiniteSpreadsAsInTorchWhenNotAsked) {
  Model model({5, 5});
  model.gradients[0][kEdge + 2] = kNaN;
  adamStep(model.tensors(), {}, inThisThread);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(std::isnan(model.parameters[0][kEdge + i]), i == 2) << i;
  AdamRule clipped;
  clipped.most_norm = 1;
  const auto outcome = adamStep(model.tensors(), clipped, inThisThread);  // a norm of NaN: all gradients become NaN
  EXPECT_FALSE(outcome.finite);
  EXPECT_TRUE(outcome.stepped);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan(model.parameters[1][kEdge + i])) << i;
}

TEST(AdamW, ClippingIsThatOfTorch) {
  EXPECT_DOUBLE_EQ(clipFactor(4, 2), 2 / (4 + 1e-6));
  EXPECT_EQ(clipFactor(1, 2), 1);
  EXPECT_EQ(clipFactor(0, 2), 1);
  EXPECT_EQ(clipFactor(HUGE_VAL, 2), 0);
  EXPECT_TRUE(std::isnan(clipFactor(NAN, 2)));
}

TEST(GradientNorm, IsTheL2NormOfAll) {
  const std::vector<float> a{3, 0, 0}, b{4};
  const std::vector<Gradient> gradients{{a.data(), 3}, {nullptr, 0}, {b.data(), 1}};
  EXPECT_EQ(gradientNorm(gradients, 1, inThisThread).norm, 5);
  EXPECT_EQ(gradientNorm(gradients, 0.5, inThisThread).norm, 2.5);
  EXPECT_EQ(gradientNorm({}, 1, inThisThread).norm, 0);
}

TEST(GradientNorm, AgreesWithTheReferenceAndWithAnyThreads) {
  Model model(kOddSizes);
  const auto gradients = model.onlyGradients();
  const auto expected = gradientNormReference(gradients, 0.25);
  const auto alone = gradientNorm(gradients, 0.25, inThisThread);
  EXPECT_NEAR(alone.norm, expected.norm, 1e-12 * expected.norm);
  for (const std::int64_t threads : {2, 5}) EXPECT_EQ(gradientNorm(gradients, 0.25, inThreads(threads)).norm, alone.norm);
}

TEST(GradientNorm, HugeValuesAreFiniteAndInfiniteOnesAreNot) {
  std::vector<float> huge(100, std::numeric_limits<float>::max());
  const Gradient all{huge.data(), 100};
  const auto norm = gradientNorm({&all, 1}, 1, inThisThread);
  EXPECT_TRUE(norm.finite);
  EXPECT_NEAR(norm.norm, 3.4028234663852886e39, 1e27);
  for (const float bad : {kInfinity, -kInfinity, kNaN}) {
    huge[99] = bad;
    EXPECT_FALSE(gradientNorm({&all, 1}, 1, inThisThread).finite);
    EXPECT_FALSE(gradientNormReference({&all, 1}, 1).finite);
  }
}

TEST(GradientNorm, ScalingMultipliesAllAndNoMore) {
  Model model(kOddSizes);
  const Model before = model;
  std::vector<GradientToScale> gradients;
  for (std::size_t i = 0; i < model.sizes.size(); ++i) gradients.push_back({model.gradients[i].data() + kEdge, model.sizes[i]});
  scaleGradients(gradients, 0.3F, inThreads(3));
  for (std::size_t i = 0; i < model.sizes.size(); ++i)
    for (std::size_t k = 0; k < model.gradients[i].size(); ++k) {
      const bool inside = k >= kEdge && k + kEdge < model.gradients[i].size();
      ASSERT_EQ(model.gradients[i][k], inside ? before.gradients[i][k] * 0.3F : kGuard) << i << " at " << k;
    }
}

}  // namespace atelier::kernels
