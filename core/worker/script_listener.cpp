#include "script_listener.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/engine/monitor/contention.h"
#include "core/engine/session/environment.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::worker {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A count that the script said; 0 for anything else.
std::int64_t countAt(const json& said, const char* key) {
  const auto value = wire::getNumber(said, key);
  return value && *value >= 0 && *value < 9e15 ? std::llround(*value) : 0;
}

json objectAt(const json& said, const char* key) {
  const auto found = said.find(key);
  return found != said.end() && found->is_object() ? *found : json::object();
}

}  // namespace

ScriptListener::ScriptListener(std::string runId, const wire::RunSpec& spec, const engine::ScriptPlan& plan, int process,
                               std::string python, Emit emit)
    : m_runId(std::move(runId)),
      m_spec(spec),
      m_plan(plan),
      m_process(process),
      m_python(std::move(python)),
      m_emit(std::move(emit)),
      m_cores(engine::availableCores()),
      m_threads(spec.integer("threads") > 0 ? static_cast<int>(spec.integer("threads")) : m_cores) {
  beginWatch();
}

void ScriptListener::take(const std::string& line) {
  const auto said = wire::parseJson(line);
  if (!said || !said->is_object()) return;
  const auto event = wire::textAt(*said, "event");
  if (event == "start") start(*said);
  if (!m_started) return;
  if (event == "phase") phase(*said);
  else if (event == "step") step(*said);
  else if (event == "block") block(*said);
  else if (event == "epoch") epoch(*said);
  else if (event == "summary") m_last = *said;
}

void ScriptListener::start(const json& said) {
  if (m_started) return;
  m_started = true;
  auto here = engine::environment();
  here["source"] = "python";
  here["python"] = m_python;
  const auto torch = wire::textAt(said, "torch"), device = wire::textAt(said, "device");
  if (!torch.empty()) here["torch"] = torch;
  here["device"] = device.empty() ? m_spec.text("device") : device;
  if (const auto threads = countAt(said, "threads"); threads > 0 && threads < 1 << 20) m_threads = static_cast<int>(threads);
  here["threads"] = m_threads;
  const bool cpu = device == "cpu";
  if (cpu && m_spec.integer("memory_budget") > 0) m_notices.push_back({"script.no_budget"});
  if (cpu && m_spec.flag("pinned")) m_notices.push_back({"data.pinned_without_gpu"});
  if (cpu && m_spec.text("precision") == "tf32") m_notices.push_back({"precision.tf32_needs_gpu"});
  m_emit(wire::RunStarted{m_runId, m_spec.toJson(), std::move(here), m_plan.steps, m_plan.warmup, m_plan.blocks, m_notices});
}

void ScriptListener::phase(const json& said) {
  constexpr std::string_view kKnown[] = {"loading", "naive", "warmup", "measuring", "evaluating"};
  const auto name = wire::textAt(said, "phase");
  if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) return;
  m_emit(wire::PhaseChanged{name});
  if (name != "measuring") return;
  if (!m_startup) m_startup = 1000 * secondsSince(m_begin);
  m_paused = false;
  beginWatch();
}

void ScriptListener::checkLoss(std::optional<double> loss) {
  if (!m_finite || !loss || std::isfinite(*loss)) return;
  m_finite = false;
  m_emit(wire::Noticed{{"loss.not_finite", {{"step", std::to_string(m_steps)}}}, "warning"});
}

void ScriptListener::step(const json& said) {
  m_steps = countAt(said, "step");
  const auto seconds = wire::getNumber(said, "seconds").value_or(0);
  if (!(seconds > 0)) return;
  if (!m_firstStep) m_firstStep = 1000 * seconds;
  const auto measured = said.find("measured");
  const auto loss = wire::getNumber(said, "loss");
  checkLoss(loss);
  m_emit(wire::Progress{
      m_steps, m_plan.warmup + m_plan.steps, measured != said.end() && measured->is_boolean() && measured->get<bool>(),
      static_cast<double>(countAt(said, "samples")) / seconds, loss, wire::getNumber(said, "learning_rate").value_or(0)});
}

void ScriptListener::block(const json& said) {
  engine::Block block;
  auto& done = block.done;
  done.block = static_cast<std::int64_t>(m_measurement.blocks().size());
  done.steps = countAt(said, "steps");
  done.samples = countAt(said, "samples");
  done.seconds = wire::getNumber(said, "seconds").value_or(0);
  if (done.steps == 0 || !(done.seconds > 0)) return;
  done.samples_per_second = static_cast<double>(done.samples) / done.seconds;
  done.loss = wire::getNumber(said, "loss");
  const double cpu = m_watch.cpu;
  done.reason = endWatch();
  if (m_paused) done.reason = "busy.paused";
  done.disturbed = !done.reason.empty();
  m_paused = false;
  beginWatch();
  block.cpu_seconds = std::max(0.0, m_watch.cpu - cpu);
  // Steps are timed by the script alone; see summary().
  block.step_milliseconds = {1000 * done.seconds / static_cast<double>(done.steps)};
  checkLoss(done.loss);
  m_emit(done);
  m_measurement.add(std::move(block));
}

