#include "core/engine/module/sequence_layers.h"

#include <cmath>
#include <functional>

#include <ATen/ops/_fused_sgd.h>
#include <gtest/gtest.h>

#include "operator_count.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kWidth = 16, kHeads = 4;

bool close(const at::Tensor& a, const at::Tensor& b, double tolerance = 1e-5) {
  return a.sizes() == b.sizes() && at::allclose(a, b, tolerance, tolerance);
}

at::Tensor leaf(const at::Tensor& values) {
  return values.clone().set_requires_grad(true);
}

std::shared_ptr<SelfAttention> selfAttention(double dropout = 0) {
  at::manual_seed(3);
  auto made = std::make_shared<SelfAttention>(
      AttentionOptions{.width = kWidth, .heads = kHeads, .dropout = dropout},
      AttentionNames{.kind = "DistilBertSelfAttention", .query = "q_lin", .key = "k_lin", .value = "v_lin", .out = "out_lin"});
  made->bind();
  made->eval();
  return made;
}

std::shared_ptr<MultiheadAttention> multihead(AttentionKind kind, bool causal = false) {
  at::manual_seed(4);
  auto made = std::make_shared<MultiheadAttention>(AttentionOptions{.width = kWidth, .heads = kHeads, .causal = causal});
  made->setAttention(kind);
  return made;
}

// Three sequences, of which the second has two paddings and the third has four, at the end.
at::Tensor someMask(std::int64_t tokens) {
  auto mask = at::ones({3, tokens}, at::kBool);
  mask[1].slice(0, tokens - 2).fill_(false);
  mask[2].slice(0, tokens - 4).fill_(false);
  return mask;
}

}  // namespace

TEST(Embedding, ThePaddingsRowIsZeroAndGetsNoGradient) {
  at::manual_seed(1);
  Embedding embedding(1000, 8, 2);
  EXPECT_EQ(embedding.weight().select(0, 2).abs().sum().item<double>(), 0);
  EXPECT_NEAR(embedding.weight().std().item<double>(), 1, 0.05);
  const auto rows = embedding(at::tensor({2, 5, 5, 2}, at::kLong).view({2, 2}));
  EXPECT_EQ(rows.sizes(), at::IntArrayRef({2, 2, 8}));
  rows.sum().backward();
  EXPECT_EQ(embedding.weight().grad().select(0, 2).abs().sum().item<double>(), 0);
  EXPECT_EQ(embedding.weight().grad().select(0, 5).sum().item<double>(), 16);
}

TEST(Embedding, DrawsWhatPyTorchDraws) {
  at::manual_seed(9);
  const auto expected = at::empty({7, 5}).normal_(0, 1);
  at::manual_seed(9);
  EXPECT_TRUE(at::equal(Embedding(7, 5).weight(), expected));
}

TEST(Embedding, AnIdWithoutARowIsRefused) {
  Embedding embedding(4, 2);
  EXPECT_THROW(embedding(at::full({1, 1}, 4, at::kLong)), c10::Error);
  EXPECT_THROW(Embedding(4, 2, 4), c10::Error);
}

TEST(LayerNorm, HasMeanZeroAndDeviationOne) {
  LayerNorm norm(4);
  const auto out = norm(at::arange(1, 5, at::kFloat).view({1, 1, 4}));
  EXPECT_TRUE(close(out, at::tensor({-1.3416355F, -0.4472118F, 0.4472118F, 1.3416355F}).view({1, 1, 4}), 1e-6)) << out;
}

TEST(Dropout, IsTheIdentityOutsideTraining) {
  Dropout dropout(0.5);
  const auto ones = at::ones({1000});
  const auto dropped = dropout(ones);
  EXPECT_NEAR(dropped.eq(0).sum().item<double>(), 500, 80);
  EXPECT_EQ(dropped.max().item<double>(), 2);
  dropout.eval();
  EXPECT_TRUE(at::equal(dropout(ones), ones));
}

// onnx2tf 868: the two forms are told apart.
TEST(Gelu, HasBothForms) {
  const auto input = at::full({1}, -1.0);
  EXPECT_NEAR(Gelu()(input).item<double>(), -0.158655, 1e-6);
  EXPECT_NEAR(Gelu(GeluForm::Tanh)(input).item<double>(), -0.158808, 1e-6);
}

TEST(Gelu, ReusesMemoryOnlyWhereItMayAndNoGradientIsAsked) {
  const auto values = at::randn({6});
  for (const bool reuse : {false, true}) {
    Gelu gelu(GeluForm::Erf, reuse);
    const auto input = leaf(values);
    EXPECT_NE(gelu(input).data_ptr(), input.data_ptr());
    EXPECT_TRUE(at::equal(input, values)) << "a graph needs it";
    const at::NoGradGuard noGrad;
    EXPECT_EQ(gelu(input).data_ptr() == input.data_ptr(), reuse);
  }
}

