#include "core/engine/session/good_state.h"

#include <cmath>

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

struct SmallRun {
  at::Tensor weights = at::zeros({2});
  std::int64_t position = 0;

  StateVisit visit() {
    return [this](StateArchive& archive) {
      archive.tensor("model.weights", weights);
      archive.integer("loader.position", position);
    };
  }
  // Where the run stands after so many steps.
  void stand(std::int64_t step) {
    weights.fill_(static_cast<double>(step));
    position = step;
  }
  std::int64_t stands() const { return static_cast<std::int64_t>(weights[0].item<float>()); }
};

const double kNone = std::nan("");

}  // namespace

TEST(GoodState, GoesBackToWhatWasKeptButNotInTheData) {
  SmallRun run;
  GoodState good(5, 0);
  run.stand(3);
  good.keep(3, run.visit());
  run.stand(7);
  EXPECT_EQ(good.judge(kNone, std::nullopt), "rollback.loss");
  EXPECT_EQ(good.goBack(run.visit()), 3);
  EXPECT_EQ(run.stands(), 3);
  EXPECT_EQ(run.position, 7) << "the batches since then are not seen again";
  EXPECT_EQ(good.returns(), 1);
}

// A loss says nothing of the update that followed it: weights that were spoilt by it must not become the good state.
TEST(GoodState, AStateIsSoundOnlyOnceTheNextStepWas) {
  SmallRun run;
  GoodState good(5, 0);
  good.keep(0, run.visit());
  run.stand(5);
  EXPECT_EQ(good.judge(1.0, 1.0), "");
  good.keep(5, run.visit());
  run.stand(6);
  EXPECT_EQ(good.judge(kNone, 1.0), "rollback.loss");
  EXPECT_EQ(good.goBack(run.visit()), 0);
  EXPECT_EQ(run.stands(), 0);
  run.stand(11);
  EXPECT_EQ(good.judge(1.0, 1.0), "");
  good.keep(11, run.visit());
  run.stand(12);
  EXPECT_EQ(good.judge(1.0, 1.0), "");
  run.stand(13);
  EXPECT_EQ(good.judge(1.0, HUGE_VAL), "rollback.gradient");
  EXPECT_EQ(good.goBack(run.visit()), 11);
  EXPECT_EQ(run.stands(), 11);
}

TEST(GoodState, IsDueEverySoManySteps) {
  SmallRun run;
  GoodState good(5, 0);
  good.keep(10, run.visit());
  EXPECT_FALSE(good.due(14));
  EXPECT_TRUE(good.due(15));
  good.keep(15, run.visit());
  EXPECT_FALSE(good.due(16));
  EXPECT_EQ(good.judge(1.0, std::nullopt), "");
  EXPECT_FALSE(good.due(19));
  EXPECT_TRUE(good.due(20));
}

TEST(GoodState, WithoutAFactorNoFiniteLossIsASpike) {
  GoodState good(5, 0);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(good.judge(1.0, std::nullopt), "");
  EXPECT_EQ(good.judge(1e30, 1e30), "");
  EXPECT_EQ(good.judge(-HUGE_VAL, std::nullopt), "rollback.loss");
}

TEST(GoodState, ALossAboveTheFactorTimesTheMedianIsASpike) {
  GoodState good(5, 3);
  for (std::size_t i = 0; i + 1 < GoodState::kFewest; ++i) EXPECT_EQ(good.judge(1.0, std::nullopt), "");
  EXPECT_EQ(good.judge(100.0, std::nullopt), "") << "too few to say what is usual";
  EXPECT_EQ(good.judge(3.0, std::nullopt), "") << "not above it";
  EXPECT_EQ(good.judge(3.01, std::nullopt), "rollback.spike");
  EXPECT_EQ(good.judge(3.01, std::nullopt), "rollback.spike") << "a spike does not count among the usual losses";
}

TEST(GoodState, OnlyTheLastLossesCount) {
  GoodState good(5, 3);
  for (std::size_t i = 0; i < GoodState::kLosses; ++i) EXPECT_EQ(good.judge(10.0, std::nullopt), "");
  for (std::size_t i = 0; i < GoodState::kLosses; ++i) EXPECT_EQ(good.judge(1.0, std::nullopt), "");
  EXPECT_EQ(good.judge(10.0, std::nullopt), "rollback.spike");
}

TEST(GoodState, WhereTheLossIsNotKnownTheNormIsLookedAt) {
  GoodState good(5, 3);
  for (std::size_t i = 0; i < GoodState::kFewest; ++i) EXPECT_EQ(good.judge(std::nullopt, 2.0), "");
  EXPECT_EQ(good.judge(std::nullopt, 6.5), "rollback.spike");
  EXPECT_EQ(good.judge(std::nullopt, kNone), "rollback.gradient");
  EXPECT_EQ(good.judge(std::nullopt, std::nullopt), "");
}

}  // namespace atelier::engine
