#include "system_monitor.h"

#include <algorithm>
#include <chrono>

#include "process.h"

namespace atelier::engine {

SystemMonitor::SystemMonitor(Sink sink, int process)
    : m_sink(std::move(sink)), m_process(process), m_thread([this] { watch(); }) {}

SystemMonitor::~SystemMonitor() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

void SystemMonitor::watch() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPeriod = std::chrono::milliseconds(90);
  const double cores = availableCores();
  auto system = systemTimes();
  auto tree = treeUsage(m_process);
  auto at = Clock::now();
  std::unique_lock lock(m_mutex);
  while (!m_changed.wait_for(lock, kPeriod, [&] { return m_stop; })) {
    const auto now = Clock::now();
    const auto systemNow = systemTimes();
    const auto treeNow = treeUsage(m_process);
    const double core = std::chrono::duration<double>(now - at).count() * cores / 100;
    const double ours = std::max(0.0, treeNow.cpu_seconds - tree.cpu_seconds),
                 busy = std::max(0.0, systemNow.busy - system.busy);
    m_peakRss = std::max<std::int64_t>(m_peakRss, treeNow.rss_bytes);
    // A hundredth of a second is /proc's tick: shares may overshoot by one tick.
    m_sink({std::min(100.0, ours / core), std::clamp((busy - ours) / core, 0.0, 100.0),
            std::clamp((systemNow.steal - system.steal) / core, 0.0, 100.0), treeNow.rss_bytes});
    system = systemNow;
    tree = treeNow;
    at = now;
  }
}

}  // namespace atelier::engine
