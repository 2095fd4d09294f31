// The GPU's kernels against the CPU's. Skips, with the reason, where they were not built, or where no GPU is.
#include <string>

#include <gtest/gtest.h>

#if defined(ATELIER_HAS_CUDA_KERNELS)

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/adamw/adamw_cuda.h"
#include "kernels/cross_entropy/cross_entropy_cuda.h"
#include "kernels/float8/float8_cuda.h"
#include "kernels/normalize_u8/normalize_u8_cuda.h"

namespace atelier::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// A copy of values on the GPU.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : m_count(values.size()) {
    check(cudaMalloc(&m_memory, sizeof(T) * (m_count + 1)));
    check(cudaMemcpy(m_memory, values.data(), sizeof(T) * m_count, cudaMemcpyHostToDevice));
  }
  explicit OnDevice(std::size_t count) : OnDevice(std::vector<T>(count)) {}
  OnDevice(OnDevice&& other) noexcept : m_count(other.m_count), m_memory(std::exchange(other.m_memory, nullptr)) {}
  OnDevice& operator=(OnDevice&&) = delete;
  ~OnDevice() { cudaFree(m_memory); }

  T* data() const { return static_cast<T*>(m_memory); }
  std::vector<T> values() const {
    std::vector<T> all(m_count);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(all.data(), m_memory, sizeof(T) * m_count, cudaMemcpyDeviceToHost));
    return all;
  }
  T value() const { return values().front(); }

 private:
  std::size_t m_count;
  void* m_memory = nullptr;
};

std::vector<float> noise(std::size_t count, std::uint32_t seed, float scale) {
  std::vector<float> all(count);
  for (auto& one : all) {
    seed = seed * 1664525U + 1013904223U;
    one = scale * (static_cast<float>(seed >> 8U) / 8388608.0F - 1.0F);
  }
  return all;
}

void expectNear(const std::vector<float>& actual, const std::vector<float>& expected, float relative, float absolute) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) ASSERT_TRUE(std::isnan(actual[i])) << i;
    else ASSERT_NEAR(actual[i], expected[i], relative * std::fabs(expected[i]) + absolute) << i;
  }
}

// More tensors than one launch takes, of sizes odd and none.
struct Model {
  Model() {
    for (std::size_t i = 0; i < 120; ++i) {
      const std::size_t count = i == 50 ? 100'003 : i % 7 == 0 ? 0 : 1 + i * 97 % 5000;
      const auto seed = static_cast<std::uint32_t>(i * 7919 + 5);
      for (std::size_t k = 0; k < 4; ++k) lists[k].push_back(noise(count, seed + static_cast<std::uint32_t>(k), 0.1F));
      for (auto& one : lists[3].back()) one = std::fabs(one);
    }
  }
  static AdamTensor tensor(float* p, float* g, float* m, float* v, std::size_t count, std::size_t i) {
    return {p, g, m, v, static_cast<std::int64_t>(count), static_cast<std::int64_t>(1 + i % 3)};
  }
  std::vector<AdamTensor> tensors() {
    std::vector<AdamTensor> all;
    for (std::size_t i = 0; i < lists[0].size(); ++i)
      all.push_back(
          tensor(lists[0][i].data(), lists[1][i].data(), lists[2][i].data(), lists[3][i].data(), lists[0][i].size(), i));
    return all;
  }

  std::vector<std::vector<float>> lists[4];  // parameters, gradients, first and second moments
};

struct DeviceModel {
  explicit DeviceModel(const Model& model) {
    for (std::size_t k = 0; k < 4; ++k)
      for (const auto& values : model.lists[k]) lists[k].emplace_back(values);
    for (std::size_t i = 0; i < lists[0].size(); ++i)
      tensors.push_back(Model::tensor(lists[0][i].data(), lists[1][i].data(), lists[2][i].data(), lists[3][i].data(),
                                      model.lists[0][i].size(), i));
  }
  void expect(const Model& model, float relative, float absolute) const {
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t i = 0; i < lists[k].size(); ++i) expectNear(lists[k][i].values(), model.lists[k][i], relative, absolute);
  }

  std::vector<OnDevice<float>> lists[4];
  std::vector<AdamTensor> tensors;
};

