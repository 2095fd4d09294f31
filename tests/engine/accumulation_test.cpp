// Windows of micro-batches: the step is that of the mean over all that they count.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/engine/session/task_loss.h"
#include "core/engine/session/accumulation_window.h"
#include "listened.h"
#include "operator_count.h"

namespace atelier::engine {
namespace {

nlohmann::json keysOf(std::int64_t batch, std::int64_t accumulation, std::int64_t steps) {
  return {{"model", "mlp"},       {"optimizer", "sgd"}, {"momentum", 0.0}, {"weight_decay", 0.0},
          {"learning_rate", 0.1}, {"batch", batch},     {"steps", steps},  {"accumulation", accumulation},
          {"warmup", 0},          {"threads", 1}};
}

std::vector<at::Tensor> trained(const nlohmann::json& keys, int steps) {
  Listened run(keys);
  run.steps(steps);
  std::vector<at::Tensor> all;
  for (const auto& parameter : run.trainer.model().parameters()) all.push_back(parameter.detach().clone());
  return all;
}

double largestDifference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, a[i].sub(b[i]).abs().max().item<double>());
  return most;
}

}  // namespace

TEST(AccumulationWindow, OneTokenAtFourAndNineAtOneAreOnePointThree) {
  for (const std::int64_t expected : {10, 16, 3}) {
    AccumulationWindow window(2, expected);
    const double sum = 4 * window.take(1) + 1 * window.take(9);
    EXPECT_NEAR(sum * window.correction(), 1.3, 1e-12) << expected;
  }
}

TEST(AccumulationWindow, NeedsNoCorrectionWhereItCountsWhatWasExpected) {
  AccumulationWindow window(4, 64);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(window.take(16), 0.25);
  EXPECT_EQ(window.correction(), 1);
}

TEST(AccumulationWindow, BeginsAndEndsOnceInItsLength) {
  AccumulationWindow window(3, 3);
  std::string edges;
  for (int i = 0; i < 6; ++i) {
    edges += window.atBegin() ? 'b' : window.endsWithNext() ? 'e' : '.';
    const bool ends = window.endsWithNext();
    window.take(1);
    if (ends) window.close();
  }
  EXPECT_EQ(edges, "b.eb.e");
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window.correction(), 1) << "of nothing";
}

TEST(AccumulationWindow, AMicroBatchByItselfIsNotWeighted) {
  AccumulationWindow window(1, 128);
  EXPECT_TRUE(window.single());
  EXPECT_EQ(window.take(7), 1);
  EXPECT_EQ(window.correction(), 1);
}

TEST(CountedIn, IsSamplesOrTheTokensThatFollowAnother) {
  const auto ids = at::tensor(std::vector<std::int64_t>{5, 6, 0, 7, 8, 9, 4, 0, 0}).view({3, 3});
  const Batch batch{ids, at::zeros({3}, at::kLong)};
  EXPECT_EQ(countedIn(Task::Classify, batch, 0), 3);
  EXPECT_EQ(countedIn(Task::NextToken, batch, 0), 3);
  const Batch padding{at::zeros({2, 4}, at::kLong), at::zeros({2}, at::kLong)};
  EXPECT_EQ(countedIn(Task::NextToken, padding, 0), 0);
}

// The gradient of two sequences of unequal lengths, taken one by one, is that of both in one batch.
TEST(AccumulationWindow, UnequalTokenCountsGiveTheGradientOfOneBatch) {
  at::manual_seed(3);
  const auto ids = at::tensor(std::vector<std::int64_t>{1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 1, 2}).view({2, 6});
  const Batch both{ids, at::zeros({2}, at::kLong)};
  auto whole = at::randn({2, 6, 7}).requires_grad_(), parts = whole.detach().clone().requires_grad_();
  taskLoss(Task::NextToken, whole, both, 0, 0.1).backward();
  AccumulationWindow window(2, 10);
  for (int row = 0; row < 2; ++row) {
    const Batch one{ids.slice(0, row, row + 1), at::zeros({1}, at::kLong)};
    const auto weight = window.take(countedIn(Task::NextToken, one, 0));
    taskLoss(Task::NextToken, parts.slice(0, row, row + 1), one, 0, 0.1).mul(weight).backward();
  }
  EXPECT_NE(window.correction(), 1);
  EXPECT_TRUE(at::allclose(parts.grad().mul(window.correction()), whole.grad(), 1e-5, 1e-7));
}

