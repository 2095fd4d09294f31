#include "loader.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <c10/util/Exception.h>

#include "data_error.h"

namespace atelier::engine {
namespace {

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::int64_t batchesPerEpoch(std::int64_t count, std::int64_t batch, bool dropLast) {
  return dropLast ? count / batch : (count + batch - 1) / batch;
}

Loader::Loader(std::int64_t count, Make make, LoaderOptions options)
    : m_total(count),
      m_make(std::move(make)),
      m_options(std::move(options)),
      m_count(shardCount(count, m_options.shard)),
      m_batches(batchesPerEpoch(m_count, m_options.batch, m_options.drop_last)),
      m_ahead(m_options.workers * std::max<std::int64_t>(1, m_options.prefetch)) {
  TORCH_CHECK_VALUE(m_batches > 0, "a data set of ", m_count, " samples has no batch of ", m_options.batch);
  for (std::int64_t i = 0; i <= m_options.workers; ++i) m_watches.push_back(std::make_unique<SampleWatch>());
  try {
    for (std::int64_t i = 0; i < m_options.workers; ++i) m_threads.emplace_back([this, i] { work(i); });
  } catch (...) {  // the system gives no more threads; the destructor won't run
    stop();
    throw;
  }
}

Loader::~Loader() {
  stop();
}

void Loader::stop() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_changed.notify_all();
  for (auto& thread : m_threads) thread.join();
  m_threads.clear();
}

Loader::Order Loader::newOrder(std::int64_t epoch) const {
  const auto& o = m_options;
  return shardOrder(o.lengths.empty() ? epochOrder(m_total, o.seed, epoch, o.shuffle)
                                      : bucketOrder(o.lengths, o.batch * o.shard.ranks, o.seed, epoch, o.shuffle),
                    o.shard);
}

std::shared_ptr<const Loader::Order> Loader::orderOf(std::int64_t epoch) {
  {
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_orders.find(epoch); found != m_orders.end()) return found->second;
  }
  auto order = std::make_shared<const Order>(newOrder(epoch));
  const std::lock_guard lock(m_mutex);
  m_orders.erase(m_orders.begin(), m_orders.lower_bound(m_taken / m_batches));
  return m_orders.try_emplace(epoch, std::move(order)).first->second;
}

void Loader::setMade(Made made) {
  const std::lock_guard lock(m_mutex);
  m_made = made ? std::make_shared<const Made>(std::move(made)) : nullptr;
}

Batch Loader::makeNumber(std::int64_t number, std::int64_t worker) {
  const auto epoch = number / m_batches;
  const auto order = orderOf(epoch);
  const auto first = number % m_batches * m_options.batch;
  std::shared_ptr<const Made> made;
  {
    const std::lock_guard lock(m_mutex);
    made = m_made;
  }
  auto& watch = worker < 0 ? *m_watches.back() : *m_watches[static_cast<std::size_t>(worker)];
  const auto begin = made ? now() : 0;
  auto batch = m_make({order->data() + first, std::min(m_options.batch, m_count - first), epoch, watch});
  if (made) (*made)(worker, begin, now());
  return batch;
}

Loader::Slot Loader::tryMake(std::int64_t number, std::int64_t worker) {
  Slot slot;
  try {
    slot.batch = makeNumber(number, worker);
  } catch (...) {
    slot.error = std::current_exception();
  }
  auto& watch = worker < 0 ? *m_watches.back() : *m_watches[static_cast<std::size_t>(worker)];
  watch.end();
  const auto slowest = watch.takeSlowest();
  if (static_cast<double>(slowest.nanoseconds) * 1e-9 > m_options.slow_seconds) {
    const std::lock_guard lock(m_mutex);
    m_slow.push_back(slowest);
  }
  return slot;
}