std::vector<AdamRule> rules() {
  AdamRule adamw{1e-2, 0.9, 0.999, 1e-8, 0.1}, adam = adamw, scaled = adamw;
  adam.decoupled = false;
  scaled.inverse_scale = 1.0 / 1024;
  scaled.most_norm = 1e-3;
  scaled.skip_not_finite = true;
  return {adamw, adam, scaled};
}

}  // namespace

class CudaKernels : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    const auto error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
    if (count == 0) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(CudaKernels, AdamWAgreesWithTheCpu) {
  for (const auto& rule : rules()) {
    Model expected;
    const DeviceModel actual(expected);
    const OnDevice<AdamOutcome> outcome(1);
    const OnDevice<double> scratch(static_cast<std::size_t>(kNormScratch));
    ASSERT_EQ(adamStepCuda(actual.tensors, rule, outcome.data(), scratch.data(), nullptr), 0);
    const auto wanted = adamStepReference(expected.tensors(), rule);
    EXPECT_TRUE(outcome.value().stepped);
    EXPECT_NEAR(outcome.value().norm, wanted.norm, 1e-12 * wanted.norm);  // 0 where none is asked for
    actual.expect(expected, 5e-7F, 1e-8F);
  }
}

TEST_F(CudaKernels, AGradientThatIsNotFiniteLeavesAllUntouched) {
  AdamRule rule;
  rule.skip_not_finite = true;
  for (const float bad : {kInfinity, kNaN}) {
    Model model;
    model.lists[1][118].back() = bad;
    const DeviceModel actual(model);
    const OnDevice<AdamOutcome> outcome(1);
    const OnDevice<double> scratch(static_cast<std::size_t>(kNormScratch));
    ASSERT_EQ(adamStepCuda(actual.tensors, rule, outcome.data(), scratch.data(), nullptr), 0);
    EXPECT_FALSE(outcome.value().stepped);
    EXPECT_FALSE(outcome.value().finite);
    for (const std::size_t k : {0U, 2U, 3U})
      for (std::size_t i = 0; i < model.lists[k].size(); ++i) EXPECT_EQ(actual.lists[k][i].values(), model.lists[k][i]);
  }
}

TEST_F(CudaKernels, NormAndScalingAgreeWithTheCpu) {
  Model model;
  const DeviceModel device(model);
  std::vector<Gradient> here, there;
  std::vector<GradientToScale> scaled;
  for (std::size_t i = 0; i < model.lists[1].size(); ++i) {
    const auto count = static_cast<std::int64_t>(model.lists[1][i].size());
    here.push_back({model.lists[1][i].data(), count});
    there.push_back({device.lists[1][i].data(), count});
    scaled.push_back({device.lists[1][i].data(), count});
  }
  const OnDevice<GradientNorm> norm(1);
  const OnDevice<double> scratch(static_cast<std::size_t>(kNormScratch));
  ASSERT_EQ(gradientNormCuda(there, 0.5, norm.data(), scratch.data(), nullptr), 0);
  const auto wanted = gradientNormReference(here, 0.5);
  EXPECT_NEAR(norm.value().norm, wanted.norm, 1e-12 * wanted.norm);
  EXPECT_TRUE(norm.value().finite);
  ASSERT_EQ(scaleGradientsCuda(scaled, 0.25F, nullptr), 0);
  for (auto& list : model.lists[1])
    for (auto& value : list) value *= 0.25F;
  device.expect(model, 0, 0);
}

TEST_F(CudaKernels, CrossEntropyAgreesWithTheReference) {
  for (const std::int64_t classes : {1, 2, 10, 255, 256, 257, 5000})
    for (const double smoothing : {0.0, 0.1}) {
      const CrossEntropyRule rule{67, classes, smoothing};
      auto logits = noise(static_cast<std::size_t>(67 * classes), 9, 8);
      logits[0] = -kInfinity;
      logits[static_cast<std::size_t>(5 * classes)] = kNaN;
      std::vector<std::int64_t> targets;
      for (std::int64_t row = 0; row < 67; ++row) targets.push_back(row % 11 == 5 ? rule.ignored : (row * 7 + 1) % classes);
      std::vector<float> expected(logits.size());
      const auto wanted = crossEntropyReference(logits.data(), targets.data(), expected.data(), rule);
      const OnDevice<float> x(logits), gradient(logits.size());
      const OnDevice<std::int64_t> y(targets);
      const OnDevice<CrossEntropyResult> result(1);
      const OnDevice<double> losses(67);
      ASSERT_EQ(crossEntropyCuda(x.data(), y.data(), gradient.data(), rule, result.data(), losses.data(), nullptr), 0);
      expectNear(gradient.values(), expected, 0, 2e-8F);
      EXPECT_EQ(result.value().counted, wanted.counted);
      if (std::isfinite(wanted.loss)) EXPECT_NEAR(result.value().loss, wanted.loss, 1e-6 * std::max(1.0, wanted.loss));
      else EXPECT_EQ(std::isnan(result.value().loss), std::isnan(wanted.loss));
    }
}

