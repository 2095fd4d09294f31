#include "core/engine/session/memory_archive.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

struct State {
  at::Tensor weights, momentum;
  std::vector<at::Tensor> list{};
  std::int64_t steps = 0;
  double rate = 0;
  std::string text{};
  bool flag = false;

  void visit(StateArchive& archive) {
    const StateArchive::Scope scope(archive, "state");
    archive.tensor("weights", weights);
    archive.tensor("momentum", momentum);
    archive.tensors("list", list);
    archive.integer("steps", steps);
    archive.number("rate", rate);
    archive.text("text", text);
    archive.flag("flag", flag);
  }
};

StateVisit visitOf(State& state) {
  return [&state](StateArchive& archive) { state.visit(archive); };
}

State sample() {
  return {at::arange(6, at::kFloat).view({2, 3}),
          {},
          {at::ones({2}), at::Tensor(), at::zeros({}, at::kFloat)},
          41,
          0.5,
          "é\n",
          true};
}

std::string mismatch(MemoryArchive& archive, State& state) {
  try {
    archive.load(visitOf(state));
  } catch (const StateMismatch& problem) {
    return problem.message().id + " " + problem.message().args.front().second;
  }
  return "";
}

}  // namespace

TEST(MemoryArchive, GivesBackWhatItKept) {
  auto state = sample();
  MemoryArchive archive;
  archive.save(visitOf(state));
  State other{at::zeros({2, 3}), at::ones({4}), {}, 0, 0, "", false};
  archive.load(visitOf(other));
  EXPECT_TRUE(at::equal(other.weights, state.weights));
  EXPECT_FALSE(other.momentum.defined()) << "there was none";
  ASSERT_EQ(other.list.size(), 3U);
  EXPECT_TRUE(at::equal(other.list[0], state.list[0]));
  EXPECT_FALSE(other.list[1].defined());
  EXPECT_EQ(other.list[2].dim(), 0);
  EXPECT_EQ(other.steps, 41);
  EXPECT_EQ(other.rate, 0.5);
  EXPECT_EQ(other.text, "é\n");
  EXPECT_TRUE(other.flag);
}

TEST(MemoryArchive, WhatItKeepsAreClones) {
  auto state = sample();
  MemoryArchive archive;
  archive.save(visitOf(state));
  state.weights.fill_(7);
  archive.load(visitOf(state));
  EXPECT_EQ(state.weights.sum().item<float>(), 15);
  state.weights.fill_(8);
  archive.load(visitOf(state));
  EXPECT_EQ(state.weights.sum().item<float>(), 15) << "what was given back is a copy, too";
}

TEST(MemoryArchive, WritesIntoTheTensorsThatAreThere) {
  auto state = sample();
  MemoryArchive archive;
  archive.save(visitOf(state));
  auto parameter = at::zeros({2, 3}).requires_grad_();
  State other{parameter, {}, {}, 0, 0, "", false};
  archive.load(visitOf(other));
  EXPECT_TRUE(other.weights.is_same(parameter));
  EXPECT_TRUE(at::equal(parameter, state.weights));
}

TEST(MemoryArchive, SavingAgainTakesNoNewMemoryAndForgetsWhatIsGone) {
  auto state = sample();
  MemoryArchive archive;
  archive.save(visitOf(state));
  const auto* before = std::get<at::Tensor>(archive.values().at("state.weights")).const_data_ptr();
  state.weights.add_(1);
  state.list.pop_back();
  archive.save(visitOf(state));
  const auto& kept = std::get<at::Tensor>(archive.values().at("state.weights"));
  EXPECT_EQ(kept.const_data_ptr(), before);
  EXPECT_TRUE(at::equal(kept, state.weights));
  EXPECT_FALSE(archive.values().contains("state.list.2"));
}

TEST(MemoryArchive, KeepsTheLayout) {
  State state{at::randn({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast), {}, {}, 0, 0, "", false};
  MemoryArchive archive;
  archive.save(visitOf(state));
  State other{};
  archive.load(visitOf(other));
  EXPECT_EQ(other.weights.strides(), state.weights.strides());
  EXPECT_TRUE(at::equal(other.weights, state.weights));
}

TEST(MemoryArchive, WhatDoesNotFitIsNamed) {
  auto state = sample();
  MemoryArchive archive;
  archive.save(visitOf(state));
  State wide{at::zeros({3, 2}), {}, {}, 0, 0, "", false};
  EXPECT_EQ(mismatch(archive, wide), "checkpoint.shape state.weights");
  State exact{at::zeros({2, 3}, at::kDouble), {}, {}, 0, 0, "", false};
  EXPECT_EQ(mismatch(archive, exact), "checkpoint.dtype state.weights");
  double number = 0;
  EXPECT_THROW(archive.load([&](StateArchive& all) { all.number("nothing", number); }), StateMismatch);
  std::int64_t integer = 0;
  EXPECT_THROW(archive.load([&](StateArchive& all) { all.integer("state.rate", integer); }), StateMismatch)
      << "a number is no integer";
}

TEST(MemoryArchive, ACountOutOfRangeIsRefusedBeforeAnythingIsAllocated) {
  for (const std::int64_t count : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    MemoryArchive archive;
    auto kept = count;
    archive.save([&](StateArchive& all) { all.integer("list.count", kept); });
    std::vector<at::Tensor> list;
    EXPECT_THROW(archive.load([&](StateArchive& all) { all.tensors("list", list); }), StateMismatch) << count;
  }
}

TEST(MemoryArchive, WhatIsToBeLeftStaysAsItIs) {
  auto state = sample();
  MemoryArchive archive;
  archive.leave("state.steps");
  archive.save(visitOf(state));
  state.steps = 50;
  state.rate = 0.25;
  archive.load(visitOf(state));
  EXPECT_EQ(state.steps, 50);
  EXPECT_EQ(state.rate, 0.5);
}

TEST(MemoryArchive, ScopesNestAndEnd) {
  MemoryArchive archive;
  std::int64_t value = 1;
  archive.save([&](StateArchive& all) {
    {
      const StateArchive::Scope outer(all, "a");
      const StateArchive::Scope inner(all, "b");
      all.integer("x", value);
    }
    all.integer("y", value);
  });
  EXPECT_TRUE(archive.values().contains("a.b.x"));
  EXPECT_TRUE(archive.values().contains("y"));
  EXPECT_EQ(archive.values().size(), 2U);
}

}  // namespace atelier::engine