TEST(AddShortcut, AddsInPlaceOnlyWithoutAGraphAndInOneType) {
  const auto one = at::ones({3}), two = at::full({3}, 2.0);
  EXPECT_EQ(addShortcut(one, two).data_ptr(), one.data_ptr());
  EXPECT_TRUE(at::equal(one, at::full({3}, 3.0)));
  const auto asked = leaf(two);
  EXPECT_TRUE(addShortcut(two, asked).requires_grad());
  EXPECT_TRUE(at::equal(two, at::full({3}, 2.0)));
  EXPECT_EQ(addShortcut(at::ones({3}, at::kBFloat16), two).scalar_type(), at::kFloat);
}

TEST(Attention, FusedAndWrittenOutAgree) {
  for (const std::int64_t tokens : {1, 5, 33})
    for (const bool causal : {false, true})
      for (const bool masked : {false, true}) {
        if (masked && tokens < 5) continue;
        at::Tensor outputs[2], gradients[2];
        const auto values = at::randn({3, tokens, kWidth});
        for (const int i : {0, 1}) {
          auto attention = multihead(i == 0 ? AttentionKind::Math : AttentionKind::Fused, causal);
          const auto input = leaf(values);
          const OperatorCount kernel("aten::_scaled_dot_product_flash_attention_for_cpu");
          outputs[i] = (*attention)(input, masked ? someMask(tokens) : at::Tensor());
          EXPECT_EQ(kernel.calls(), i) << "LibTorch's kernel for CPUs";
          outputs[i].pow(2).sum().backward();
          gradients[i] = input.grad();
        }
        EXPECT_TRUE(close(outputs[0], outputs[1])) << tokens << causal << masked;
        EXPECT_TRUE(close(gradients[0], gradients[1], 1e-4)) << tokens << causal << masked;
      }
}

TEST(Attention, PaddingsAreNotSeen) {
  for (const auto kind : {AttentionKind::Math, AttentionKind::Fused}) {
    auto attention = multihead(kind);
    const auto mask = someMask(6), values = at::randn({3, 6, kWidth});
    auto other = values.clone();
    other.masked_fill_(mask.logical_not().unsqueeze(2), 50);
    const auto visible = mask.unsqueeze(2).to(at::kFloat);
    const auto first = (*attention)(values, mask), second = (*attention)(other, mask);
    EXPECT_TRUE(close(first.mul(visible), second.mul(visible)));
    EXPECT_FALSE(close((*attention)(values), (*attention)(other))) << "without a mask they are";
  }
}

TEST(Attention, ASequenceOfPaddingsAloneIsFinite) {
  for (const auto kind : {AttentionKind::Math, AttentionKind::Fused}) {
    auto attention = multihead(kind);
    auto mask = at::ones({2, 5}, at::kBool);
    mask[1].fill_(false);
    const auto input = leaf(at::randn({2, 5, kWidth}));
    const auto output = (*attention)(input, mask);
    EXPECT_TRUE(at::isfinite(output).all().item<bool>());
    output.sum().backward();
    EXPECT_TRUE(at::isfinite(input.grad()).all().item<bool>());
  }
}

TEST(Attention, ACausalOneSeesNoLaterToken) {
  for (const auto kind : {AttentionKind::Math, AttentionKind::Fused}) {
    auto attention = multihead(kind, true);
    const auto values = at::randn({2, 6, kWidth});
    auto other = values.clone();
    other.select(1, 4).add_(7);
    const auto first = (*attention)(values), second = (*attention)(other);
    EXPECT_TRUE(close(first.slice(1, 0, 4), second.slice(1, 0, 4)));
    EXPECT_FALSE(close(first.slice(1, 4), second.slice(1, 4)));
  }
}

// The kernel for CPUs has no dropout: taking it would leave the dropout out.
TEST(Attention, AutoIsFusedWhereThereIsAKernel) {
  const auto attention = selfAttention(0.5);
  const auto input = at::randn({2, 5, kWidth});
  const OperatorCount kernel("aten::_scaled_dot_product_flash_attention_for_cpu");
  (*attention)(input);
  EXPECT_EQ(kernel.calls(), 1) << "no dropout in evaluation";
  attention->train();
  const auto once = (*attention)(input), again = (*attention)(input);
  EXPECT_EQ(kernel.calls(), 1);
  EXPECT_FALSE(close(once, again)) << "dropout draws anew";
}

TEST(Attention, HeadsMustShareTheWidth) {
  EXPECT_THROW(MultiheadAttention(AttentionOptions{.width = 16, .heads = 3}), c10::Error);
  EXPECT_THROW(MultiheadAttention(AttentionOptions{.width = 16, .heads = 0}), c10::Error);
}

TEST(SelfAttention, OneMatmulDoesTheWorkOfThreeWhereNoGradientIsAsked) {
  const auto attention = selfAttention();
  const auto input = at::randn({3, 7, kWidth});
  const OperatorCount linears("aten::linear");
  const auto plain = (*attention)(input);
  EXPECT_EQ(linears.calls(), 4) << "its parameters ask for gradients";
  const at::NoGradGuard noGrad;
  EXPECT_TRUE(close((*attention)(input), plain));
  EXPECT_EQ(linears.calls(), 6);
  EXPECT_TRUE(close((*attention)(input, someMask(7)).slice(0, 0, 1), plain.slice(0, 0, 1)));
  EXPECT_EQ(linears.calls(), 8);
}