void ScriptListener::epoch(const json& said) {
  const auto accuracy = wire::getNumber(said, "accuracy");
  if (!accuracy) return;
  const auto& blocks = m_measurement.blocks();
  wire::EpochDone done;
  done.epoch = countAt(said, "epoch");
  done.step = countAt(said, "step");
  done.samples = countAt(said, "samples");
  if (!blocks.empty()) done.train_loss = blocks.back().done.loss;
  done.loss = wire::getNumber(said, "loss");
  done.accuracy = *accuracy;
  m_evaluation = done;
  m_emit(done);
}

void ScriptListener::beginWatch() {
  m_watch.system = engine::systemTimes();
  m_watch.cpu = engine::treeUsage(m_process).cpu_seconds;
  m_watch.waiting = engine::runQueueWaitSeconds(m_process);
  m_watch.clock = engine::fastestCoreMegahertz();
  m_watch.at = Clock::now();
}

// The catalog id of what disturbed the block, or "". Waits are those of the script's own threads.
std::string ScriptListener::endWatch() {
  const auto system = engine::systemTimes();
  const double clock = engine::fastestCoreMegahertz();
  engine::ContentionReading reading;
  reading.seconds = secondsSince(m_watch.at);
  reading.own_threads_fit = m_threads + m_spec.integer("workers") <= m_cores;
  reading.steal = std::max(0.0, system.steal - m_watch.system.steal);
  const double ours = engine::treeUsage(m_process).cpu_seconds - m_watch.cpu;
  reading.others = std::max(0.0, system.busy - m_watch.system.busy - ours);
  reading.waiting = std::max(0.0, engine::runQueueWaitSeconds(m_process) - m_watch.waiting);
  if (m_watch.clock > 0) reading.clock_change = std::fabs(clock - m_watch.clock) / m_watch.clock;
  return engine::disturbance(reading, m_cores);
}

void ScriptListener::readNaive(wire::RunSummary& summary) const {
  if (!summarised() || !m_spec.flag("naive")) return;
  const auto said = objectAt(m_last, "naive");
  const auto cold = wire::getNumber(said, "no_warmup");
  for (const char* kind : {"no_synchronisation", "no_warmup", "first_epoch", "reused_model"}) {
    const auto rate = wire::getNumber(said, kind);
    if (!rate) {
      if (std::string_view(kind) == "no_synchronisation") summary.naive.push_back({kind, {}, {}, "naive.needs_gpu"});
      continue;
    }
    double against = summary.samples_per_second ? summary.samples_per_second->median : 0;
    if (std::string_view(kind) == "reused_model") against = cold.value_or(0);
    wire::NaiveReading reading{kind, rate, {}, ""};
    if (against > 0) reading.ratio = *rate / against;
    summary.naive.push_back(std::move(reading));
  }
}

wire::RunSummary ScriptListener::summary() const {
  wire::RunSummary summary;
  summary.id = m_runId;
  summary.seed = m_spec.integer("seed");
  m_measurement.summarise(summary, m_cores);
  const bool training = m_spec.text("mode") == "train";
  // The windows that ended in the measured steps; the last one ends with the plan.
  const auto each = m_plan.accumulation, before = m_plan.warmup;
  summary.optimizer_steps = training && summary.steps > 0 ? (before + summary.steps + each - 1) / each - before / each : 0;
  const auto times = summarised() ? objectAt(m_last, "milliseconds_per_step") : json::object();
  summary.step_p50 = wire::getNumber(times, "p50");
  summary.step_p90 = wire::getNumber(times, "p90");
  summary.step_p99 = wire::getNumber(times, "p99");
  summary.stages = {};
  const auto all = summarised() ? std::max(m_steps, countAt(m_last, "steps")) : m_steps;
  summary.epochs = m_plan.steps_per_epoch > 0 ? all / m_plan.steps_per_epoch : 0;
  summary.first_step_milliseconds = m_firstStep;
  summary.startup_milliseconds = m_startup;
  if (summarised()) {
    // Of a GPU's memory the script knows the total alone; a CPU's tensors nobody counts in Python.
    summary.peak_memory_bytes.total = summary.peak_memory_bytes.other = countAt(m_last, "gpu_peak_bytes");
    summary.rss_bytes = countAt(m_last, "rss_bytes");
  }
  if (m_evaluation) {
    summary.accuracy = m_evaluation->accuracy;
    summary.evaluated = m_evaluation->samples;
  }
  readNaive(summary);
  summary.notices = m_notices;
  if (summary.blocks > 0 && summary.disturbed_blocks == summary.blocks) summary.notices.push_back({"busy.all_blocks"});
  return summary;
}

}  // namespace atelier::worker
