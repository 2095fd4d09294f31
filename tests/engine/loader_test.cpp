#include "core/engine/data/loader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

Batch indexBatch(const std::int64_t* indices, std::int64_t count) {
  auto target = at::empty({count}, at::kLong);
  for (std::int64_t i = 0; i < count; ++i) target[i] = indices[i];
  return {target.to(at::kFloat), target};
}

std::vector<std::int64_t> take(Loader& loader, int batches) {
  std::vector<std::int64_t> all;
  for (int i = 0; i < batches; ++i) {
    const auto target = loader.next().target;
    for (std::int64_t k = 0; k < target.size(0); ++k) all.push_back(target[k].item<std::int64_t>());
  }
  return all;
}

LoaderOptions options(std::int64_t batch, std::int64_t workers) {
  LoaderOptions result;
  result.batch = batch;
  result.workers = workers;
  result.seed = 5;
  return result;
}

}  // namespace

// PyTorch 38925: the length of a loader.
TEST(Loader, TenSamplesAtBatchFourAreThreeBatchesOrTwoWithDropLast) {
  EXPECT_EQ(batchesPerEpoch(10, 4, false), 3);
  EXPECT_EQ(batchesPerEpoch(10, 4, true), 2);
  Loader loader(10, indexBatch, options(4, 0));
  EXPECT_EQ(loader.next().target.size(0), 4);
  EXPECT_EQ(loader.next().target.size(0), 4);
  EXPECT_FALSE(loader.epochEnded());
  EXPECT_EQ(loader.next().target.size(0), 2);
  EXPECT_TRUE(loader.epochEnded());
  EXPECT_EQ(loader.next().target.size(0), 4);
  EXPECT_EQ(loader.epoch(), 1);
}

TEST(Loader, AnyNumberOfWorkersGivesTheSameBatches) {
  std::vector<std::int64_t> reference;
  for (const int workers : {0, 1, 2, 5}) {
    Loader loader(103, indexBatch, options(8, workers));
    const auto seen = take(loader, 30);
    if (workers == 0) reference = seen;
    EXPECT_EQ(seen, reference) << workers << " workers";
  }
}

TEST(Loader, EpochsAreDifferentPermutations) {
  Loader loader(103, indexBatch, options(8, 2));
  const auto first = take(loader, 13), second = take(loader, 13);
  EXPECT_NE(first, second);
  for (const auto& epoch : {first, second}) EXPECT_EQ(std::set<std::int64_t>(epoch.begin(), epoch.end()).size(), 103U);
  EXPECT_NE(epochOrder(50, 1, 0, true), epochOrder(50, 2, 0, true));
  EXPECT_EQ(epochOrder(50, 1, 3, true), epochOrder(50, 1, 3, true));
}

// What a PyTorch script of the run does: the same samples in the same order.
TEST(Loader, OrdersAreThoseOfPyTorchsRandperm) {
  for (const std::int64_t count : {0, 1, 2, 103, 60000})
    for (const std::uint64_t seed : {0ULL, 7ULL, 1'000'000'000ULL, 0xffff'ffffULL}) {
      auto generator = at::make_generator<at::CPUGeneratorImpl>(seed + 2);
      const auto expected = at::randperm(count, generator, at::TensorOptions().dtype(at::kLong));
      const auto order = epochOrder(count, seed, 2, true);
      ASSERT_EQ(static_cast<std::int64_t>(order.size()), count);
      EXPECT_TRUE(std::equal(order.begin(), order.end(), expected.const_data_ptr<std::int64_t>())) << count << ", " << seed;
    }
}

// PyTorch 5040: a worker's failure is a named error, soon, not a hang.
TEST(Loader, AFailingSampleIsNamed) {
  const auto make = [](const std::int64_t* indices, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) TORCH_CHECK(indices[i] != 42, "sample 42 can't be decoded");
    return indexBatch(indices, count);
  };
  for (const int workers : {0, 3}) {
    Loader loader(103, make, options(8, workers));
    const auto begin = std::chrono::steady_clock::now();
    std::string message;
    try {
      take(loader, 13);
    } catch (const c10::Error& error) {
      message = error.what_without_backtrace();
    }
    EXPECT_NE(message.find("sample 42 can't be decoded"), std::string::npos) << message;
    EXPECT_NE(message.find("epoch 0"), std::string::npos) << message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
}

TEST(Loader, MemoryInFlightIsBounded) {
  std::atomic<int> made = 0;
  const auto make = [&](const std::int64_t* indices, std::int64_t count) {
    ++made;
    return indexBatch(indices, count);
  };
  auto bounded = options(4, 2);
  bounded.prefetch = 3;
  Loader loader(1000, make, bounded);
  for (int i = 0; i < 100 && made < 6; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(made, 6) << "workers × prefetch batches ahead, no more";
}

TEST(Loader, RefusesADataSetWithoutABatch) {
  auto none = options(64, 0);
  none.drop_last = true;
  EXPECT_THROW(Loader(10, indexBatch, none), c10::Error);
}

}  // namespace atelier::engine
