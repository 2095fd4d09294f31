#include "script_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>

#include "child_process.h"
#include "core/engine/monitor/system_monitor.h"
#include "core/registry/registry.h"
#include "script_listener.h"

namespace atelier::worker {
namespace {

using Clock = std::chrono::steady_clock;
using wire::Error;
using wire::ExitCode;
constexpr int kPollMilliseconds = 50;
constexpr auto kGrace = std::chrono::seconds(3);

// Pause, resume and stop, as signals to the script's processes.
class Reins {
 public:
  Reins(ChildProcess& child, engine::Control& control, ScriptListener& listener, Recorder& recorder)
      : m_child(child), m_control(control), m_listener(listener), m_recorder(recorder) {}

  void hold() {
    if (m_control.stopped()) return stop();
    if (m_control.paused() != m_held) pause(!m_held);
    for (const auto& [key, value] : m_control.takeValues())
      m_recorder.take("", wire::Noticed{{"set.refused", {{"key", key}, {"value", std::to_string(value)}}}, "info"});
  }

 private:
  void pause(bool held) {
    m_held = held;
    m_child.signal(held ? SIGSTOP : SIGCONT);
    m_listener.notePause();
    if (m_listener.started()) m_recorder.take("", wire::PhaseChanged{held ? "paused" : "resumed"});
  }
  void stop() {
    if (m_asked == Clock::time_point()) {
      m_asked = Clock::now();
      m_child.signal(SIGTERM);
      m_child.signal(SIGCONT);  // a held process gets no other signal
    } else if (Clock::now() - m_asked > kGrace) {
      m_child.signal(SIGKILL);
    }
  }

  ChildProcess& m_child;
  engine::Control& m_control;
  ScriptListener& m_listener;
  Recorder& m_recorder;
  bool m_held = false;
  Clock::time_point m_asked{};  // to stop; the epoch: not yet
};

// The last line of a traceback says what happened.
std::string lastLine(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const auto begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

Error whyFailed(const ChildProcess& child) {
  const auto& errors = child.errors();
  const auto detail = lastLine(errors);
  for (const char* sign : {"OutOfMemoryError", "MemoryError", "can't allocate memory"})
    if (errors.find(sign) != std::string::npos) return {ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", detail}}}};
  if (child.exitCode() < 0) return {ExitCode::Failed, {"script.killed", {{"signal", std::to_string(-child.exitCode())}}}};
  if (child.exitCode() == 0 || detail.empty())
    return {ExitCode::Failed, {"script.incomplete", {{"code", std::to_string(child.exitCode())}}}};
  return {ExitCode::Failed, {"script.failed", {{"detail", detail}}}};
}

Ending concluded(const ScriptListener& listener, std::optional<Error> failure, bool stopped, std::int64_t peakRss,
                 Recorder& recorder) {
  Ending ending;
  ending.failure = std::move(failure);
  if (const auto unwritten = recorder.failure()) ending.failure = *unwritten;
  ending.status = ending.failure ? "failed" : stopped ? "interrupted" : "done";
  auto summary = listener.summary();
  summary.status = ending.status;
  summary.rss_bytes = std::max(summary.rss_bytes, peakRss);
  if (ending.failure) {
    summary.failure = ending.failure->messages;
    recorder.take("", wire::RunFailed{ending.failure->code, ending.failure->messages});
  } else {
    recorder.take("", wire::RunFinished{summary});
  }
  ending.summaries.push_back(std::move(summary));
  return ending;
}

}  // namespace

Ending runScript(const ScriptJob& job, Recorder& recorder, engine::Control& control) {
  const auto id = registry::makeRunId();
  auto started = ChildProcess::start({job.python.program, job.file.string(), "--json"});
  const int process = started.ok() ? (*started)->process() : 0;
  ScriptListener listener(id, job.spec, job.plan, process, job.python.version,
                          [&](wire::EventBody body) { recorder.take("", std::move(body)); });
  if (!started.ok()) {
    listener.start();
    return concluded(listener, started.error(), false, 0, recorder);
  }
  auto& child = **started;
  Reins reins(child, control, listener, recorder);
  std::int64_t peakRss = 0;
  {
    std::atomic<bool> told{false};
    const engine::SystemMonitor monitor(
        [&](const wire::SystemSampled& sample) {
          if (told) recorder.take("", sample);
        },
        process);
    while (child.read(kPollMilliseconds, [&](const std::string& line) { listener.take(line); })) {
      told = listener.started();
      reins.hold();
    }
    peakRss = monitor.peakRss();
  }
  listener.start();  // where it said nothing
  // What ran stands beside what it measured; a run without it is a run all the same.
  [[maybe_unused]] const auto kept = registry::writeWhole(job.home / "runs" / id / "script.py", job.text);
  const bool whole = child.exitCode() == 0 && listener.summarised();
  const bool stopped = !whole && control.stopped();
  auto failure = whole || stopped ? std::nullopt : std::optional(whyFailed(child));
  return concluded(listener, std::move(failure), stopped, peakRss, recorder);
}

}  // namespace atelier::worker
