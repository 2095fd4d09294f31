#include "core/engine/module/recompute.h"

#include <string>
#include <utility>

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/engine/module/sequence_layers.h"
#include "installed_memory.h"
#include "operator_count.h"

namespace atelier::engine {
namespace {

using Inputs = std::vector<at::Tensor>;

at::Tensor leaf(at::IntArrayRef shape) {
  return at::randn(shape).requires_grad_(true);
}

std::shared_ptr<Segment> segmentOf(std::function<at::Tensor(const Inputs&)> run, Inputs parameters = {}) {
  auto segment = std::make_shared<Segment>();
  segment->run = std::move(run);
  segment->parameters = std::move(parameters);
  return segment;
}

// Autocast to bfloat16 for a scope, its cache on.
class Bfloat16 {
 public:
  Bfloat16() {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_cache_enabled(true);
    at::autocast::increment_nesting();
  }
  ~Bfloat16() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
};

// Two layers with a ReLU between them, as a function of its input and parameters.
struct Net {
  at::Tensor first = leaf({16, 8}), second = leaf({4, 16});
  at::Tensor run(const at::Tensor& x) const { return at::linear(at::relu(at::linear(x, first)), second); }
  std::shared_ptr<Segment> segment() const {
    return segmentOf([net = *this](const Inputs& inputs) { return net.run(inputs[0]); }, {first, second});
  }
  // Of the input, if it wants one, and the weights; cleared.
  Inputs takeGradients(at::Tensor& input) {
    Inputs all;
    for (auto* tensor : {&input, &first, &second}) {
      all.push_back(tensor->grad().defined() ? tensor->grad().clone() : at::Tensor());
      tensor->mutable_grad().reset();
    }
    return all;
  }
};

void expectEqual(const Inputs& got, const Inputs& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].defined(), wanted[i].defined()) << i;
    if (got[i].defined()) {
      EXPECT_TRUE(at::equal(got[i], wanted[i])) << i;
    }
  }
}

}  // namespace

TEST(Recompute, OutputAndGradientsAreThoseOfThePlainPass) {
  at::manual_seed(1);
  Net net;
  auto x = leaf({5, 8});
  const auto plain = net.run(x);
  plain.square().sum().backward();
  const auto wanted = net.takeGradients(x);
  const auto output = recomputed(net.segment(), {x});
  EXPECT_TRUE(at::equal(output, plain));
  output.square().sum().backward();
  expectEqual(net.takeGradients(x), wanted);
}

TEST(Recompute, RunsOnceForwardAndOnceAgainInBackward) {
  const auto weight = leaf({3, 3});
  std::vector<std::string> passes;
  const auto segment = segmentOf(
      [&](const Inputs& inputs) {
        passes.push_back(recomputing() ? "again" : inSegment() ? "first" : "plain");
        EXPECT_EQ(at::GradMode::is_enabled(), recomputing());
        return inputs[0].mm(weight);
      },
      {weight});
  const auto output = recomputed(segment, {leaf({2, 3})});
  EXPECT_EQ(passes, (std::vector<std::string>{"first"}));
  output.sum().backward();
  EXPECT_EQ(passes, (std::vector<std::string>{"first", "again"}));
  EXPECT_FALSE(inSegment());
  const at::NoGradGuard noGrad;
  recomputed(segment, {leaf({2, 3})});
  EXPECT_EQ(passes.back(), "plain") << "no backward pass will come";
}

// PyTorch 7617: with an input that wants no gradient, checkpointed weights got none.
TEST(Recompute, WeightsLearnBehindAFrozenInput) {
  at::manual_seed(2);
  Net net;
  auto x = at::randn({5, 8});
  net.run(x).sum().backward();
  const auto wanted = net.takeGradients(x);
  const auto output = recomputed(net.segment(), {x});
  EXPECT_TRUE(output.requires_grad());
  output.sum().backward();
  EXPECT_FALSE(x.grad().defined());
  expectEqual(net.takeGradients(x), wanted);
  ASSERT_TRUE(wanted[1].defined());
}

TEST(Recompute, FrozenWeightsLetTheGradientThrough) {
  Net net;
  net.first.requires_grad_(false);
  auto x = leaf({5, 8});
  net.run(x).sum().backward();
  const auto wanted = net.takeGradients(x);
  recomputed(net.segment(), {x}).sum().backward();
  expectEqual(net.takeGradients(x), wanted);
  EXPECT_FALSE(wanted[1].defined());
  EXPECT_TRUE(wanted[0].defined());
}

