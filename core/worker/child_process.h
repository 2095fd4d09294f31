// ChildProcess: a program run in a process group of its own, its stdout read line by line, the end of its stderr kept. The
// group is killed when the object goes; the program itself dies with this process, however that ends. Its stdin is empty.
// Never waits for more than it was told to, whatever the program does. One thread, the one that started it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/registry/files.h"
#include "core/wire/result.h"

namespace atelier::worker {

class ChildProcess {
 public:
  using Line = std::function<void(const std::string& line)>;

  // `words`: the program's path, then its arguments. Fails with script.no_start {program, reason}.
  static wire::Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& words);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits for output, `milliseconds` at most, and hands on the whole lines of stdout; lines over 1 MiB are dropped. False once
  // the program has ended and what it wrote was read; the rest of its group is killed then.
  bool read(int milliseconds, const Line& line);
  // To the whole group.
  void signal(int number) const;
  int process() const { return m_process; }
  // −signal when one ended it. REQUIRES: read() returned false.
  int exitCode() const { return m_exitCode; }
  // The last 8 KiB of stderr.
  const std::string& errors() const { return m_errors; }

 private:
  ChildProcess(int process, registry::Descriptor out, registry::Descriptor err)
      : m_process(process), m_out(std::move(out)), m_err(std::move(err)) {}
  bool ended();
  void takeOutput(const Line& line);
  void takeErrors();

  int m_process;
  registry::Descriptor m_out, m_err;
  std::string m_line, m_errors;
  bool m_reaped = false;
  std::chrono::steady_clock::time_point m_end;
  int m_exitCode = 0;
};

}  // namespace atelier::worker
