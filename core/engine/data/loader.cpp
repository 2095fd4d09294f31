#include "loader.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include <c10/util/Exception.h>

namespace atelier::engine {

std::int64_t batchesPerEpoch(std::int64_t count, std::int64_t batch, bool dropLast) {
  return dropLast ? count / batch : (count + batch - 1) / batch;
}

std::vector<std::int64_t> epochOrder(std::int64_t count, std::uint64_t seed, std::int64_t epoch, bool shuffle) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (!shuffle) return order;
  // PyTorch's CPU generator is this Mersenne Twister, seeded with the low 32 bits, and its randperm is this loop up to
  // 2³² ÷ 20 samples. By hand, so that the order is no tensor in a run's memory account.
  std::mt19937 generator(static_cast<std::uint32_t>(seed + static_cast<std::uint64_t>(epoch)));
  for (std::size_t i = 0; i + 1 < order.size(); ++i) std::swap(order[i], order[i + generator() % (order.size() - i)]);
  return order;
}

Loader::Loader(std::int64_t count, Make make, LoaderOptions options)
    : m_count(count),
      m_make(std::move(make)),
      m_options(std::move(options)),
      m_batches(batchesPerEpoch(count, m_options.batch, m_options.drop_last)) {
  TORCH_CHECK_VALUE(m_batches > 0, "a data set of ", count, " samples has no batch of ", m_options.batch);
  for (std::int64_t i = 0; i < m_options.workers; ++i) m_threads.emplace_back([this, i] { work(i); });
}

Loader::~Loader() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_changed.notify_all();
  for (auto& thread : m_threads) thread.join();
}

std::shared_ptr<const std::vector<std::int64_t>> Loader::orderOf(std::int64_t epoch) {
  {
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_orders.find(epoch); found != m_orders.end()) return found->second;
  }
  auto order = std::make_shared<const std::vector<std::int64_t>>(epochOrder(m_count, m_options.seed, epoch, m_options.shuffle));
  const std::lock_guard lock(m_mutex);
  m_orders.erase(m_orders.begin(), m_orders.lower_bound(m_taken / m_batches));
  return m_orders.try_emplace(epoch, std::move(order)).first->second;
}

void Loader::setMade(Made made) {
  const std::lock_guard lock(m_mutex);
  m_made = made ? std::make_shared<const Made>(std::move(made)) : nullptr;
}

Batch Loader::makeNumber(std::int64_t number, std::int64_t worker) {
  const auto order = orderOf(number / m_batches);
  const auto first = number % m_batches * m_options.batch;
  std::shared_ptr<const Made> made;
  {
    const std::lock_guard lock(m_mutex);
    made = m_made;
  }
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
  const auto begin = made ? now() : 0;
  auto batch = m_make(order->data() + first, std::min(m_options.batch, m_count - first));
  if (made) (*made)(worker, begin, now());
  return batch;
}

void Loader::work(std::int64_t worker) {
  if (m_options.on_worker_start) m_options.on_worker_start();
  const auto ahead = std::max<std::int64_t>(1, m_options.workers * m_options.prefetch);
  while (true) {
    std::int64_t number = 0;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [&] { return m_stop || m_claimed < m_taken + ahead; });
      if (m_stop) return;
      number = m_claimed++;
    }
    Slot slot;
    try {
      slot.batch = makeNumber(number, worker);
    } catch (...) {
      slot.error = std::current_exception();
    }
    {
      const std::lock_guard lock(m_mutex);
      m_ready.emplace(number, std::move(slot));
    }
    m_changed.notify_all();
  }
}

Batch Loader::next() {
  const auto number = m_taken;
  Slot slot;
  if (m_threads.empty()) {
    try {
      slot.batch = makeNumber(number, -1);
    } catch (...) {
      slot.error = std::current_exception();
    }
    ++m_taken;
  } else {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_ready.contains(number); });
    slot = std::move(m_ready.at(number));
    m_ready.erase(number);
    ++m_taken;
    lock.unlock();
    m_changed.notify_all();
  }
  m_epoch = number / m_batches;
  m_ended = number % m_batches == m_batches - 1;
  if (slot.error) {
    try {
      std::rethrow_exception(slot.error);
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const std::exception& problem) {
      TORCH_CHECK(false, "batch ", number % m_batches, " of epoch ", m_epoch, ": ", problem.what());
    }
  }
  return std::move(slot.batch);
}

}  // namespace atelier::engine