TEST(Recompute, WhereNothingWantsAGradientItJustRuns) {
  Net net;
  net.first.requires_grad_(false);
  net.second.requires_grad_(false);
  EXPECT_FALSE(recomputed(net.segment(), {at::randn({5, 8})}).requires_grad());
}

// OLMo-core 828: recomputed dropout drew another mask.
TEST(Recompute, DropoutDrawsTheSameMaskAndLeavesTheGeneratorAlone) {
  const auto run = [](const Inputs& inputs) { return at::dropout(inputs[0], 0.5, true); };
  auto x = at::ones({4000}).requires_grad_(true);
  at::manual_seed(3);
  const auto output = recomputed(segmentOf(run), {x});
  const auto between = at::randn({3});  // the loss draws, too
  output.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), output.detach()));
  const auto after = at::randn({3});
  at::manual_seed(3);
  const auto plain = run({x});
  EXPECT_TRUE(at::equal(plain, output));
  EXPECT_TRUE(at::equal(at::randn({3}), between));
  EXPECT_TRUE(at::equal(at::randn({3}), after)) << "backward has moved the generator";
}

TEST(Recompute, TakesSeveralInputsAndAMask) {
  const auto run = [](const Inputs& inputs) {
    EXPECT_FALSE(inputs[3].defined());
    return at::where(inputs[2], inputs[0].mul(inputs[1]), inputs[1]);
  };
  const auto mask = at::arange(6).remainder(2).eq(0);
  auto a = leaf({6}), b = leaf({6});
  run({a, b, mask, {}}).square().sum().backward();
  const Inputs wanted{a.grad().clone(), b.grad().clone()};
  a.mutable_grad().reset();
  b.mutable_grad().reset();
  recomputed(segmentOf(run), {a, b, mask, {}}).square().sum().backward();
  expectEqual({a.grad(), b.grad()}, wanted);
}

TEST(Recompute, GradientsAddUpOverMicroBatches) {
  at::manual_seed(4);
  Net net;
  auto x = leaf({5, 8}), y = leaf({3, 8});
  for (const auto& batch : {x, y}) net.run(batch).square().sum().backward();
  const auto wanted = net.takeGradients(x);
  for (const auto& batch : {x, y}) recomputed(net.segment(), {batch}).square().sum().backward();
  expectEqual(net.takeGradients(x), wanted);
}

// A weight of three segments, of one of them twice.
TEST(Recompute, AWeightOfSeveralSegmentsGetsTheSumOfTheirGradients) {
  at::manual_seed(5);
  auto weight = leaf({6, 6}), x = leaf({4, 6});
  const auto layer = [weight](const Inputs& inputs) { return inputs[0].mm(weight).tanh(); };
  layer({layer({layer({x})})}).sum().backward();
  const auto plain = weight.grad().clone();
  weight.mutable_grad().reset();
  const auto segment = segmentOf(layer, {weight});
  recomputed(segment, {recomputed(segment, {recomputed(segment, {x})})}).sum().backward();
  EXPECT_TRUE(at::equal(weight.grad(), plain));
  weight.mutable_grad().reset();
  const auto twice = segmentOf([&](const Inputs& inputs) { return layer({layer(inputs)}); }, {weight});
  recomputed(segment, {recomputed(twice, {x})}).sum().backward();
  EXPECT_TRUE(at::allclose(weight.grad(), plain, 1e-6, 1e-7));
}

TEST(Recompute, GradAsksForSomeGradientsOnly) {
  at::manual_seed(6);
  Net net;
  auto x = leaf({5, 8});
  const auto wanted = torch::autograd::grad({net.run(x).sum()}, {net.second});
  const auto got = torch::autograd::grad({recomputed(net.segment(), {x}).sum()}, {net.second});
  expectEqual(got, wanted);
  EXPECT_FALSE(net.second.grad().defined());
  EXPECT_FALSE(net.first.grad().defined());
}

TEST(Recompute, AutocastIsAsItWas) {
  at::manual_seed(7);
  Net net;
  auto x = leaf({5, 8});
  at::Tensor plain, output;
  {
    const Bfloat16 scope;
    plain = net.run(x);
  }
  plain.to(at::kFloat).square().sum().backward();
  const auto wanted = net.takeGradients(x);
  {
    const Bfloat16 scope;
    output = recomputed(net.segment(), {x});
  }
  EXPECT_EQ(output.scalar_type(), at::kBFloat16);
  output.to(at::kFloat).square().sum().backward();  // backward runs outside of autocast
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_TRUE(at::autocast::is_autocast_cache_enabled());
  expectEqual(net.takeGradients(x), wanted);
}

