#include "core/engine/techniques/grad_scaler.h"

#include <cmath>
#include <limits>

#include <ATen/ops/_amp_update_scale.h>
#include <gtest/gtest.h>

#include "core/engine/session/memory_archive.h"

namespace atelier::engine {
namespace {

using Change = GradScaler::Change;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<at::Tensor> gradientsOf(const std::vector<float>& values) {
  std::vector<at::Tensor> all;
  for (const float value : values) all.push_back(at::full({3}, value));
  return all;
}

}  // namespace

// torch.amp.GradScaler(init_scale=4, growth_factor=2, backoff_factor=0.5, growth_interval=2).
TEST(GradScaler, GrowsAfterSoundWindowsAndShrinksAfterOthers) {
  struct Row {
    bool finite;
    double scale;
    std::int64_t tracker;
    Change change;
  };
  const std::vector<Row> table{{true, 4, 1, Change::None}, {true, 8, 0, Change::Grew},    {false, 4, 0, Change::Shrank},
                               {true, 4, 1, Change::None}, {false, 2, 0, Change::Shrank}, {false, 1, 0, Change::Shrank},
                               {true, 1, 1, Change::None}, {true, 2, 0, Change::Grew}};
  GradScaler scaler({4, 2, 0.5, 2});
  for (const auto& row : table) {
    EXPECT_EQ(scaler.update(row.finite), row.change);
    EXPECT_EQ(scaler.scale(), row.scale);
    EXPECT_EQ(scaler.growthTracker(), row.tracker);
  }
}

// The very operator behind torch.amp.GradScaler.update(), with factors that float32 must round.
TEST(GradScaler, IsBitEqualToPyTorchsOverManyWindows) {
  GradScaler scaler({1000, 1.7, 0.6, 3});
  auto scale = at::full({1}, 1000.0F), tracker = at::zeros({1}, at::kInt);
  std::uint32_t draw = 1;
  int grown = 0;
  for (int i = 0; i < 500; ++i) {
    draw = draw * 1664525U + 1013904223U;
    const bool finite = (draw >> 16U) % 5 != 0;
    at::_amp_update_scale_(scale, tracker, at::full({1}, finite ? 0.0F : 1.0F), 1.7, 0.6, 3);
    grown += scaler.update(finite) == Change::Grew ? 1 : 0;
    ASSERT_EQ(static_cast<float>(scaler.scale()), scale.item<float>()) << i;
    ASSERT_EQ(scaler.growthTracker(), tracker.item<int>()) << i;
  }
  EXPECT_GT(grown, 10);
}

TEST(GradScaler, DoesNotGrowBeyondHalfOfFloat32) {
  GradScaler scaler({1e38, 2, 0.5, 1});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(scaler.update(true), Change::None);
  EXPECT_EQ(static_cast<float>(scaler.scale()), 1e38F);
  GradScaler below({8e37, 2, 0.5, 1});
  EXPECT_EQ(below.update(true), Change::Grew);
  EXPECT_TRUE(std::isfinite(2 * static_cast<float>(below.scale())));
}

TEST(GradScaler, StopsAtTheFloorInsteadOfGoingToZero) {
  GradScaler scaler({2.0 * GradScaler::kFloor, 2, 0.5, 2});
  EXPECT_EQ(scaler.update(false), Change::Shrank);
  EXPECT_EQ(scaler.scale(), GradScaler::kFloor);
  EXPECT_EQ(scaler.update(false), Change::AtFloor);
  EXPECT_EQ(scaler.scale(), GradScaler::kFloor);
}

TEST(GradScaler, UnscalesInPlaceAndFindsWhatIsNotFinite) {
  const GradScaler scaler({3, 2, 0.5, 2});
  const auto sound = gradientsOf({6, -12});
  EXPECT_TRUE(scaler.unscale(sound));
  EXPECT_EQ(sound[0][0].item<float>(), 6.0F * static_cast<float>(1.0 / 3.0));
  EXPECT_EQ(sound[1][2].item<float>(), -12.0F * static_cast<float>(1.0 / 3.0));
  for (const float bad : {kInfinity, -kInfinity, std::nanf("")}) {
    const auto gradients = gradientsOf({1, bad});
    EXPECT_FALSE(scaler.unscale(gradients));
    EXPECT_FALSE(std::isfinite(gradients[1][0].item<float>()));
  }
  EXPECT_TRUE(scaler.unscale({}));
}

TEST(GradScaler, FindsOneInfinityAtAnyPlace) {
  const GradScaler scaler({2, 2, 0.5, 2});
  for (const std::int64_t place : {0, 15, 16, 30}) {
    auto gradient = at::ones({31});
    gradient[place] = kInfinity;
    EXPECT_FALSE(scaler.unscale({at::ones({5}), gradient})) << place;
  }
}

TEST(GradScaler, GoesOnFromItsState) {
  GradScaler scaler({64, 2, 0.5, 3}), other({1, 2, 0.5, 3});
  scaler.update(false);
  scaler.update(true);
  scaler.update(true);
  MemoryArchive archive;
  archive.save([&](StateArchive& visited) { scaler.state(visited); });
  archive.load([&](StateArchive& visited) { other.state(visited); });
  EXPECT_EQ(other.scale(), 32);
  EXPECT_EQ(other.update(true), Change::Grew);
  EXPECT_EQ(other.scale(), 64);
}

}  // namespace atelier::engine
