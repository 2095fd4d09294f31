// In which order an epoch takes its samples. Every order depends on (seed, epoch) alone. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace atelier::engine {

// The order of `count` samples in an epoch: a permutation drawn from seed + epoch alone, the one that Python's
// torch.randperm(count, generator=torch.Generator().manual_seed(seed + epoch)) gives; so a run and its PyTorch script see
// the same batches. (PyTorch's DistributedSampler seeds its epochs in the same way.)
std::vector<std::int64_t> epochOrder(std::int64_t count, std::uint64_t seed, std::int64_t epoch, bool shuffle);

// Batches of similar lengths waste less on padding. The epoch's order is cut into pools of kBucketPool batches, each pool is
// sorted by length and cut into batches, and the whole batches are shuffled with the generator that made the order; an
// incomplete last batch stays last. As in Python: randperm twice from one generator. Without `shuffle` the batches stay sorted
// within their pools. `batch`: of all ranks together.
inline constexpr std::int64_t kBucketPool = 50;
std::vector<std::int64_t> bucketOrder(const std::vector<std::int64_t>& lengths, std::int64_t batch, std::uint64_t seed,
                                      std::int64_t epoch, bool shuffle);

// One process of several that share an epoch. `drop_last`: leave out the samples that don't divide evenly; else the order's
// first ones are taken again, so that every rank has as many.
struct Shard {
  std::int64_t rank = 0, ranks = 1;
  bool drop_last = false;
};

// Samples of one rank: as torch.utils.data.DistributedSampler counts them. REQUIRES: 0 ≤ rank < ranks.
std::int64_t shardCount(std::int64_t count, const Shard& shard);
// Every ranks-th of an order that all ranks drew alike, as DistributedSampler after set_epoch().
std::vector<std::int64_t> shardOrder(const std::vector<std::int64_t>& order, const Shard& shard);

}  // namespace atelier::engine
