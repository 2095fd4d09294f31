// ScriptListener: what a generated script says with --json, one object a line, told on as the events of a run, and summed up
// by the engine's own statistics. Blocks are checked for disturbance from outside, as native ones are. Lines that are none of
// the script's are left out. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/engine/monitor/process.h"
#include "core/engine/script/script.h"
#include "core/engine/session/measure.h"
#include "core/wire/run_event.h"
#include "core/wire/run_spec.h"
#include "core/wire/summary.h"

namespace atelier::worker {

class ScriptListener {
 public:
  using Emit = std::function<void(wire::EventBody)>;
  // `process`: the script's; `python`: its version.
  ScriptListener(std::string runId, const wire::RunSpec& spec, const engine::ScriptPlan& plan, int process, std::string python,
                 Emit emit);

  void take(const std::string& line);
  // The run exists from here on, with what is known of it: called by the script's first line, or when it said none.
  void start(const nlohmann::json& said = nlohmann::json::object());
  bool started() const { return m_started; }
  // The script came to its end.
  bool summarised() const { return m_last.is_object(); }
  // It was held for a while: the block that goes on is worth nothing.
  void notePause() { m_paused = true; }
  // Of what was measured so far.
  wire::RunSummary summary() const;

 private:
  void phase(const nlohmann::json& said);
  void step(const nlohmann::json& said);
  void block(const nlohmann::json& said);
  void epoch(const nlohmann::json& said);
  void readNaive(wire::RunSummary& summary) const;
  void checkLoss(std::optional<double> loss);
  void beginWatch();
  std::string endWatch();

  std::string m_runId;
  const wire::RunSpec& m_spec;
  engine::ScriptPlan m_plan;
  int m_process;
  std::string m_python;
  Emit m_emit;
  int m_cores, m_threads;

  bool m_started = false, m_paused = false, m_finite = true;
  engine::Measurement m_measurement;
  std::vector<wire::Message> m_notices;
  std::optional<wire::EpochDone> m_evaluation;
  std::optional<double> m_firstStep, m_startup;
  std::int64_t m_steps = 0;  // also those that were not measured
  nlohmann::json m_last;     // the script's summary; null before
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();

  // At the beginning of the block that goes on.
  struct {
    engine::SystemTimes system;
    double cpu = 0, waiting = 0, clock = 0;
    std::chrono::steady_clock::time_point at;
  } m_watch;
};

}  // namespace atelier::worker
