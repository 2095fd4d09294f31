#include "session.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "checkpoint.h"
#include "core/engine/monitor/process.h"
#include "core/engine/monitor/system_monitor.h"
#include "environment.h"
#include "runner.h"
#include "statistics.h"

namespace atelier::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kProgressSeconds = 0.05;
constexpr std::int64_t kNaiveSteps = 10;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Session::Session(std::vector<Variant> variants, TensorMemory& memory, Control& control, EventSink emit)
    : m_variants(std::move(variants)),
      m_memory(memory),
      m_control(control),
      m_emit(std::move(emit)),
      m_begin(Clock::now()),
      m_tallies(m_variants.size() - 1) {}

Session::~Session() = default;

const wire::RunSpec& Session::specOf(const std::string& variant) const {
  // A technique may have changed it, and what was done is what counts.
  for (const auto& runner : m_runners)
    if (runner->variant.name == variant) return runner->trainer.plan().spec;
  return std::find_if(m_variants.begin(), m_variants.end(), [&](const Variant& v) { return v.name == variant; })->spec;
}

void Session::phase(const std::string& variant, const std::string& name) {
  m_emit(variant, wire::PhaseChanged{name});
}

wire::Status Session::run() {
  // However the run ends, the monitor has said its last word before anybody sums up.
  struct Quiet {
    Session& session;
    ~Quiet() {
      session.m_current = nullptr;
      if (session.m_monitor) session.m_peakRss = session.m_monitor->peakRss();
      session.m_monitor.reset();
    }
  } const quiet{*this};
  if (auto prepared = prepare(); !prepared.ok()) return prepared;
  m_monitor = std::make_unique<SystemMonitor>([this](const wire::SystemSampled& sample) {
    auto* runner = m_current.load();
    if (!runner) return;
    m_emit(runner->variant.name, sample);
    if (runner->measuring) {
      runner->others_sum += sample.others_percent;
      ++runner->others_count;
    }
    auto& account = runner->trainer.memory();
    m_emit(runner->variant.name, wire::MemorySampled{account.takeRecentPeak(), account.peak(), account.budget()});
  });
  for (auto& runner : m_runners) {
    runner->begin = m_runners.size() == 1 ? m_begin : Clock::now();
    naiveBefore(*runner);
    warmUp(*runner);
  }
  if (m_runners.size() == 1) measureOne(*m_runners.front());
  else measureRace();
  for (auto& runner : m_runners) keepLast(*runner);
  if (m_failure) return *m_failure;
  for (auto& runner : m_runners) naiveAfter(*runner);
  for (auto& runner : m_runners) evaluate(*runner, Split::Test);
  for (auto& runner : m_runners) profile(*runner);
  if (m_failure) return *m_failure;
  for (auto& runner : m_runners) runner->done = !m_interrupted;
  return wire::success();
}

wire::Status Session::prepare() {
  DataCache cache;
  const auto environmentNow = environment();
  for (const auto& variant : m_variants) {
    auto here = environmentNow;
    const auto valid = validate(variant.spec);
    auto plan = valid.ok() ? makePlan(variant.spec, cache) : wire::Result<Plan>(valid.error());
    if (!plan.ok()) {  // the run exists, with its reason
      m_emit(variant.name, wire::RunStarted{variant.run_id, variant.spec.toJson(), std::move(here), 0, 0, 0, {}});
      return plan.error();
    }
    here["threads"] = plan->threads;
    here["device"] = plan->device.str();
    if (const auto& from = variant.resume.from)
      here["resumed_from"] = {{"run", from->head().run}, {"step", from->head().step}};
    plan->notices.insert(plan->notices.end(), variant.resume.notices.begin(), variant.resume.notices.end());
    m_emit(variant.name, wire::RunStarted{variant.run_id, variant.spec.toJson(), std::move(here), plan->steps, plan->warmup,
                                          plan->blocks, plan->notices});
    phase(variant.name, "loading");
    const auto said = plan->notices.size();
    m_runners.push_back(std::make_unique<Runner>(variant, std::move(plan).value(), m_memory,
                                                 [this, index = m_runners.size()](wire::EventBody body) {
                                                   hear(index, std::move(body));
                                                 }));
    const auto& notices = m_runners.back()->trainer.notices();
    for (std::size_t i = said; i < notices.size(); ++i) m_emit(variant.name, wire::Noticed{notices[i], "info"});
    if (auto begun = begin(*m_runners.back()); !begun.ok()) return begun;
  }
  for (auto& variant : m_variants) variant.resume.from.reset();  // its tensors are in the trainer now
  return wire::success();
}

