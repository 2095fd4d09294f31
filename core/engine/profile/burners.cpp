#include "burners.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <c10/util/Exception.h>

namespace atelier::engine {
namespace {

// What burns has no standard input, as all that a shell runs in the background; the shell itself waits for the pipe's end.
constexpr const char* kBurn = "while :; do :; done & read -r end; kill -9 $!; wait";
constexpr const char* kName = "atelier-burner";  // as the system's list of processes shows it

// How a burner begins: in a session of its own, with the signals of a fresh program, silent.
class Beginning {
 public:
  explicit Beginning(int input) {
    posix_spawnattr_init(&m_attributes);
    posix_spawn_file_actions_init(&m_files);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&m_attributes, &none);
    posix_spawnattr_setsigdefault(&m_attributes, &all);
    posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&m_files, input, STDIN_FILENO);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&m_files, output, "/dev/null", O_WRONLY, 0);
  }
  ~Beginning() {
    posix_spawn_file_actions_destroy(&m_files);
    posix_spawnattr_destroy(&m_attributes);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  // 0, or an errno.
  int spawn(pid_t& process) const {
    char* const words[] = {const_cast<char*>(kName), const_cast<char*>("-c"), const_cast<char*>(kBurn), nullptr};
    char* const environment[] = {nullptr};
    return posix_spawn(&process, "/bin/sh", &m_files, &m_attributes, words, environment);
  }

 private:
  posix_spawnattr_t m_attributes{};
  posix_spawn_file_actions_t m_files{};
};

}  // namespace

Burners::Burners(int count) {
  int ends[2];
  // Closed in every program that is started: only this process keeps the burners alive.
  TORCH_CHECK(pipe2(ends, O_CLOEXEC) == 0, "a pipe can't be made: ", std::strerror(errno));
  m_alive = ends[1];
  int problem = 0;
  {
    const Beginning beginning(ends[0]);
    for (int i = 0; i < count && problem == 0; ++i) {
      pid_t process = 0;
      problem = beginning.spawn(process);
      if (problem == 0) m_processes.push_back(process);
    }
  }
  close(ends[0]);
  if (problem == 0) return;
  stop();
  TORCH_CHECK(false, "/bin/sh can't be started: ", std::strerror(problem));
}

Burners::~Burners() {
  stop();
}

void Burners::stop() {
  for (const auto process : m_processes) kill(-process, SIGKILL);
  close(m_alive);
  for (const auto process : m_processes)
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {}
  m_processes.clear();
}

}  // namespace atelier::engine
