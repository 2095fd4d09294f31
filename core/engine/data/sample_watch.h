// SampleWatch: which sample a thread is making, and since when, for whoever waits for it; and the one that took longest.
// begin() and end() from the making thread, current() from any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace atelier::engine {

struct SlowSample {
  std::int64_t index = -1;  // −1: none
  std::int64_t nanoseconds = 0;
};

class SampleWatch {
 public:
  // The thread turns to this sample, and has done the one before.
  void begin(std::int64_t index) {
    const auto at = now();
    close(at);
    m_since = at;
    m_index = index;
  }
  void end() { close(now()); }

  // The sample under way and how long it has taken so far.
  SlowSample current() const {
    const auto index = m_index.load();
    return index < 0 ? SlowSample{} : SlowSample{index, now() - m_since.load()};
  }
  // Of the samples since the last call. From the making thread.
  SlowSample takeSlowest() {
    const auto slowest = m_slowest;
    m_slowest = {};
    return slowest;
  }

 private:
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void close(std::int64_t at) {
    const auto index = m_index.exchange(-1);
    if (index >= 0 && at - m_since.load() > m_slowest.nanoseconds) m_slowest = {index, at - m_since.load()};
  }

  std::atomic<std::int64_t> m_index{-1}, m_since{0};
  SlowSample m_slowest;
};

}  // namespace atelier::engine
