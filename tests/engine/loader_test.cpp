#include "core/engine/data/loader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "core/engine/data/data_error.h"

namespace atelier::engine {
namespace {

Batch indexBatch(const Loader::Request& request) {
  auto target = at::empty({request.count}, at::kLong);
  for (std::int64_t i = 0; i < request.count; ++i) target[i] = request.indices[i];
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
  const auto make = [](const Loader::Request& request) {
    for (std::int64_t i = 0; i < request.count; ++i) TORCH_CHECK(request.indices[i] != 42, "sample 42 can't be decoded");
    return indexBatch(request);
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
  const auto make = [&](const Loader::Request& request) {
    ++made;
    return indexBatch(request);
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

// pt#5040: also one that dies before its first batch.
TEST(Loader, AWorkerThatCantBeginIsAnErrorNotAHang) {
  auto broken = options(8, 3);
  broken.on_worker_start = [] { throw std::runtime_error("no memory for a worker"); };
  Loader loader(103, indexBatch, broken);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2; ++i) try {
      loader.next();
      ADD_FAILURE() << "a batch by nobody";
    } catch (const c10::Error& error) {
      EXPECT_NE(std::string(error.what_without_backtrace()).find("no memory for a worker"), std::string::npos);
    }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Loader, WhatNamesItsSampleAndALackOfMemoryPassAsTheyAre) {
  for (const int workers : {0, 2}) {
    Loader unreadable(
        20,
        [](const Loader::Request&) -> Batch {
          throw DataError(wire::Error{wire::ExitCode::Failed, {"data.image_damaged", {{"file", "a.jpg"}}}});
        },
        options(4, workers));
    EXPECT_THROW(unreadable.next(), DataError);
    Loader hungry(
        20,
        [](const Loader::Request&) -> Batch {
          throw c10::OutOfMemoryError(c10::SourceLocation{__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, "no more");
        },
        options(4, workers));
    EXPECT_THROW(hungry.next(), c10::OutOfMemoryError);
  }
}

TEST(Loader, ASlowSampleIsNamedOnceWhileItIsWaitedFor) {
  for (const int workers : {0, 2}) {
    std::vector<SlowSample> told;
    auto patient = options(4, workers);
    patient.shuffle = false;
    patient.slow_seconds = 0.1;
    patient.on_slow = [&](const SlowSample& sample) { told.push_back(sample); };
    Loader loader(
        16,
        [](const Loader::Request& request) {
          for (std::int64_t i = 0; i < request.count; ++i) {
            request.watch.begin(request.indices[i]);
            if (request.indices[i] == 6) std::this_thread::sleep_for(std::chrono::milliseconds(400));
          }
          request.watch.end();
          return indexBatch(request);
        },
        patient);
    take(loader, 4);
    ASSERT_EQ(told.size(), 1U) << workers << " workers";
    EXPECT_EQ(told.front().index, 6);
    EXPECT_GE(told.front().nanoseconds, 100'000'000);
  }
}

TEST(Loader, GoesOnWhereItWas) {
  for (const int workers : {0, 1, 3}) {
    Loader whole(103, indexBatch, options(8, workers)), again(103, indexBatch, options(8, workers));
    take(whole, 17);
    EXPECT_EQ(whole.position(), 17);
    take(again, 3);
    again.seek(17);
    EXPECT_EQ(again.epoch(), 1);
    EXPECT_FALSE(again.epochEnded());
    EXPECT_EQ(take(again, 20), take(whole, 20)) << workers << " workers";
    EXPECT_EQ(again.position(), 37);
    again.seek(13);
    EXPECT_EQ(again.epoch(), 0);
    EXPECT_TRUE(again.epochEnded());
    again.seek(0);
    Loader first(103, indexBatch, options(8, 0));
    EXPECT_EQ(take(again, 5), take(first, 5));
    EXPECT_THROW(again.seek(-1), c10::Error);
  }
}

TEST(Loader, SaysHowManyBatchesStandReadyAndHowLongWasWaited) {
  const auto make = [](const Loader::Request& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return indexBatch(request);
  };
  Loader alone(100, make, options(4, 0));
  alone.next();
  auto gauge = alone.gauge();
  EXPECT_EQ(gauge.capacity, 0);
  EXPECT_GE(gauge.waited, 20'000'000) << "what next() makes itself is waited for";
  EXPECT_EQ(alone.gauge().waited, 0) << "since the last look";
  auto ahead = options(4, 2);
  ahead.prefetch = 3;
  Loader loader(100, make, ahead);
  loader.next();
  for (int i = 0; i < 400 && loader.gauge().ready < 6; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  gauge = loader.gauge();
  EXPECT_EQ(gauge.ready, 6);
  EXPECT_EQ(gauge.capacity, 6);
  loader.next();
  EXPECT_LT(loader.gauge().waited, 15'000'000) << "it stood ready";
}

// What torch.utils.data.DistributedSampler does after set_epoch(epoch), written out.
TEST(Loader, RanksShareAnEpochAsPyTorchsDistributedSamplerSays) {
  for (std::int64_t ranks = 1; ranks <= 8; ++ranks)
    for (const std::int64_t count : {1, 3, 7, 8, 16, 50, 103})
      for (const bool dropLast : {false, true}) {
        auto padded = epochOrder(count, 5, 2, true);
        const auto each = dropLast ? count / ranks : (count + ranks - 1) / ranks;
        for (std::size_t i = 0; static_cast<std::int64_t>(padded.size()) < each * ranks; ++i)
          padded.push_back(padded[i % static_cast<std::size_t>(count)]);
        padded.resize(static_cast<std::size_t>(each * ranks));
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          std::vector<std::int64_t> expected;
          for (auto i = rank; i < each * ranks; i += ranks) expected.push_back(padded[static_cast<std::size_t>(i)]);
          const Shard shard{rank, ranks, dropLast};
          EXPECT_EQ(shardCount(count, shard), each);
          EXPECT_EQ(shardOrder(epochOrder(count, 5, 2, true), shard), expected) << count << " over " << ranks << ", " << rank;
        }
      }
  std::multiset<std::int64_t> seen;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    auto shared = options(8, 1);
    shared.shard = {rank, 4, false};
    Loader loader(103, indexBatch, shared);
    EXPECT_EQ(loader.batches(), 4) << "26 samples";
    const auto own = take(loader, 4);
    seen.insert(own.begin(), own.end());
  }
  EXPECT_EQ(seen.size(), 104U) << "one sample twice, so that all ranks have as many";
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), 103U);
}

TEST(Loader, BucketsHoldSimilarLengthsAndEverySampleOnce) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 1003; ++i) lengths.push_back(5 + i * 7919 % 120);
  const auto waste = [&](const std::vector<std::int64_t>& order) {
    std::int64_t filled = 0;
    for (std::size_t at = 0; at < order.size(); at += 16) {
      const auto end = std::min(order.size(), at + 16);
      std::int64_t longest = 0, sum = 0;
      for (std::size_t i = at; i < end; ++i) {
        longest = std::max(longest, lengths[static_cast<std::size_t>(order[i])]);
        sum += lengths[static_cast<std::size_t>(order[i])];
      }
      filled += longest * static_cast<std::int64_t>(end - at) - sum;
    }
    return filled;
  };
  const auto first = bucketOrder(lengths, 16, 3, 0, true);
  EXPECT_EQ(first, bucketOrder(lengths, 16, 3, 0, true));
  EXPECT_NE(first, bucketOrder(lengths, 16, 3, 1, true));
  EXPECT_EQ(std::set<std::int64_t>(first.begin(), first.end()).size(), 1003U);
  EXPECT_EQ(first.size(), 1003U);
  EXPECT_LT(waste(first) * 5, waste(epochOrder(1003, 3, 0, true)));
  std::int64_t rising = 0;
  for (std::size_t at = 16; at + 16 <= first.size(); at += 16)
    rising += lengths[static_cast<std::size_t>(first[at])] >= lengths[static_cast<std::size_t>(first[at - 16])] ? 1 : 0;
  EXPECT_TRUE(rising > 15 && rising < 47) << rising << " of 61: batches come in no order of length";
  EXPECT_TRUE(bucketOrder({}, 16, 3, 0, true).empty());
  // As the script of the run does it: randperm twice from one generator, and a stable sort between.
  auto generator = at::make_generator<at::CPUGeneratorImpl>(std::uint64_t{3});
  const auto permutation = [&](std::int64_t count) {
    const auto order = at::randperm(count, generator, at::TensorOptions().dtype(at::kLong));
    return std::vector<std::int64_t>(order.const_data_ptr<std::int64_t>(), order.const_data_ptr<std::int64_t>() + count);
  };
  auto sorted = permutation(1003);
  for (const auto& [from, to] : {std::pair{0, 800}, std::pair{800, 1003}})
    std::stable_sort(sorted.begin() + from, sorted.begin() + to, [&](auto a, auto b) {
      return lengths[static_cast<std::size_t>(a)] < lengths[static_cast<std::size_t>(b)];
    });
  std::vector<std::int64_t> expected;
  for (const auto number : permutation(62))
    expected.insert(expected.end(), sorted.begin() + number * 16, sorted.begin() + (number + 1) * 16);
  expected.insert(expected.end(), sorted.begin() + 62 * 16, sorted.end());
  EXPECT_EQ(first, expected);
  auto bucketed = options(16, 2);
  bucketed.seed = 3;
  bucketed.lengths = lengths;
  Loader loader(1003, indexBatch, bucketed);
  EXPECT_EQ(take(loader, 63), first);
}

}  // namespace atelier::engine
