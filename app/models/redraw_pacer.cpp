#include "redraw_pacer.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace atelier::app {
namespace {

double secondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

int RedrawPacer::next() {
  const double cpu = secondsOf(CLOCK_PROCESS_CPUTIME_ID), wall = secondsOf(CLOCK_MONOTONIC);
  const double spent = cpu - m_cpu, elapsed = wall - m_wall;
  const bool first = m_cpu < 0;
  m_cpu = cpu;
  m_wall = wall;
  return first ? static_cast<int>(std::lround(m_interval * 1000)) : next(spent, elapsed);
}

// Not all at once, so that one costly look (a change of size) doesn't leave the next ones out.
int RedrawPacer::next(double spent, double elapsed) {
  const double allowed = kShare * m_cores;  // seconds a second
  if (elapsed > 0) {
    const double wanted = m_interval * (spent / elapsed) / allowed;
    m_interval = std::clamp(0.7 * m_interval + 0.3 * wanted, kShortest / 1000.0, kLongest / 1000.0);
  }
  return static_cast<int>(std::lround(m_interval * 1000));
}

void RedrawPacer::reset() {
  m_interval = 0.25;
  m_cpu = -1;
}

}  // namespace atelier::app