// PyTorch 48696: a cast that was made without a graph, found again by a pass that wants one, cuts the weight off.
TEST(Recompute, ACastOfTheFirstPassIsNotFoundByLaterLayers) {
  Net net;
  auto x = leaf({8, 8});
  const Bfloat16 scope;
  const auto tied = segmentOf([&net](const Inputs& inputs) { return at::linear(inputs[0], net.first); }, {net.first});
  const auto hidden = recomputed(tied, {x});
  at::linear(hidden.to(at::kFloat).slice(1, 0, 8).detach(), net.first).sum().backward();
  ASSERT_TRUE(net.first.grad().defined()) << "the plain use of a weight that a segment has used";
  EXPECT_GT(net.first.grad().abs().sum().item<double>(), 0);
}

// Backward within autocast: what the forward pass has cast belongs to another graph.
TEST(Recompute, BackwardMayRunWithinAutocast) {
  at::manual_seed(8);
  Net net;
  auto x = leaf({5, 8});
  Inputs wanted;
  for (const bool segments : {false, true}) {
    {
      const Bfloat16 scope;
      const auto output = segments ? recomputed(net.segment(), {x}) : net.run(x);
      output.to(at::kFloat).sum().backward();
    }
    if (segments) expectEqual(net.takeGradients(x), wanted);
    else wanted = net.takeGradients(x);
  }
}

TEST(Recompute, BatchNormCountsABatchOnce) {
  Inputs wanted;
  for (const bool segments : {false, true}) {
    at::manual_seed(9);
    const auto norm = std::make_shared<BatchNorm2d>(3);
    const auto x = at::randn({4, 3, 5, 5}).add(2).requires_grad_(true);
    const auto segment = segmentOf([norm](const Inputs& inputs) { return (*norm)(inputs[0]); }, norm->parameters());
    for (int step = 0; step < 2; ++step)
      (segments ? recomputed(segment, {x}) : (*norm)(x)).square().mul(0.5).sum().backward();
    Inputs now = norm->buffers();
    for (const auto& parameter : norm->parameters()) now.push_back(parameter.grad());
    now.push_back(x.grad());
    if (segments) expectEqual(now, wanted);
    wanted = now;
    EXPECT_EQ(norm->named_buffers()["num_batches_tracked"].item<std::int64_t>(), 2);
    EXPECT_GT(norm->named_buffers()["running_mean"].mean().item<double>(), 0.3);
  }
}

// A layer that takes other ways without gradients must not do so in a segment's first pass.
TEST(Recompute, LinearLayersTakeTheSameWayBothTimes) {
  const auto linear = std::make_shared<Linear>(256, 256);
  linear->train();
  const auto x = leaf({4, 256});
  const auto plain = (*linear)(x);
  OperatorCount fast("mkldnn::_linear_pointwise");
  const auto segment = segmentOf([linear](const Inputs& inputs) { return (*linear)(inputs[0]); }, linear->parameters());
  const auto output = recomputed(segment, {x});
  EXPECT_EQ(fast.calls(), 0);
  EXPECT_TRUE(at::equal(output, plain));
}

TEST(Recompute, KeepsItsInputsAlone) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(0);
  memory.use(account);
  const auto x = leaf({1000, 64});
  const auto chain = [](const Inputs& inputs) {
    auto hidden = inputs[0];
    for (int i = 0; i < 10; ++i) hidden = hidden.exp().neg();
    return hidden;
  };
  constexpr std::int64_t kTensor = 1000 * 64 * 4;
  const auto before = account.live().total;
  {
    const auto output = chain({x});
    EXPECT_GE(account.live().total - before, 10 * kTensor);
  }
  const auto output = recomputed(segmentOf(chain), {x});
  EXPECT_LE(account.live().total - before, kTensor + 16384) << "the output, and a generator's state";
  const auto loss = output.sum();
  loss.backward();
  EXPECT_LE(account.live().total - before, 2 * kTensor + 16384) << "the gradient is left, the second graph is not";
  memory.use(memory.newAccount(0));
}

