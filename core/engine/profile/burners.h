// Burners: while one lives, other programs keep cores busy: shells in sessions of their own, so that whoever looks at this
// process's tree counts them among the others (see monitor/process.h). They end with this object, and with this process however
// that ends: each waits for the end of a pipe that nobody else holds.
// Thread: one.
#pragma once

#include <vector>

#include <sys/types.h>

namespace atelier::engine {

class Burners {
 public:
  // Throws c10::Error when a process can't be started.
  explicit Burners(int count);
  ~Burners();
  Burners(const Burners&) = delete;
  Burners& operator=(const Burners&) = delete;

  // Their shells, each the leader of its session.
  const std::vector<pid_t>& processes() const { return m_processes; }

 private:
  void stop();

  std::vector<pid_t> m_processes;
  int m_alive = -1;  // the pipe's end that is held here
};

}  // namespace atelier::engine
