#include "child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atelier::worker {
namespace {

using registry::Descriptor;
constexpr std::size_t kLongestLine = 1 << 20, kErrors = 8 << 10;
constexpr auto kLinger = std::chrono::seconds(1);  // for output that is still in the pipes after the program's end

struct Pipe {
  Descriptor in, out;
};

// Not valid when it failed (errno says why).
Pipe makePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  return {Descriptor(ends[1]), Descriptor(ends[0])};
}

wire::Error notStarted(const std::string& program, int error) {
  return {wire::ExitCode::Failed, {"script.no_start", {{"program", program}, {"reason", std::strerror(error)}}}};
}

// In the forked child, where only what is safe in a signal handler may be called. Does not return; an errno goes to `told`.
[[noreturn]] void becomeProgram(char* const* words, int nothing, int out, int err, int told, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before it could be watched
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(words[0], words);
  const int problem = errno;
  [[maybe_unused]] const auto written = ::write(told, &problem, sizeof problem);
  _exit(127);
}

// Reads once, what is there; false at the end.
bool readSome(int descriptor, std::string& text) {
  char bytes[16384];
  const auto count = ::read(descriptor, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

wire::Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  auto out = makePipe(), err = makePipe(), told = makePipe();
  const auto nothing = registry::openFile("/dev/null", O_RDONLY);
  if (!out.in || !err.in || !told.in || !nothing) return notStarted(words.front(), errno);
  const auto parent = getpid();
  const auto child = fork();
  if (child < 0) return notStarted(words.front(), errno);
  if (child == 0) becomeProgram(arguments.data(), nothing.get(), out.in.get(), err.in.get(), told.in.get(), parent);
  setpgid(child, child);  // here too: whoever comes first
  told.in = Descriptor();
  std::unique_ptr<ChildProcess> process(new ChildProcess(child, std::move(out.out), std::move(err.out)));
  int problem = 0;
  ssize_t count = -1;
  do count = ::read(told.out.get(), &problem, sizeof problem);
  while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof problem)) return notStarted(words.front(), problem);
  return wire::Result<std::unique_ptr<ChildProcess>>(std::move(process));
}

ChildProcess::~ChildProcess() {
  if (m_reaped) return;
  signal(SIGKILL);
  int status = 0;
  while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) {}
}

void ChildProcess::signal(int number) const {
  if (!m_reaped) kill(-m_process, number);
}

bool ChildProcess::ended() {
  if (m_reaped) return true;
  siginfo_t information{};
  // Without taking it away yet: the group's number stays ours until its members are killed.
  if (waitid(P_PID, static_cast<id_t>(m_process), &information, WEXITED | WNOHANG | WNOWAIT) != 0 || information.si_pid == 0)
    return false;
  signal(SIGKILL);
  int status = 0;
  while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) {}
  m_exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  m_reaped = true;
  m_end = std::chrono::steady_clock::now();
  return true;
}

void ChildProcess::takeOutput(const Line& line) {
  const auto before = m_line.size();
  if (!readSome(m_out.get(), m_line)) m_out = Descriptor();
  std::size_t at = 0, searched = before;
  for (auto end = m_line.find('\n', searched); end != std::string::npos; end = m_line.find('\n', searched)) {
    if (end - at <= kLongestLine) line(m_line.substr(at, end - at));
    at = searched = end + 1;
  }
  m_line.erase(0, at);
  if (m_line.size() > kLongestLine) m_line.erase(1);  // its rest will not be JSON
}

void ChildProcess::takeErrors() {
  if (!readSome(m_err.get(), m_errors)) m_err = Descriptor();
  if (m_errors.size() > kErrors) m_errors.erase(0, m_errors.size() - kErrors);
}

bool ChildProcess::read(int milliseconds, const Line& line) {
  const bool over = ended();
  pollfd waits[2] = {{m_out ? m_out.get() : -1, POLLIN, 0}, {m_err ? m_err.get() : -1, POLLIN, 0}};
  const int ready = poll(waits, 2, over ? 0 : milliseconds);
  if (ready > 0 && waits[0].revents != 0) takeOutput(line);
  if (ready > 0 && waits[1].revents != 0) takeErrors();
  if (!over) return true;
  // A process that left the group may hold the pipes open, and even write on.
  const bool late = std::chrono::steady_clock::now() - m_end > kLinger;
  return ready > 0 && (m_out || m_err) && !late;
}

}  // namespace atelier::worker