TEST_F(CudaKernels, ATargetThatIsNoClassIsNamed) {
  const OnDevice<float> x(std::vector<float>(15)), gradient(std::vector<float>(15, -7.0F));
  const OnDevice<std::int64_t> y(std::vector<std::int64_t>{0, -100, 3, 0, -1});
  const OnDevice<CrossEntropyResult> result(1);
  const OnDevice<double> losses(5);
  ASSERT_EQ(crossEntropyCuda(x.data(), y.data(), gradient.data(), {5, 3}, result.data(), losses.data(), nullptr), 0);
  EXPECT_EQ(result.value().bad_row, 2);
  EXPECT_EQ(gradient.values(), std::vector<float>(15, -7.0F));
}

TEST_F(CudaKernels, Float8HasTheSameBits) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const std::uint32_t bits = i << 16U;
    values.push_back(__builtin_bit_cast(float, bits));
  }
  const auto count = static_cast<std::int64_t>(values.size());
  const OnDevice<float> x(values), one(std::vector<float>{1.0F}), back(values.size());
  const OnDevice<std::uint8_t> codes(values.size());
  for (const auto format : {Float8::E4M3, Float8::E5M2})
    for (const auto infinities : {Infinities::Saturate, Infinities::Keep}) {
      ASSERT_EQ(toFloat8Cuda(x.data(), codes.data(), count, one.data(), format, infinities, nullptr), 0);
      ASSERT_EQ(fromFloat8Cuda(codes.data(), back.data(), count, one.data(), format, nullptr), 0);
      std::vector<std::uint8_t> expected(values.size());
      std::vector<float> wanted(values.size());
      toFloat8(values.data(), expected.data(), count, 1, format, infinities, inThisThread);
      fromFloat8(expected.data(), wanted.data(), count, 1, format, inThisThread);
      EXPECT_EQ(codes.values(), expected);
      expectNear(back.values(), wanted, 0, 0);
    }
}

TEST_F(CudaKernels, Float8FactorsAgree) {
  for (auto values :
       {noise(60'001, 3, 5), std::vector<float>(1000, 0.0F), std::vector<float>{1, kNaN}, std::vector<float>{kInfinity}}) {
    const auto count = static_cast<std::int64_t>(values.size());
    const OnDevice<float> x(values), factor(1), rows(1);
    ASSERT_EQ(float8FactorCuda(x.data(), count, Float8::E4M3, factor.data(), nullptr), 0);
    ASSERT_EQ(float8RowFactorsCuda(x.data(), rows.data(), 1, count, Float8::E4M3, nullptr), 0);
    const float wanted = float8FactorReference(values.data(), count, Float8::E4M3);
    EXPECT_EQ(factor.value(), wanted);
    EXPECT_EQ(rows.value(), wanted);
  }
}

TEST_F(CudaKernels, NormalizeU8AgreesWithTheReference) {
  std::vector<std::uint8_t> pixels(100'003);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37 + 11);
  const OnDevice<std::uint8_t> x(pixels);
  const OnDevice<float> out(pixels.size());
  ASSERT_EQ(normalizeU8Cuda(x.data(), out.data(), pixels.size(), 1.0F / 90, -0.8F, nullptr), 0);
  std::vector<float> expected(pixels.size());
  normalizeU8Reference(pixels.data(), expected.data(), pixels.size(), 1.0F / 90, -0.8F);
  expectNear(out.values(), expected, 0, 4e-7F);
}

}  // namespace atelier::kernels

#else

TEST(CudaKernels, AgreeWithTheCpu) {
  GTEST_SKIP() << "built without GPU kernels: no nvcc was found, or ATELIER_CUDA is off";
}

#endif
