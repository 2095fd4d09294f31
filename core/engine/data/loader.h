// Loader: batches of a data set in an order that depends on (seed, epoch) only, made ahead by worker threads. Any number of
// workers gives the same batches. An exception in a worker reaches next() with the batch's number, never a hang.
// Memory in flight is at most workers × prefetch batches. next() from one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dataset.h"

namespace atelier::engine {

struct LoaderOptions {
  std::int64_t batch = 128, workers = 0, prefetch = 2;
  bool drop_last = false, shuffle = true;
  std::uint64_t seed = 0;
  std::function<void()> on_worker_start;  // runs first in each worker thread
};

// ⌈count ÷ batch⌉, or ⌊count ÷ batch⌋ with drop_last.
std::int64_t batchesPerEpoch(std::int64_t count, std::int64_t batch, bool dropLast);

// The order of `count` samples in an epoch: a permutation drawn from seed + epoch alone, the one that Python's
// torch.randperm(count, generator=torch.Generator().manual_seed(seed + epoch)) gives; so a run and its PyTorch script see
// the same batches. (PyTorch's DistributedSampler seeds its epochs in the same way.)
std::vector<std::int64_t> epochOrder(std::int64_t count, std::uint64_t seed, std::int64_t epoch, bool shuffle);

class Loader {
 public:
  using Make = std::function<Batch(const std::int64_t* indices, std::int64_t count)>;
  // `make` is called from worker threads at once (workers > 0) or from next().
  Loader(std::int64_t count, Make make, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Told of each batch made: by which worker (−1: next() itself) and when, in the steady clock's nanoseconds.
  using Made = std::function<void(std::int64_t worker, std::int64_t begin, std::int64_t end)>;
  void setMade(Made made);

  // The next batch, going on to the next epoch by itself. Rethrows what a worker threw, its batch named.
  Batch next();
  // Epoch that the last batch belongs to, and whether it was the epoch's last.
  std::int64_t epoch() const { return m_epoch; }
  bool epochEnded() const { return m_ended; }
  std::int64_t batches() const { return m_batches; }

 private:
  struct Slot {
    Batch batch;
    std::exception_ptr error;
  };
  Batch makeNumber(std::int64_t number, std::int64_t worker);
  std::shared_ptr<const std::vector<std::int64_t>> orderOf(std::int64_t epoch);
  void work(std::int64_t worker);

  const std::int64_t m_count;
  const Make m_make;
  const LoaderOptions m_options;
  const std::int64_t m_batches;
  std::int64_t m_epoch = 0;
  bool m_ended = false;

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::map<std::int64_t, Slot> m_ready;  // by batch number since the start
  std::map<std::int64_t, std::shared_ptr<const std::vector<std::int64_t>>> m_orders;
  std::int64_t m_taken = 0, m_claimed = 0;
  bool m_stop = false;
  std::shared_ptr<const Made> m_made;
  std::vector<std::thread> m_threads;
};

}  // namespace atelier::engine
