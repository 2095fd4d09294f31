#include "core/engine/module/fp8_linear.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace atelier::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor matrixOf(const std::vector<float>& values, std::int64_t columns) {
  return at::tensor(values).view({-1, columns});
}

double relativeDifference(const at::Tensor& a, const at::Tensor& b) {
  return a.sub(b).norm().item<double>() / b.norm().item<double>();
}

struct Products {
  at::Tensor output, input, weight, bias;  // the gradients of the last three
};

// (2, 5, 24) times 24 × 16, and back from a random gradient.
template <class Product>
Products productsOf(Product product) {
  at::manual_seed(5);
  auto input = at::randn({2, 5, 24}).requires_grad_(), weight = at::randn({16, 24}).requires_grad_(),
       bias = at::randn({16}).requires_grad_();
  const auto upstream = at::randn({2, 5, 16});
  const auto output = product(input, weight, bias);
  torch::autograd::backward({output}, {upstream});
  return {output.detach(), input.grad(), weight.grad(), bias.grad()};
}

}  // namespace

TEST(Fp8, TheLargestValueOfEachFormatIsWhatItsCastKeeps) {
  for (const auto format : {at::kFloat8_e4m3fn, at::kFloat8_e5m2})
    EXPECT_EQ(at::full({1}, largestOf(format)).to(format).to(at::kFloat).item<double>(), largestOf(format));
}

// LibTorch's own cast of 1000 to e4m3fn is NaN, and of 1e6 to e5m2 is infinite. Where a matrix holds an infinity there is no
// scale to bring the rest into range.
TEST(Fp8, SaturatesWhereACastAloneMakesNaN) {
  for (const auto format : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    const auto most = static_cast<float>(largestOf(format));
    const auto matrix = matrixOf({1e6F, -1e6F, kInfinity, -kInfinity, std::nanf(""), 1}, 2);
    const auto values = fromFp8(toFp8(matrix, format, Fp8Scale::Tensor)).flatten();
    EXPECT_EQ(values[0].item<float>(), most);
    EXPECT_EQ(values[1].item<float>(), -most);
    EXPECT_EQ(values[2].item<float>(), most);
    EXPECT_EQ(values[3].item<float>(), -most);
    EXPECT_TRUE(std::isnan(values[4].item<float>()));
    EXPECT_EQ(values[5].item<float>(), 1);
  }
}

TEST(Fp8, KeepsWhatTheFormatHasExactly) {
  const auto exact = matrixOf({448, 224, -112, 0.5F, 0, -0.001953125F}, 3);
  const auto coded = toFp8(exact, at::kFloat8_e4m3fn, Fp8Scale::Tensor);
  EXPECT_EQ(coded.factor.item<float>(), 1);
  EXPECT_TRUE(at::equal(fromFp8(coded), exact));
}

TEST(Fp8, TheLargestValueOfAMatrixComesThroughWhateverItsSize) {
  for (const float size : {1e-30F, 1e-3F, 1.0F, 1000.0F, 1e30F}) {
    const auto coded = fromFp8(toFp8(matrixOf({size, -size / 2}, 2), at::kFloat8_e4m3fn, Fp8Scale::Tensor));
    EXPECT_NEAR(coded[0][0].item<float>() / size, 1, 1e-6);
    EXPECT_NEAR(coded[0][1].item<float>() / size, -0.5, 1e-6);
  }
}

TEST(Fp8, ZerosAndDenormalsStayFinite) {
  for (const float largest : {0.0F, 1e-42F}) {
    const auto coded = fromFp8(toFp8(matrixOf({largest, 0}, 2), at::kFloat8_e4m3fn, Fp8Scale::Row));
    EXPECT_TRUE(coded.isfinite().all().item<bool>()) << largest;
    EXPECT_EQ(coded[0][1].item<float>(), 0);
  }
}

// Beside a row of thousands, thousandths are below e4m3's smallest step; with a scale of their own they are not.
TEST(Fp8, ARowsScaleKeepsSmallRows) {
  const auto matrix = matrixOf({4000, 3000, 2000, 0.003F, 0.002F, 0.001F}, 3);
  const auto tensor = fromFp8(toFp8(matrix, at::kFloat8_e4m3fn, Fp8Scale::Tensor));
  const auto row = fromFp8(toFp8(matrix, at::kFloat8_e4m3fn, Fp8Scale::Row));
  EXPECT_EQ(tensor[1].abs().sum().item<float>(), 0);
  EXPECT_LT(relativeDifference(row[1], matrix[1]), 0.05);
  EXPECT_LT(relativeDifference(tensor[0], matrix[0]), 0.05);
}

TEST(Fp8, RefusesWhatIsNoMatrix) {
  EXPECT_THROW(toFp8(at::ones({3}), at::kFloat8_e4m3fn, Fp8Scale::Tensor), c10::Error);
  EXPECT_THROW(toFp8(at::ones({0, 3}), at::kFloat8_e4m3fn, Fp8Scale::Tensor), c10::Error);
}

TEST(Fp8Linear, IsNearTheExactProductAndItsGradients) {
  const auto exact = productsOf([](const auto& x, const auto& w, const auto& b) { return at::linear(x, w, b); });
  for (const auto scale : {Fp8Scale::Tensor, Fp8Scale::Row}) {
    const auto coded = productsOf([&](const auto& x, const auto& w, const auto& b) { return fp8Linear(x, w, b, scale); });
    EXPECT_EQ(coded.output.sizes(), exact.output.sizes());
    const std::vector<std::pair<at::Tensor, at::Tensor>> rounded{
        {coded.output, exact.output}, {coded.input, exact.input}, {coded.weight, exact.weight}};
    for (const auto& [ours, theirs] : rounded) {
      EXPECT_LT(relativeDifference(ours, theirs), 0.15);
      EXPECT_GT(relativeDifference(ours, theirs), 1e-3) << "eight bits can't be this exact";
    }
    EXPECT_TRUE(at::allclose(coded.bias, exact.bias));
  }
}

TEST(Fp8Linear, OperandsThatEightBitsHoldAreMultipliedExactly) {
  const auto input = matrixOf({1, 2, -4, 0.5F, 448, 0}, 3), weight = matrixOf({448, 1, 2, -1, 3, 0.25F}, 3);
  const auto bias = at::ones({2});
  EXPECT_TRUE(at::equal(fp8Linear(input, weight, bias, Fp8Scale::Tensor), at::linear(input, weight, bias)));
}

TEST(Fp8Linear, MakesGradientsForThoseWhoAskOnly) {
  const auto input = at::randn({4, 8}), bias = at::randn({3});
  auto weight = at::randn({3, 8}).requires_grad_();
  torch::autograd::backward({fp8Linear(input, weight, bias, Fp8Scale::Row).sum()}, {});
  EXPECT_TRUE(weight.grad().defined());
  EXPECT_FALSE(input.grad().defined());
  EXPECT_FALSE(bias.grad().defined());
}

}  // namespace atelier::engine
