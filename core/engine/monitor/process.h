// What the system says of a process tree, this one by default, and of everybody else, read from /proc. Absent files read as
// zero. Any thread.
#pragma once

#include <cstdint>

namespace atelier::engine {

// Since boot, in seconds of one core, all cores together.
struct SystemTimes {
  double busy = 0, steal = 0;  // busy: all processes' user and system time
};

SystemTimes systemTimes();

struct TreeUsage {
  double cpu_seconds = 0;      // of this process and its living descendants (and the dead ones that were waited for)
  std::int64_t rss_bytes = 0;  // resident, of this process and its living descendants
};

// Of the tree below `process`; 0: this process. Who has left it for a session of its own (setsid), and all below, is not of the
// tree: it counts as others.
TreeUsage treeUsage(int process = 0);

// CPU time of this process, to the nanosecond.
double processCpuSeconds();

// Time that the threads of `process` (0: this one) were ready to run and had no core, in seconds; 0 where the kernel does not
// say.
double runQueueWaitSeconds(int process = 0);

// Cores that this process may use: affinity, and the cgroup's quota rounded up.
int availableCores();

// Highest current frequency of the cores in MHz (an idle core clocks down by itself); 0 where unknown, as on most virtual
// machines.
double fastestCoreMegahertz();

// Milliseconds since this process was started.
double millisecondsSinceStart();

// One-minute load average.
double loadAverage();

}  // namespace atelier::engine
