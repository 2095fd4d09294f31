// Recorder: where a session's events go: to the run's folder, to stdout with --events, to the progress bar. A folder that
// can't be written stops the session and keeps what was measured. Thread-safe.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "console.h"
#include "core/engine/session/session.h"
#include "core/registry/registry.h"
#include "core/wire/run_event.h"

namespace atelier::worker {

// The stretch of the progress bar that a session fills, and what stands before its phase: a point of a sweep fills its share.
struct BarPart {
  double from = 0, share = 1;
  std::string label{};
};

class Recorder {
 public:
  // `events`: the descriptor that event lines go to, or −1. `race`: the race's id, or "".
  Recorder(std::filesystem::path home, std::string race, int events, Console& console, engine::Control& control,
           BarPart bar = {});

  void take(const std::string& variant, wire::EventBody body);
  // take(), as a session's sink. REQUIRES: the recorder outlives it.
  engine::EventSink sink() {
    return [this](const std::string& variant, wire::EventBody body) { take(variant, std::move(body)); };
  }
  // Writes the run's summary and last event.
  void finish(const wire::RunSummary& summary);
  // Where a run's files lie.
  std::filesystem::path folder(const std::string& run) const { return m_home / "runs" / run; }
  // The first failure to write, if any.
  std::optional<wire::Error> failure() const;

 private:
  void write(const std::string& variant, const wire::RunEvent& event);
  void tell(const std::string& line, const wire::RunEvent& event);
  void show(const std::string& variant, const wire::EventBody& body);

  std::filesystem::path m_home;
  std::string m_race;
  int m_events;
  Console& m_console;
  engine::Control& m_control;
  BarPart m_bar;
  mutable std::mutex m_mutex;
  std::map<std::string, std::unique_ptr<registry::RunWriter>> m_writers;  // by variant
  std::optional<wire::Error> m_failure;
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
  std::string m_pending;  // lines for the descriptor
  std::chrono::steady_clock::time_point m_told;
  std::map<std::string, double> m_shares;
  std::string m_phase;
};

}  // namespace atelier::worker
