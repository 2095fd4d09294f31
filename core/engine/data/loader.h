// Loader: batches of a data set in an order that depends on (seed, epoch) only, made ahead by worker threads that live as long
// as it does. Any number of workers gives the same batches. An exception in a worker reaches next() with the batch's number,
// never a hang; a sample that takes long is told while it does.
// Memory in flight is at most workers × prefetch batches. next(), seek() and gauge() from one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "dataset.h"
#include "order.h"
#include "sample_watch.h"

namespace atelier::engine {

struct LoaderOptions {
  std::int64_t batch = 128, workers = 0, prefetch = 2;
  bool drop_last = false, shuffle = true;
  std::uint64_t seed = 0;
  // Runs first in each worker thread. What it throws is thrown by next(), as what a batch throws is.
  std::function<void()> on_worker_start{};
  Shard shard{};
  // Tokens of each sample, for batches of similar lengths (bucketOrder); empty: as they come.
  std::vector<std::int64_t> lengths{};
  // Takes each batch in next() on its way to the device; empty: as it is.
  std::function<Batch(Batch)> deliver{};
  // Told in next() of a sample that takes longer than `slow_seconds`: once each, of kMostSlow at most.
  std::function<void(const SlowSample&)> on_slow{};
  double slow_seconds = 5;
};

// How well workers keep up.
struct LoaderGauge {
  std::int64_t ready = 0, capacity = 0;  // batches made ahead, and how many there may be; 0 without workers
  std::int64_t waited = 0;               // nanoseconds that next() took since the last look
};

// ⌈count ÷ batch⌉, or ⌊count ÷ batch⌋ with drop_last.
std::int64_t batchesPerEpoch(std::int64_t count, std::int64_t batch, bool dropLast);

class Loader {
 public:
  static constexpr std::size_t kMostSlow = 8;

  // What a batch is made of; the watch is told of each sample.
  struct Request {
    const std::int64_t* indices = nullptr;
    std::int64_t count = 0, epoch = 0;
    SampleWatch& watch;
  };
  using Make = std::function<Batch(const Request& request)>;
  // `make` is called from worker threads at once (workers > 0) or from next(). `count`: samples of all ranks together.
  Loader(std::int64_t count, Make make, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Told of each batch made: by which worker (−1: next() itself) and when, in the steady clock's nanoseconds.
  using Made = std::function<void(std::int64_t worker, std::int64_t begin, std::int64_t end)>;
  void setMade(Made made);

  // The next batch, going on to the next epoch by itself. Rethrows what a worker threw: a c10::Error with its batch named, a
  // DataError (which names its sample) and an out-of-memory as they are.
  Batch next();
  // Goes to the batch of this number, counted from the first epoch's first: a run goes on where it was.
  void seek(std::int64_t number);
  // Batches that were taken.
  std::int64_t position() const { return m_position; }
  // Epoch that the last batch belongs to, and whether it was the epoch's last.
  std::int64_t epoch() const { return m_epoch; }
  bool epochEnded() const { return m_ended; }
  std::int64_t batches() const { return m_batches; }
  LoaderGauge gauge();

 private:
  using Order = std::vector<std::int64_t>;
  struct Slot {
    Batch batch;
    std::exception_ptr error;
  };
  Batch makeNumber(std::int64_t number, std::int64_t worker);
  Slot tryMake(std::int64_t number, std::int64_t worker);
  Slot await(std::int64_t number);
  Batch opened(Slot slot);
  std::shared_ptr<const Order> orderOf(std::int64_t epoch);
  Order newOrder(std::int64_t epoch) const;
  void work(std::int64_t worker);
  void stop();
  void noteSlow(const SlowSample& sample);
  void noteStuck(std::int64_t number);
  void place(std::int64_t number);

  const std::int64_t m_total;  // samples of all ranks
  const Make m_make;
  const LoaderOptions m_options;
  const std::int64_t m_count, m_batches, m_ahead;
  std::int64_t m_epoch = 0, m_position = 0, m_waited = 0;
  bool m_ended = false;
  std::set<std::int64_t> m_told;  // slow samples

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::map<std::int64_t, Slot> m_ready;  // by batch number since the start
  std::map<std::int64_t, std::shared_ptr<const Order>> m_orders;
  std::int64_t m_taken = 0, m_claimed = 0;
  std::int64_t m_course = 0;  // how often seek() was called: what was claimed before is not wanted
  std::map<std::int64_t, std::int64_t> m_making;  // batch → worker
  std::vector<SlowSample> m_slow;                 // to be told
  bool m_stop = false;
  std::exception_ptr m_unable;  // a worker could not begin
  std::shared_ptr<const Made> m_made;
  std::vector<std::unique_ptr<SampleWatch>> m_watches;  // of each worker; the last is next()'s own
  std::vector<std::thread> m_threads;
};

}  // namespace atelier::engine