// The input goes with the first backward pass, even while the output is still held.
TEST(Recompute, LetsGoOfWhatItKeptAfterBackward) {
  const auto weight = leaf({1});
  auto x = at::ones({10});
  const c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> seen(x.getIntrusivePtr());
  const auto output = recomputed(segmentOf([weight](const Inputs& inputs) { return inputs[0].mul(weight); }, {weight}), {x});
  x.reset();
  EXPECT_FALSE(seen.expired());
  output.sum().backward();
  EXPECT_TRUE(seen.expired());
  EXPECT_TRUE(output.requires_grad());
}

TEST(Recompute, ASecondBackwardNeedsTheGraphRetained) {
  Net net;
  auto x = leaf({2, 8});
  const auto kept = recomputed(net.segment(), {x}).sum();
  kept.backward({}, true);
  const auto once = net.takeGradients(x);
  kept.backward();
  expectEqual(net.takeGradients(x), once);
  EXPECT_THROW(kept.backward(), c10::Error);
}

TEST(Recompute, RefusesASecondDerivative) {
  const auto x = leaf({3});
  const auto output = recomputed(segmentOf([](const Inputs& inputs) { return inputs[0].exp(); }), {x});
  try {
    torch::autograd::grad({output.sum()}, {x}, {}, true, true);
    FAIL() << "it was differentiated twice";
  } catch (const c10::NotImplementedError& error) {
    EXPECT_NE(std::string(error.what_without_backtrace()).find("create_graph"), std::string::npos);
  }
}

TEST(Recompute, RefusesAnInputThatWasWrittenTo) {
  auto x = at::ones({3});
  const auto weight = leaf({3});
  const auto output = recomputed(segmentOf([weight](const Inputs& inputs) { return inputs[0].mul(weight); }, {weight}), {x});
  x.add_(1);
  EXPECT_THROW(output.sum().backward(), c10::Error);
}

TEST(Recompute, AnErrorInASegmentLeavesNothingBehind) {
  const auto failing = segmentOf([](const Inputs& inputs) {
    TORCH_CHECK(!recomputing(), "the second time");
    return inputs[0].exp();
  });
  const auto x = leaf({3});
  EXPECT_THROW(recomputed(failing, {x}).sum().backward(), c10::Error);
  EXPECT_FALSE(inSegment());
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  const auto early = segmentOf([](const Inputs& inputs) {
    TORCH_CHECK(inputs.empty(), "the first time");
    return inputs[0];
  });
  EXPECT_THROW(recomputed(early, {x}), c10::Error);
  EXPECT_FALSE(inSegment());
  EXPECT_TRUE(at::GradMode::is_enabled());
}

TEST(Recompute, TheOutputMayBeTheInputOrAPartOfIt) {
  auto x = leaf({4, 3});
  recomputed(segmentOf([](const Inputs& inputs) { return inputs[0]; }), {x.mul(2)}).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({4, 3}, 2.0)));
  x.mutable_grad().reset();
  recomputed(segmentOf([](const Inputs& inputs) { return inputs[0].flatten(0); }), {x.mul(3)}).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({4, 3}, 3.0)));
}

TEST(Recompute, SegmentsMayLieWithinEachOther) {
  at::manual_seed(10);
  const auto x = leaf({300});
  const auto norm = std::make_shared<Dropout>(0.3);
  const auto inner = segmentOf([norm](const Inputs& inputs) { return (*norm)(inputs[0].exp()); });
  const auto outer = segmentOf([inner](const Inputs& inputs) { return recomputed(inner, {inputs[0].sin()}).cos(); });
  at::manual_seed(11);
  (*norm)(x.sin().exp()).cos().sum().backward();
  const auto wanted = x.grad().clone();
  x.mutable_grad().reset();
  at::manual_seed(11);
  recomputed(outer, {x}).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), wanted));
}

TEST(Recompute, TellsWhatItDoesInOrder) {
  std::vector<SegmentMoment> moments;
  auto segment = segmentOf([](const Inputs& inputs) { return inputs[0].exp(); });
  segment->observe = [&](SegmentMoment moment) { moments.push_back(moment); };
  const auto output = recomputed(segment, {leaf({3})});
  EXPECT_TRUE(moments.empty());
  output.sum().backward();
  EXPECT_EQ(moments, (std::vector<SegmentMoment>{SegmentMoment::Again, SegmentMoment::Backward, SegmentMoment::Done}));
}

}  // namespace atelier::engine
