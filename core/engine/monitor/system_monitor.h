// SystemMonitor: samples CPU and memory of a process tree ten times a second on its own thread, from construction to
// destruction.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/wire/run_event.h"

namespace atelier::engine {

class SystemMonitor {
 public:
  using Sink = std::function<void(const wire::SystemSampled&)>;
  // `process`: the tree's root; 0: this process.
  explicit SystemMonitor(Sink sink, int process = 0);
  ~SystemMonitor();
  std::int64_t peakRss() const { return m_peakRss; }

 private:
  void watch();

  Sink m_sink;
  int m_process;
  std::atomic<std::int64_t> m_peakRss{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_stop = false;
  std::thread m_thread;
};

}  // namespace atelier::engine
