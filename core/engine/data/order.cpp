#include "order.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace atelier::engine {
namespace {

// PyTorch's CPU generator is this Mersenne Twister, seeded with the low 32 bits, and its randperm is this loop up to
// 2³² ÷ 20 samples. By hand, so that the order is no tensor in a run's memory account.
std::mt19937 generatorOf(std::uint64_t seed, std::int64_t epoch) {
  return std::mt19937(static_cast<std::uint32_t>(seed + static_cast<std::uint64_t>(epoch)));
}

std::vector<std::int64_t> permutation(std::int64_t count, std::mt19937& generator, bool shuffle) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (shuffle)
    for (std::size_t i = 0; i + 1 < order.size(); ++i) std::swap(order[i], order[i + generator() % (order.size() - i)]);
  return order;
}

}  // namespace

std::vector<std::int64_t> epochOrder(std::int64_t count, std::uint64_t seed, std::int64_t epoch, bool shuffle) {
  auto generator = generatorOf(seed, epoch);
  return permutation(count, generator, shuffle);
}

std::vector<std::int64_t> bucketOrder(const std::vector<std::int64_t>& lengths, std::int64_t batch, std::uint64_t seed,
                                      std::int64_t epoch, bool shuffle) {
  auto generator = generatorOf(seed, epoch);
  const auto count = static_cast<std::int64_t>(lengths.size());
  auto order = permutation(count, generator, shuffle);
  for (std::int64_t at = 0; at < count; at += kBucketPool * batch)
    std::stable_sort(order.begin() + at, order.begin() + std::min(count, at + kBucketPool * batch),
                     [&](std::int64_t a, std::int64_t b) {
                       return lengths[static_cast<std::size_t>(a)] < lengths[static_cast<std::size_t>(b)];
                     });
  std::vector<std::int64_t> result;
  result.reserve(order.size());
  const auto whole = count / batch;
  for (const auto number : permutation(whole, generator, shuffle))
    result.insert(result.end(), order.begin() + number * batch, order.begin() + (number + 1) * batch);
  result.insert(result.end(), order.begin() + whole * batch, order.end());
  return result;
}

std::int64_t shardCount(std::int64_t count, const Shard& shard) {
  return shard.drop_last ? count / shard.ranks : (count + shard.ranks - 1) / shard.ranks;
}

std::vector<std::int64_t> shardOrder(const std::vector<std::int64_t>& order, const Shard& shard) {
  if (shard.ranks == 1) return order;
  std::vector<std::int64_t> own;
  if (order.empty()) return own;
  const auto each = shardCount(static_cast<std::int64_t>(order.size()), shard);
  own.reserve(static_cast<std::size_t>(each));
  for (std::int64_t i = 0; i < each; ++i)
    own.push_back(order[static_cast<std::size_t>(shard.rank + i * shard.ranks) % order.size()]);
  return own;
}

}  // namespace atelier::engine
