#include "contention.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace atelier::engine {
namespace {

constexpr double kShare = 0.05;  // of a block's core time taken by others
constexpr double kTick = 0.01;   // resolution of /proc/stat, seconds
constexpr double kClockShare = 0.10;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string disturbance(const ContentionReading& r, int cores) {
  const double share = kShare * r.seconds * cores;
  const double waiting = r.own_threads_fit ? r.waiting : std::min(r.waiting, r.others + r.steal);
  if (r.steal > std::max(share, 2 * kTick)) return "busy.steal";
  if (waiting > share && (r.own_threads_fit || waiting > 4 * kTick)) return "busy.waiting";
  // Idle cores may serve others without harm: their time counts once it no longer fits beside ours.
  if (r.others > std::max(share, 4 * kTick) && waiting > 0.25 * share) return "busy.others";
  if (r.clock_change > kClockShare) return "busy.clock";
  return "";
}

void Contention::begin() {
  m_system = systemTimes();
  m_cpu = processCpuSeconds();
  m_waiting = runQueueWaitSeconds();
  m_clock = fastestCoreMegahertz();
  m_at = now();
}

ContentionReading Contention::end() {
  const auto system = systemTimes();
  const double clock = fastestCoreMegahertz();
  ContentionReading reading;
  reading.seconds = now() - m_at;
  reading.own_threads_fit = m_fit;
  reading.steal = std::max(0.0, system.steal - m_system.steal);
  reading.others = std::max(0.0, system.busy - m_system.busy - (processCpuSeconds() - m_cpu));
  // Threads that ended meanwhile take their waits with them.
  reading.waiting = std::max(0.0, runQueueWaitSeconds() - m_waiting);
  if (m_clock > 0) reading.clock_change = std::fabs(clock - m_clock) / m_clock;
  return reading;
}

}  // namespace atelier::engine