TEST(Accumulation, AWindowOfFourEqualsOneBatchOfFourTimesTheSize) {
  const auto start = trained(keysOf(32, 1, 3), 0), whole = trained(keysOf(32, 1, 3), 3), parts = trained(keysOf(8, 4, 12), 12);
  EXPECT_LT(largestDifference(whole, parts), 1e-5);
  EXPECT_GT(largestDifference(start, whole), 1e-3) << "nothing was trained";
}

// 4,096 samples in batches of 1,000: the epoch's last micro-batch has 96, and a mean of means would weigh each tenfold.
TEST(Accumulation, AnUnequalLastMicroBatchCountsByItsSamples) {
  const auto start = trained(keysOf(4096, 1, 1), 0), whole = trained(keysOf(4096, 1, 1), 1);
  const auto parts = trained(keysOf(1000, 5, 5), 5);
  EXPECT_LT(largestDifference(whole, parts), 1e-5);
  EXPECT_GT(largestDifference(start, whole), 1e-3);
}

TEST(Accumulation, ThePlansLastStepEndsItsWindow) {
  Listened run(keysOf(8, 3, 5));
  std::vector<std::int64_t> optimizerSteps;
  for (int i = 0; i < 5; ++i) {
    run.steps(1);
    optimizerSteps.push_back(run.trainer.optimizerSteps());
  }
  EXPECT_EQ(optimizerSteps, (std::vector<std::int64_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(run.trainer.skippedSteps(), 0);
  EXPECT_EQ(run.trainer.steps(), 5);
}

// A cosine over two optimizer steps of five micro-batches: half way in the second.
TEST(Accumulation, SchedulesCountOptimizerSteps) {
  auto keys = keysOf(8, 3, 5);
  keys["schedule"] = "cosine";
  Listened run(keys);
  run.steps(3);
  EXPECT_DOUBLE_EQ(run.trainer.learningRate(), 0.1);
  run.steps(2);
  EXPECT_NEAR(run.trainer.learningRate(), 0.05, 1e-12);
}

TEST(Accumulation, WithoutItNothingIsWeighted) {
  Listened run(keysOf(8, 1, 4));
  OperatorCount products("aten::mul");
  run.steps(2);
  EXPECT_EQ(products.calls(), 0);
}

TEST(Accumulation, AClippedWindowHasTheBoundAsItsNorm) {
  auto keys = keysOf(8, 4, 8);
  keys["clip_norm"] = 0.01;
  Listened run(keys);
  run.steps(4);
  double squares = 0;
  for (const auto& parameter : trainableParameters(run.trainer.model()))
    squares += parameter.grad().pow(2).sum().item<double>();
  EXPECT_NEAR(std::sqrt(squares), 0.01, 1e-4);
}

TEST(Accumulation, InferenceHasNoWindows) {
  Listened run(nlohmann::json{{"model", "mlp"}, {"mode", "infer"}, {"accumulation", 4}});
  run.steps(6);
  EXPECT_EQ(run.trainer.optimizerSteps(), 0);
  EXPECT_EQ(run.trainer.skippedSteps(), 0);
}

// An infinity in the second micro-batch of four: one step is left out, and the scale changes once.
TEST(Accumulation, AnInfinityInOneMicroBatchIsOneSkipAndOneChangeOfTheScale) {
  auto keys = keysOf(8, 4, 40);
  keys.update({{"precision", "fp16"}, {"learning_rate", 0.01}, {"scaler_initial_scale", 1024.0}});
  Listened run(keys);
  const auto before = run.trainer.model().parameters().front().detach().clone();
  run.trainer.model().hooks().after.push_back([&run](Module& module, const at::Tensor&, at::Tensor& output) {
    if (run.trainer.steps() == 1 && module.path().empty()) output = output.mul(std::numeric_limits<double>::infinity());
  });
  run.steps(4);
  EXPECT_EQ(run.trainer.optimizerSteps(), 0);
  EXPECT_EQ(run.trainer.skippedSteps(), 1);
  EXPECT_TRUE(at::equal(run.trainer.model().parameters().front(), before));
  const auto changes = run.said<wire::ScaleChanged>();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.front().step, 3);
  EXPECT_EQ(changes.front().was, 1024);
  EXPECT_EQ(changes.front().is, 512);
  EXPECT_EQ(changes.front().reason, "overflow");
  run.steps(4);
  EXPECT_EQ(run.trainer.optimizerSteps(), 1);
  EXPECT_EQ(run.trainer.skippedSteps(), 1);
  EXPECT_FALSE(at::equal(run.trainer.model().parameters().front(), before));
}

}  // namespace atelier::engine