// What a technique says. The first value that was not finite is kept: after it every step is poisoned, and looks like its cause.
void Session::hear(std::size_t index, wire::EventBody body) {
  if (const auto* sampled = std::get_if<wire::HealthSampled>(&body);
      sampled && index < m_runners.size() && !m_runners[index]->first_bad && !sampled->health.first_bad_stage.empty())
    m_runners[index]->first_bad = sampled->health;
  m_emit(m_variants[index].name, std::move(body));
}

void Session::sayNotFinite(Runner& runner) {
  if (!runner.finite) return;
  runner.finite = false;
  m_emit(runner.variant.name,
         wire::Noticed{{"loss.not_finite", {{"step", std::to_string(runner.trainer.steps())}}}, "warning"});
}

StepWatch Session::watch(Runner& runner, const StepFigures& figures, bool measured) {
  StepWatch result;
  auto& trainer = runner.trainer;
  runner.samples_since += figures.samples;
  runner.seconds_since += static_cast<double>(figures.stages.wall) * 1e-9;
  const bool planned = runner.stage != Runner::Stage::Other;
  if (planned) ++(runner.stage == Runner::Stage::Warmup ? runner.position.warmup : runner.position.measured);
  runner.exact = planned;
  if (!rollBack(runner, figures) && figures.loss && !std::isfinite(*figures.loss)) sayNotFinite(runner);
  if (planned) keepWhenDue(runner, result);
  if (secondsSince(runner.last_progress) >= kProgressSeconds) {
    runner.last_progress = Clock::now();
    const auto gauge = trainer.takeGauge();
    m_emit(runner.variant.name,
           wire::Progress{trainer.steps(), trainer.plan().warmup + trainer.plan().steps, measured,
                          static_cast<double>(runner.samples_since) / runner.seconds_since, figures.loss, trainer.learningRate(),
                          gauge.capacity > 0 ? std::optional(static_cast<double>(gauge.ready)) : std::nullopt,
                          std::min(1.0, static_cast<double>(gauge.waited) * 1e-9 / runner.seconds_since)});
    runner.samples_since = 0;
    runner.seconds_since = 0;
    obeySettings();
  }
  if (m_control.paused()) {
    trainer.synchronize();
    const auto begin = Clock::now();
    phase(runner.variant.name, "paused");
    m_control.waitWhilePaused();
    phase(runner.variant.name, "resumed");
    result.paused_seconds = secondsSince(begin);
  }
  result.go_on = !m_control.stopped() && !m_failure;
  m_interrupted = m_interrupted || !result.go_on;
  return result;
}

void Session::obeySettings() {
  for (const auto& [key, value] : m_control.takeValues()) {
    const bool known = key == "learning_rate" && std::isfinite(value) && value >= 0;
    for (auto& runner : m_runners) {
      if (known) runner->trainer.setLearningRate(value);
      m_emit(runner->variant.name,
             wire::Noticed{{known ? "set.done" : "set.refused", {{"key", key}, {"value", std::to_string(value)}}}, "info"});
    }
  }
}

void Session::makeCurrent(Runner& runner, bool settle) {
  if (m_current.load() == &runner) return;
  m_current = &runner;
  runner.trainer.activate();
  if (settle) settleDown(runner);
}

// The next few steps by a naive stopwatch; samples and the seconds that were spent in pauses.
std::pair<double, double> Session::naiveSteps(Runner& runner) {
  makeCurrent(runner, false);
  phase(runner.variant.name, "naive");
  std::int64_t samples = 0;
  double paused = 0;
  for (std::int64_t i = 0; i < std::min(kNaiveSteps, runner.trainer.plan().steps) && !m_interrupted; ++i) {
    const auto figures = runner.trainer.step();
    samples += figures.samples;
    if (!runner.first_step) runner.first_step = static_cast<double>(figures.stages.wall) * 1e-6;
    paused += watch(runner, figures, false).paused_seconds;
  }
  return {static_cast<double>(samples), paused};
}

// Steps that do not count, after other work: the caches are the other's, and the workers have made batches ahead meanwhile.
void Session::settleDown(Runner& runner) {
  constexpr std::int64_t kMost = 32;
  const auto steps = 1 + std::min(kMost, runner.trainer.batchesAhead());
  for (std::int64_t i = 0; i < steps && !m_interrupted; ++i) watch(runner, runner.trainer.step(), false);
}

void Session::naiveBefore(Runner& runner) {
  if (!runner.trainer.plan().spec.flag("naive") || runner.resumed) return;  // the naive readings are of a run's beginning
  const auto begin = Clock::now();
  const auto [count, paused] = naiveSteps(runner);
  if (runner.trainer.plan().device.is_cpu()) runner.naive.push_back({"no_synchronisation", {}, {}, "naive.needs_gpu"});
  else runner.naive.push_back({"no_synchronisation", count / (secondsSince(begin) - paused), {}, ""});
  runner.trainer.synchronize();
  runner.cold_rate = count / (secondsSince(begin) - paused);
  runner.naive.push_back({"no_warmup", runner.cold_rate, {}, ""});
  runner.naive.push_back({"first_epoch", count / (secondsSince(runner.begin) - paused), {}, ""});
}