TEST(SelfAttention, AFrozenOneIsPackedInTrainingToo) {
  const auto attention = selfAttention();
  attention->train();
  for (auto& parameter : attention->parameters()) parameter.set_requires_grad(false);
  const OperatorCount linears("aten::linear");
  EXPECT_FALSE((*attention)(at::randn({1, 4, kWidth})).requires_grad());
  EXPECT_EQ(linears.calls(), 2);
  EXPECT_TRUE((*attention)(leaf(at::randn({1, 4, kWidth}))).requires_grad());
  EXPECT_EQ(linears.calls(), 6) << "what stands before it is trained";
}

TEST(SelfAttention, WhoWatchesSeesEveryPart) {
  const auto attention = selfAttention();
  const auto input = at::randn({2, 4, kWidth});
  const at::NoGradGuard noGrad;
  const auto packed = (*attention)(input);
  std::vector<std::string> seen;
  attention->hooks().after.push_back([&](Module& module, const at::Tensor&, at::Tensor&) { seen.push_back(module.path()); });
  EXPECT_TRUE(close((*attention)(input), packed));
  EXPECT_EQ(seen, (std::vector<std::string>{"q_lin", "k_lin", "v_lin", "out_lin", ""}));
}

// A copy of weights must never outlive what it was made of.
TEST(SelfAttention, ThePackFollowsEveryWayInWhichWeightsChange) {
  const auto attention = selfAttention();
  const auto input = at::randn({2, 5, kWidth});
  const auto train = [&](bool fused) {  // a step without a word to train() or eval()
    for (auto& parameter : attention->parameters()) parameter.mutable_grad().reset();
    const at::AutoGradMode graph(true);
    (*attention)(input).pow(2).sum().backward();
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> parameters = attention->parameters(), gradients;
    for (auto& parameter : parameters) gradients.push_back(parameter.grad());
    if (fused) at::_fused_sgd_(parameters, gradients, {}, 0, 0, 0.1, 0, false, false, true);
    else
      for (auto& parameter : parameters) parameter.sub_(parameter.grad(), 0.1);
  };
  const std::vector<std::function<void()>> changes{
      [&] { attention->named_parameters()["k_lin.weight"].mul_(3); },
      [&] { attention->named_parameters()["v_lin.bias"].add_(1); },
      [&] {
        attention->named_parameters()["q_lin.weight"].set_data(at::randn({kWidth, kWidth}));
      },
      [&] { train(false); }, [&] { train(true); }};
  const at::NoGradGuard noGrad;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto before = (*attention)(input);
    changes[i]();
    const auto packed = (*attention)(input);
    attention->hooks().after.push_back([](Module&, const at::Tensor&, at::Tensor&) {});
    const auto unpacked = (*attention)(input);
    attention->hooks().after.clear();
    EXPECT_TRUE(close(packed, unpacked)) << "change " << i;
    EXPECT_FALSE(close(packed, before)) << "change " << i << " changed nothing";
  }
}

TEST(MultiheadAttention, DrawsInPyTorchsOrder) {
  at::manual_seed(6);
  const auto out = Linear(kWidth, kWidth).weight().clone();
  const double bound = std::sqrt(6.0 / (4 * kWidth));
  const auto projections = at::empty({3 * kWidth, kWidth}).uniform_(-bound, bound);
  at::manual_seed(6);
  const auto attention = std::make_shared<MultiheadAttention>(AttentionOptions{.width = kWidth, .heads = kHeads});
  auto parameters = attention->named_parameters();
  EXPECT_TRUE(at::equal(parameters["out_proj.weight"], out));
  EXPECT_TRUE(close(parameters["in_proj_weight"], projections, 1e-6));
  EXPECT_EQ(parameters["in_proj_bias"].abs().sum().item<double>(), 0);
  EXPECT_EQ(parameters["out_proj.bias"].abs().sum().item<double>(), 0);
}

TEST(Init, ShapesTakeNoMemoryAndNoRandomNumber) {
  at::manual_seed(2);
  const auto next = at::randn({4});
  at::manual_seed(2);
  SelfAttention shapes(AttentionOptions{.width = kWidth, .heads = kHeads},
                       AttentionNames{.kind = "BertSelfAttention", .query = "query", .key = "key", .value = "value"},
                       Init::Shapes);
  const Embedding table(50, 3, 0, Init::Skip);
  EXPECT_TRUE(at::equal(at::randn({4}), next));
  for (const auto& parameter : shapes.parameters()) EXPECT_TRUE(parameter.is_meta());
  EXPECT_EQ(table.weight().sizes(), at::IntArrayRef({50, 3}));
}

}  // namespace atelier::engine