void Loader::work(std::int64_t worker) {
  try {
    if (m_options.on_worker_start) m_options.on_worker_start();
  } catch (...) {
    const std::lock_guard lock(m_mutex);
    m_unable = std::current_exception();
    m_changed.notify_all();
    return;
  }
  while (true) {
    std::int64_t number = 0, course = 0;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [&] { return m_stop || m_claimed < m_taken + m_ahead; });
      if (m_stop) return;
      number = m_claimed++;
      course = m_course;
      m_making[number] = worker;
    }
    auto slot = tryMake(number, worker);
    {
      const std::lock_guard lock(m_mutex);
      if (course == m_course) {
        m_making.erase(number);
        m_ready.emplace(number, std::move(slot));
      }
    }
    m_changed.notify_all();
  }
}

void Loader::noteSlow(const SlowSample& sample) {
  if (sample.index < 0 || static_cast<double>(sample.nanoseconds) * 1e-9 <= m_options.slow_seconds) return;
  if (m_told.size() < kMostSlow && m_told.insert(sample.index).second && m_options.on_slow) m_options.on_slow(sample);
}

// The batch that is waited for is under way: which of its samples keeps it?
void Loader::noteStuck(std::int64_t number) {
  SlowSample current;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_making.find(number);
    if (found == m_making.end()) return;
    current = m_watches[static_cast<std::size_t>(found->second)]->current();
  }
  noteSlow(current);
}

Loader::Slot Loader::await(std::int64_t number) {
  const auto patience = std::chrono::duration<double>(std::max(0.01, m_options.slow_seconds / 4));
  std::unique_lock lock(m_mutex);
  while (!m_changed.wait_for(lock, patience, [&] { return m_ready.contains(number) || m_unable; })) {
    lock.unlock();
    noteStuck(number);
    lock.lock();
  }
  Slot slot;
  if (const auto found = m_ready.find(number); found != m_ready.end()) {
    slot = std::move(found->second);
    m_ready.erase(found);
  } else {
    slot.error = m_unable;
  }
  ++m_taken;
  lock.unlock();
  m_changed.notify_all();
  return slot;
}

Batch Loader::next() {
  const auto number = m_position, begin = now();
  Slot slot;
  if (m_threads.empty()) {
    slot = tryMake(number, -1);
    const std::lock_guard lock(m_mutex);
    ++m_taken;
  } else {
    slot = await(number);
  }
  m_waited += now() - begin;
  place(number + 1);
  std::vector<SlowSample> slow;
  {
    const std::lock_guard lock(m_mutex);
    slow = std::exchange(m_slow, {});
  }
  for (const auto& sample : slow) noteSlow(sample);
  return opened(std::move(slot));
}

// `number` batches have been taken.
void Loader::place(std::int64_t number) {
  m_position = number;
  m_epoch = number > 0 ? (number - 1) / m_batches : 0;
  m_ended = number > 0 && number % m_batches == 0;
}

Batch Loader::opened(Slot slot) {
  if (slot.error) {
    try {
      std::rethrow_exception(slot.error);
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const DataError&) {
      throw;
    } catch (const std::exception& problem) {
      TORCH_CHECK(false, "batch ", (m_position - 1) % m_batches, " of epoch ", m_epoch, ": ", problem.what());
    }
  }
  return m_options.deliver ? m_options.deliver(std::move(slot.batch)) : std::move(slot.batch);
}

void Loader::seek(std::int64_t number) {
  TORCH_CHECK_VALUE(number >= 0, "a loader has no batch ", number);
  {
    const std::lock_guard lock(m_mutex);
    m_taken = m_claimed = number;
    m_ready.clear();
    m_making.clear();
    m_orders.clear();
    ++m_course;
  }
  place(number);
  m_changed.notify_all();
}

LoaderGauge Loader::gauge() {
  const std::lock_guard lock(m_mutex);
  return {static_cast<std::int64_t>(m_ready.size()), m_ahead, std::exchange(m_waited, 0)};
}

}  // namespace atelier::engine
