#include "core/engine/monitor/tensor_memory.h"

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "installed_memory.h"

namespace atelier::engine {

TEST(TensorMemory, CountsStorageExactlyByPhase) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(0);
  memory.use(account);
  {
    TensorMemory::enter(MemoryPhase::Weights);
    const auto weights = at::empty({1000});
    TensorMemory::enter(MemoryPhase::Activations);
    const auto activations = at::empty({3, 7}, at::kByte), view = activations.view({21});
    EXPECT_EQ(account.live().weights, 4000);
    EXPECT_EQ(account.live().activations, 21) << "a view owns nothing";
    EXPECT_EQ(account.live().total, 4021);
  }
  EXPECT_EQ(account.live().total, 0);
  const auto peak = account.peak();
  EXPECT_EQ(peak.total, 4021);
  EXPECT_EQ(peak.weights + peak.gradients + peak.optimizer + peak.activations + peak.other, peak.total);
}

TEST(TensorMemory, TheBudgetRaisesOutOfMemoryAndFreesNothing) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(1 << 20);
  memory.use(account);
  const auto fits = at::empty({1 << 19}, at::kByte);
  EXPECT_THROW(at::empty({(1 << 19) + 1}, at::kByte), c10::OutOfMemoryError);
  EXPECT_EQ(account.live().total, 1 << 19);
  const auto exactly = at::empty({1 << 19}, at::kByte);
  EXPECT_EQ(account.live().total, 1 << 20);
}

TEST(TensorMemory, WhatIsAdoptedCountsAsLongAsItLives) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(1 << 20);
  memory.use(account);
  TensorMemory::enter(MemoryPhase::Weights);
  auto bytes = std::make_shared<std::vector<std::byte>>(4000);
  const std::weak_ptr<std::vector<std::byte>> watched = bytes;
  {
    void* data = bytes->data();
    const c10::Storage storage(c10::Storage::use_byte_size_t(), 4000, TensorMemory::adopt(data, 4000, std::move(bytes)));
    EXPECT_EQ(storage.data(), data);
    EXPECT_EQ(account.live().weights, 4000);
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_EQ(account.live().total, 0);
  EXPECT_TRUE(watched.expired());
  EXPECT_THROW(TensorMemory::adopt(nullptr, (1 << 20) + 1, nullptr), c10::OutOfMemoryError);
  EXPECT_EQ(account.live().total, 0);
}

TEST(TensorMemory, TheFreedBlocksOfAnotherAccountAreReused) {
  auto& memory = installedMemory();
  auto& first = memory.newAccount(0);
  auto& second = memory.newAccount(0);
  memory.use(first);
  auto tensor = at::empty({100000});
  const auto* place = tensor.data_ptr();
  tensor.reset();
  memory.use(second);
  const auto again = at::empty({100000});
  EXPECT_EQ(again.data_ptr(), place);
  EXPECT_EQ(first.live().total, 0);
  EXPECT_EQ(second.live().total, 400000);
}

TEST(TensorMemory, PointersAreAlignedAndFreedFromAnyThread) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(0);
  memory.use(account);
  for (const std::int64_t size : {1, 63, 64, 4096, 20000, 3 << 20}) {
    auto tensor = at::empty({size}, at::kByte);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64, 0U) << size;
    std::thread([moved = std::move(tensor)]() mutable { moved.reset(); }).join();
  }
  EXPECT_EQ(account.live().total, 0);
}

TEST(TensorMemory, AFrozenPeakLeavesEvaluationOut) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(0);
  memory.use(account);
  { const auto training = at::empty({1000}, at::kByte); }
  account.freezePeak(true);
  { const auto evaluation = at::empty({9000}, at::kByte); }
  account.freezePeak(false);
  EXPECT_EQ(account.peak().total, 1000);
}

}  // namespace atelier::engine
