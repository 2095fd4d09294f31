#include "core/engine/module/recurrent_layers.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;

double difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace

TEST(Lstm, WeightsAreNamedAndDrawnAsPyTorchsAre) {
  at::manual_seed(5);
  const auto lstm = std::make_shared<Lstm>(3, 4);
  at::manual_seed(5);
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> expected{
      {"weight_ih_l0", {16, 3}}, {"weight_hh_l0", {16, 4}}, {"bias_ih_l0", {16}}, {"bias_hh_l0", {16}}};
  const auto parameters = lstm->named_parameters();
  ASSERT_EQ(parameters.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(parameters[i].key(), expected[i].first);
    const auto drawn = at::empty(expected[i].second).uniform_(-0.5, 0.5);  // ±1 ÷ √4
    EXPECT_TRUE(at::equal(parameters[i].value(), drawn)) << expected[i].first;
  }
  EXPECT_EQ(lstm->kind(), "LSTM");
}

TEST(Lstm, StatesFollowTheFormula) {
  at::manual_seed(1);
  const auto lstm = std::make_shared<Lstm>(3, 4);
  const at::NoGradGuard noGrad;
  const auto parameters = lstm->named_parameters();
  const auto input = at::randn({2, 5, 3});
  const auto states = (*lstm)(input);
  ASSERT_EQ(states.sizes(), at::IntArrayRef({2, 5, 4}));
  auto hidden = at::zeros({2, 4}), cell = at::zeros({2, 4});
  for (int step = 0; step < 5; ++step) {
    const auto gates = at::linear(input.select(1, step), parameters["weight_ih_l0"], parameters["bias_ih_l0"]) +
                       at::linear(hidden, parameters["weight_hh_l0"], parameters["bias_hh_l0"]);
    const auto parts = gates.chunk(4, 1);
    cell = parts[1].sigmoid() * cell + parts[0].sigmoid() * parts[2].tanh();
    hidden = parts[3].sigmoid() * cell.tanh();
    EXPECT_LT(difference(states.select(1, step), hidden), 1e-5) << "step " << step;
  }
}

TEST(Lstm, TakesTheSmallestSizes) {
  const auto lstm = std::make_shared<Lstm>(1, 1);
  EXPECT_EQ((*lstm)(at::randn({1, 1, 1})).sizes(), at::IntArrayRef({1, 1, 1}));
  EXPECT_EQ((*lstm)(at::randn({3, 7, 1})).sizes(), at::IntArrayRef({3, 7, 1}));
}

// oneDNN throws for it on processors without AVX-512.
TEST(Lstm, UnderBfloat16AutocastItRunsOnAnyProcessor) {
  at::manual_seed(0);
  auto lstm = std::make_shared<Lstm>(8, 16);
  lstm->bind();
  const at::NoGradGuard noGrad;
  const auto input = at::randn({2, 5, 8});
  const auto exact = (*lstm)(input);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const auto rounded = (*lstm)(input).to(at::kFloat);
  EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  EXPECT_LT((rounded - exact).abs().max().item<double>(), 0.02);
}

TEST(Lstm, EveryWeightGetsAGradientThatFiniteDifferencesConfirm) {
  at::manual_seed(2);
  const auto lstm = std::make_shared<Lstm>(2, 3);
  lstm->to(at::kDouble);
  const auto input = at::randn({2, 4, 2}, at::kDouble);
  const auto loss = [&] { return (*lstm)(input).pow(2).sum(); };
  loss().backward();
  constexpr double kStep = 1e-6;
  for (auto& parameter : lstm->parameters()) {
    ASSERT_TRUE(parameter.grad().defined());
    const at::NoGradGuard noGrad;
    auto flat = parameter.view({-1});
    const auto gradient = parameter.grad().view({-1});
    for (std::int64_t i = 0; i < flat.size(0); ++i) {
      const double before = flat[i].item<double>();
      flat[i] = before + kStep;
      const double above = loss().item<double>();
      flat[i] = before - kStep;
      const double below = loss().item<double>();
      flat[i] = before;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-6);
    }
  }
}

TEST(LstmModel, PaddingsChangeNothing) {
  at::manual_seed(3);
  const auto model = buildModel("lstm", tokens(50, 16));
  model->eval();
  const at::NoGradGuard noGrad;
  const auto alone = at::tensor({7, 8, 9}, at::kLong).unsqueeze(0);
  auto batch = at::zeros({2, 6}, at::kLong);
  batch[0].slice(0, 0, 3).copy_(alone[0]);
  batch[1].copy_(at::tensor({1, 2, 3, 4, 5, 6}, at::kLong));
  EXPECT_LT(difference((*model)(alone)[0], (*model)(batch)[0]), 1e-6);
  EXPECT_GT(difference((*model)(alone)[0], (*model)(batch)[1]), 1e-4);
}

TEST(LstmModel, ASequenceOfPaddingsAloneIsFinite) {
  const auto model = buildModel("lstm", tokens(50, 16, 4));
  EXPECT_TRUE(at::isfinite((*model)(at::full({2, 3}, 4, at::kLong))).all().item<bool>());
}

TEST(LstmModel, OverfitsOneBatch) {
  at::manual_seed(0);
  const auto model = buildModel("lstm", tokens(50, 12));
  const auto ids = at::randint(1, 50, {16, 12}, at::kLong), labels = at::randint(2, {16}, at::kLong);
  const auto parameters = trainableParameters(*model);
  double first = 0, last = 0;
  for (int step = 0; step < 60; ++step) {
    for (auto parameter : parameters) parameter.mutable_grad().reset();
    const auto loss = at::cross_entropy_loss((*model)(ids), labels);
    loss.backward();
    const at::NoGradGuard noGrad;
    for (auto parameter : parameters) parameter.sub_(parameter.grad(), 1.0);
    (step == 0 ? first : last) = loss.item<double>();
  }
  EXPECT_LT(last, 0.2 * first);
}

TEST(LstmModel, ItsPathsAreThoseOfTheScript) {
  const auto model = buildModel("lstm", tokens(50, 12));
  std::vector<std::string> names;
  for (const auto& parameter : model->named_parameters()) names.push_back(parameter.key());
  EXPECT_EQ(names, (std::vector<std::string>{"embedding.weight", "lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0",
                                             "lstm.bias_hh_l0", "head.weight", "head.bias"}));
}

}  // namespace atelier::engine