void Session::naiveAfter(Runner& runner) {
  if (runner.naive.empty() || m_interrupted) return;
  makeCurrent(runner, true);
  runner.trainer.synchronize();
  const auto begin = Clock::now();
  const auto [count, paused] = naiveSteps(runner);
  runner.trainer.synchronize();
  if (m_interrupted) return;
  const double again = count / (secondsSince(begin) - paused), honest = median(runner.measurement.rates());
  for (auto& reading : runner.naive)
    if (reading.samples_per_second) reading.ratio = *reading.samples_per_second / honest;
  // The same net timed twice in a row, cold and then warm: an "improvement" by nothing.
  runner.naive.push_back({"reused_model", again, again / runner.cold_rate, ""});
}

void Session::warmUp(Runner& runner) {
  makeCurrent(runner, false);
  phase(runner.variant.name, "warmup");
  runner.stage = Runner::Stage::Warmup;
  while (runner.position.warmup < runner.trainer.plan().warmup && !m_interrupted) {
    const auto figures = runner.trainer.step();
    if (!runner.first_step) runner.first_step = static_cast<double>(figures.stages.wall) * 1e-6;
    watch(runner, figures, false);
    runner.cold = false;
  }
  runner.stage = Runner::Stage::Other;
}

bool Session::block(Runner& runner, std::int64_t steps) {
  if (!runner.startup) {
    runner.startup = millisecondsSinceStart();
    runner.optimizer_steps_before = runner.trainer.optimizerSteps();
    runner.skipped_before = runner.trainer.skippedSteps();
  }
  runner.measuring = true;
  runner.stage = Runner::Stage::Measuring;
  auto block = measureBlock(runner.trainer, static_cast<std::int64_t>(runner.measurement.blocks().size()), steps,
                            availableCores(), [&](const StepFigures& figures) { return watch(runner, figures, true); });
  runner.stage = Runner::Stage::Other;
  runner.measuring = false;
  if (std::exchange(runner.cold, false)) {
    block.done.disturbed = true;
    block.done.reason = "busy.resumed";
  }
  if (!runner.first_step && !block.step_milliseconds.empty()) runner.first_step = block.step_milliseconds.front();
  if (block.done.loss && !std::isfinite(*block.done.loss)) sayNotFinite(runner);
  m_emit(runner.variant.name, block.done);
  runner.measurement.add(std::move(block));
  return !m_interrupted;
}

void Session::measureOne(Runner& runner) {
  if (m_interrupted) return;
  makeCurrent(runner, false);
  phase(runner.variant.name, "measuring");
  const auto& plan = runner.trainer.plan();
  const bool evaluates = plan.training && plan.spec.flag("evaluate");
  for (std::int64_t i = 0; i < plan.blocks; ++i) {
    // A run that goes on from a checkpoint has done some of the blocks, and a part of one.
    const auto end = plan.steps * (i + 1) / plan.blocks;
    if (end < runner.position.measured) continue;
    if (const auto steps = end - runner.position.measured; steps > 0 && !block(runner, steps)) return;
    if (evaluates && runner.trainer.epochEnded() && i + 1 < plan.blocks) {
      // Stopped here it can still be gone on with exactly; within the evaluation, or the steps after it, no more.
      m_interrupted = m_control.stopped();
      if (m_interrupted) return;
      runner.exact = false;
      evaluate(runner, Split::Validation);
      settleDown(runner);
      phase(runner.variant.name, "measuring");
    }
  }
}

void Session::measureRace() {
  std::vector<Runner*> order;
  std::int64_t rounds = std::numeric_limits<int>::max();
  for (auto& runner : m_runners) {
    order.push_back(runner.get());
    rounds = std::max<std::int64_t>(1, std::min(rounds, runner->trainer.plan().blocks));
    phase(runner->variant.name, "measuring");
  }
  m_plannedPairs = static_cast<int>(rounds);
  // Disturbed rounds are made up for, by half as many again at most.
  for (std::int64_t i = 0; !raceOver() && i < rounds + rounds / 2; ++i) {
    for (auto* runner : order)
      if (!raceBlock(*runner, i % rounds, rounds)) return;
    takePairs();
    // A B C C B A …: drift of the machine then falls on all variants alike.
    std::reverse(order.begin(), order.end());
  }
}

// The variant's block of one round; false when the race was stopped in it.
bool Session::raceBlock(Runner& runner, std::int64_t round, std::int64_t rounds) {
  const auto steps = runner.trainer.plan().steps;
  makeCurrent(runner, true);
  return !m_interrupted && block(runner, std::max<std::int64_t>(1, steps * (round + 1) / rounds - steps * round / rounds));
}

