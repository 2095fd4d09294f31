// Contention: whether a stretch of time was disturbed from outside, so that its figures say more about the neighbours than
// about the run. Looks at steal time, other processes' CPU time, our threads' waits for a core, and clock changes.
// begin() and end() from one thread.
#pragma once

#include <string>

#include "process.h"

namespace atelier::engine {

struct ContentionReading {
  double seconds = 0, steal = 0, others = 0, waiting = 0;  // steal, others: seconds of one core; waiting: of our threads
  double clock_change = 0;                                 // share by which the fastest core's clock moved
  bool own_threads_fit = true;                             // no more threads of ours than cores: waits are others' doing
};

// The catalog id of the gravest disturbance, or "" for an undisturbed stretch. Waits count as far as others can have caused
// them: more threads than cores wait for one another, which is the run's own affair.
std::string disturbance(const ContentionReading& reading, int cores);

class Contention {
 public:
  // `threads`: threads of ours that want a core at once.
  Contention(int threads, int cores) : m_fit(threads <= cores) {}
  void begin();
  ContentionReading end();

 private:
  bool m_fit;
  SystemTimes m_system;
  double m_cpu = 0, m_waiting = 0, m_clock = 0, m_at = 0;
};

}  // namespace atelier::engine
