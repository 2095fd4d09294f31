// The transformer and the decoder, and what they share (core/engine/models/sequence_model.h).
#include <cmath>

#include <gtest/gtest.h>

#include "core/engine/data/dataset.h"
#include "core/engine/models/sequence_model.h"
#include "core/engine/session/task_loss.h"
#include "token_models.h"

namespace atelier::engine {
namespace {

const std::vector<std::vector<std::int64_t>> kRows{{5, 7, 9, 3, 12, 30}, {8, 11, 3}, {39}};

// The least loss of some steps of plain gradient descent on one batch, over the first.
double lossRatio(Module& model, Task task, double rate, int steps) {
  const Batch batch{tokenIds(kRows), at::tensor({0, 1, 2}, at::kLong)};
  double first = 0, last = 0;
  for (int step = 0; step < steps; ++step) {
    const auto loss = taskLoss(task, model(batch.input), batch, 0, 0);
    loss.backward();
    (step == 0 ? first : last) = loss.item<double>();
    const at::NoGradGuard noGrad;
    for (auto& parameter : trainableParameters(model)) {
      parameter.sub_(parameter.grad(), rate);
      parameter.mutable_grad().reset();
    }
  }
  return last / first;
}

}  // namespace

TEST(PaddingMask, IsMadeOnlyWhereSomethingIsPadded) {
  EXPECT_FALSE(paddingMask(tokenIds({{1, 2}, {3, 4}}), 0).defined());
  const auto mask = paddingMask(tokenIds({{1, 2}, {3}}), 0);
  ASSERT_TRUE(mask.defined());
  EXPECT_TRUE(at::equal(mask.to(at::kLong), tokenIds({{1, 1}, {1, 0}})));
  EXPECT_TRUE(paddingMask(tokenIds({{1, 2, 7}}).slice(1, 0, 2), 2).defined()) << "a view is looked through as it is";
  EXPECT_FALSE(paddingMask(tokenIds({{1, 2, 7}}).slice(1, 0, 2), 7).defined());
  EXPECT_THROW(paddingMask(at::ones({3}, at::kLong), 0), c10::Error);
  EXPECT_THROW(paddingMask(at::ones({3, 0}, at::kLong), 0), c10::Error);
}

TEST(MeanOverTokens, LeavesPaddingsOut) {
  const auto hidden = at::arange(12, at::kFloat).view({2, 3, 2});
  EXPECT_TRUE(at::equal(meanOverTokens(hidden, {}), hidden.mean(1)));
  const auto mask = tokenIds({{1, 1, 0}, {0, 0, 0}}).to(at::kBool);
  EXPECT_TRUE(at::equal(meanOverTokens(hidden, mask), at::tensor({1.0F, 2.0F, 0.0F, 0.0F}).view({2, 2})));
}

TEST(Transformer, LearnsOneBatch) {
  const auto model = builtModel("transformer", smallTokens());
  EXPECT_LT(lossRatio(*model, Task::Classify, 0.05, 40), 0.2);
}

TEST(Decoder, LearnsOneBatch) {
  const auto model = builtModel("decoder", smallTokens());
  EXPECT_LT(lossRatio(*model, Task::NextToken, 0.05, 100), 0.2);
}

TEST(Transformer, NamesAreThoseOfPyTorch) {
  const auto model = builtModel("transformer", smallTokens());
  const auto parameters = model->named_parameters();
  for (const char* name :
       {"embedding.weight", "layers.0.self_attn.in_proj_weight", "layers.3.self_attn.out_proj.bias", "layers.1.linear1.weight",
        "layers.2.linear2.bias", "layers.0.norm1.weight", "layers.3.norm2.bias", "norm.weight", "head.bias"})
    EXPECT_TRUE(parameters.contains(name)) << name;
  EXPECT_EQ(parameters.size(), 1U + 4U * 12U + 2U + 2U);
  EXPECT_FALSE(at::equal(parameters["layers.0.linear1.weight"], parameters["layers.1.linear1.weight"]))
      << "each layer is drawn by itself";
}

TEST(Transformer, ASequenceAloneIsTheSameAsInAPaddedBatch) {
  const auto model = builtModel("transformer", smallTokens());
  model->eval();
  for (const bool graph : {false, true}) {
    const at::AutoGradMode mode(graph);
    const auto together = (*model)(tokenIds(kRows));
    for (std::size_t i = 0; i < kRows.size(); ++i)
      EXPECT_TRUE(at::allclose((*model)(tokenIds({kRows[i]}))[0], together[static_cast<std::int64_t>(i)], 0, 1e-5)) << i;
  }
}

TEST(Transformer, TheOrderOfTokensMatters) {
  const auto model = builtModel("transformer", smallTokens());
  EXPECT_FALSE(at::allclose((*model)(tokenIds({{5, 7, 9}})), (*model)(tokenIds({{9, 7, 5}}))));
}

TEST(Transformer, ASequenceBeyondItsLengthIsRefused) {
  for (const char* name : {"transformer", "decoder"}) {
    const auto model = builtModel(name, smallTokens(40, 12));
    EXPECT_NO_THROW((*model)(at::ones({1, 12}, at::kLong)));
    try {
      (*model)(at::ones({1, 13}, at::kLong));
      FAIL() << "13 tokens were taken";
    } catch (const c10::Error& error) {
      const std::string said = error.what_without_backtrace();
      EXPECT_NE(said.find("13"), std::string::npos) << said;
      EXPECT_NE(said.find("12"), std::string::npos) << said;
    }
    EXPECT_THROW((*model)(at::full({1, 3}, 40, at::kLong)), c10::Error) << "40 is no id of a vocabulary of 40";
    EXPECT_THROW((*model)(at::ones({3}, at::kLong)), c10::Error);
  }
}

TEST(Decoder, ALaterTokenChangesNoEarlierLogits) {
  const auto model = builtModel("decoder", smallTokens());
  for (const bool graph : {false, true}) {
    const at::AutoGradMode mode(graph);
    const auto first = (*model)(tokenIds({{5, 7, 9, 3, 12, 30}})), second = (*model)(tokenIds({{5, 7, 9, 3, 31, 30}}));
    ASSERT_EQ(first.sizes(), at::IntArrayRef({1, 6, 40}));
    EXPECT_TRUE(at::allclose(first.slice(1, 0, 4), second.slice(1, 0, 4), 1e-5, 1e-5));
    EXPECT_FALSE(at::allclose(first.slice(1, 4), second.slice(1, 4), 1e-2, 1e-2));
  }
}

TEST(Decoder, PaddingsAtTheEndChangeNothingBeforeThem) {
  const auto model = builtModel("decoder", smallTokens());
  const auto alone = (*model)(tokenIds({kRows[1]})), padded = (*model)(tokenIds(kRows));
  EXPECT_TRUE(at::allclose(alone[0], padded[1].slice(0, 0, 3), 1e-5, 1e-5));
}

TEST(Decoder, TheHeadIsTheEmbedding) {
  const auto model = builtModel("decoder", smallTokens());
  auto parameters = model->named_parameters();
  EXPECT_EQ(parameters.size(), 1U + 4U * 12U + 2U) << "no matrix of its own";
  EXPECT_NEAR(parameters["embedding.weight"].std().item<double>(), 1 / std::sqrt(128.0), 0.005);
  const auto ids = tokenIds({{5, 7, 9}});
  const auto logits = (*model)(ids);
  EXPECT_LT(logits.abs().max().item<double>(), 20) << "a table of deviation 1 would give hundreds";
  logits.select(2, 20).sum().backward();
  EXPECT_GT(parameters["embedding.weight"].grad()[20].abs().sum().item<double>(), 0) << "through the head";
  EXPECT_GT(parameters["embedding.weight"].grad()[5].abs().sum().item<double>(), 0) << "through the way in";
}

}  // namespace atelier::engine