bool Session::raceOver() {
  const auto all = [&](auto what) { return std::all_of(m_tallies.begin(), m_tallies.end(), what); };
  if (m_interrupted || all([&](const RaceTally& tally) { return tally.pairs() >= m_plannedPairs; })) return true;
  m_stoppedEarly = m_runners.front()->trainer.plan().spec.flag("stop_when_decided") &&
                   all([](const RaceTally& tally) { return tally.decided(); });
  return m_stoppedEarly;
}

// What the round's blocks add to each comparison.
void Session::takePairs() {
  const auto last = [&](std::size_t i) { return m_runners[i]->measurement.blocks().back().done; };
  const auto a = last(0);
  for (std::size_t i = 0; i < m_tallies.size(); ++i) {
    const auto other = last(i + 1);
    auto& tally = m_tallies[i];
    tally.add(other.samples_per_second / a.samples_per_second, a.disturbed || other.disturbed);
    m_emit("", wire::RaceUpdated{tally.ratio().value_or(wire::Interval{}), tally.verdict(), tally.pairs(), tally.discarded(),
                                 m_plannedPairs, m_variants[i + 1].name, tally.decided()});
  }
}

void Session::evaluate(Runner& runner, Split split) {
  if (m_interrupted || !runner.trainer.plan().training || !runner.trainer.plan().spec.flag("evaluate")) return;
  makeCurrent(runner, false);
  phase(runner.variant.name, "evaluating");
  auto evaluation = runner.trainer.evaluate([&] { return !m_control.stopped(); }, split);
  m_interrupted = m_interrupted || m_control.stopped();
  if (!evaluation) return;
  runner.evaluation = evaluation;
  const auto& blocks = runner.measurement.blocks();
  m_emit(runner.variant.name,
         wire::EpochDone{runner.trainer.epochs(), runner.trainer.steps(), evaluation->samples,
                         blocks.empty() ? std::nullopt : blocks.back().done.loss, evaluation->loss, evaluation->accuracy});
}

std::vector<wire::RunSummary> Session::summaries(const std::string& status) const {
  std::vector<wire::RunSummary> result;
  for (std::size_t i = 0; i < m_variants.size(); ++i) {
    wire::RunSummary summary;
    summary.id = m_variants[i].run_id;
    summary.variant = m_variants[i].name;
    summary.seed = m_variants[i].spec.integer("seed");
    summary.status = status;
    if (i < m_runners.size()) {
      auto& runner = *m_runners[i];
      runner.measurement.summarise(summary, availableCores());
      summary.status = runner.done ? "done" : status;
      summary.optimizer_steps = runner.trainer.optimizerSteps() - runner.optimizer_steps_before;
      summary.skipped_steps = runner.trainer.skippedSteps() - runner.skipped_before;
      summary.epochs = runner.trainer.epochs();
      summary.first_step_milliseconds = runner.first_step;
      summary.startup_milliseconds = runner.startup;
      summary.peak_memory_bytes = runner.trainer.memory().peak();
      summary.rss_bytes = std::max(m_peakRss, treeUsage().rss_bytes);
      summary.naive = runner.naive;
      summary.notices = runner.trainer.notices();
      if (runner.evaluation) {
        summary.accuracy = runner.evaluation->accuracy;
        summary.evaluated = runner.evaluation->samples;
      }
      if (summary.blocks > 0 && summary.disturbed_blocks == summary.blocks) summary.notices.push_back({"busy.all_blocks"});
    }
    result.push_back(std::move(summary));
  }
  return result;
}

// `which`: the other's place among the variants.
bool Session::sameQuality(const wire::RunSummary& a, const wire::RunSummary& other, std::size_t which) const {
  const auto learns = [&](std::size_t i) { return i < m_runners.size() && m_runners[i]->trainer.plan().training; };
  if (!learns(0) && !learns(which)) return true;  // the same weights, untouched
  if (a.accuracy && other.accuracy) return sameAccuracy(*a.accuracy, *other.accuracy, a.evaluated, other.evaluated);
  return a.loss && other.loss && std::fabs(*a.loss - *other.loss) <= 0.05 * std::fabs(*a.loss);
}

wire::RaceSummary Session::race(const std::vector<wire::RunSummary>& summaries) const {
  wire::RaceSummary race;
  race.a = summaries.front();
  race.planned_pairs = m_plannedPairs;
  race.stopped_early = m_stoppedEarly;
  for (std::size_t i = 1; i < summaries.size(); ++i) {
    const auto& tally = m_tallies[i - 1];
    race.add({m_variants[i].name, summaries[i], tally.ratio(), tally.verdict(), sameQuality(race.a, summaries[i], i),
              tally.pairs(), tally.discarded()});
  }
  return race;
}

}  // namespace atelier::engine
