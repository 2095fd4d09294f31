// Contention: whether a stretch of time was disturbed from outside, so that its figures say more about the neighbours than
// about the run. Looks at steal time, other processes' CPU time, our threads' waits for a core, and clock changes.
// begin() and end() from one thread.
#pragma once

#include <string>

#include "process.h"

namespace atelier::engine {

struct ContentionReading {
  double seconds = 0, steal = 0, others = 0, waiting = 0;  // steal, others: seconds of one core; waiting: of our threads
  double clock_change = 0;                                 // share by which the core's clock moved
};

// The catalog id of the gravest disturbance, or "" for an undisturbed stretch. Short stretches are judged by waits alone:
// /proc/stat counts in hundredths of a second.
std::string disturbance(const ContentionReading& reading, int cores);

class Contention {
 public:
  void begin();
  ContentionReading end();

 private:
  SystemTimes m_system;
  double m_cpu = 0, m_waiting = 0, m_clock = 0, m_at = 0;
};

}  // namespace atelier::engine
