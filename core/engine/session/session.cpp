#include "session.h"

#include <algorithm>
#include <cmath>

#include "core/engine/monitor/process.h"
#include "core/engine/monitor/system_monitor.h"
#include "environment.h"
#include "statistics.h"

namespace atelier::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kProgressSeconds = 0.05;
constexpr std::int64_t kNaiveSteps = 10;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

// One variant while it runs.
struct Session::Runner {
  Runner(const Variant& v, Plan plan, TensorMemory& memory) : variant(v), trainer(std::move(plan), memory) {}

  const Variant& variant;
  Trainer trainer;
  Measurement measurement;
  std::optional<Evaluation> evaluation;
  std::vector<wire::NaiveReading> naive;
  std::optional<double> first_step, startup;
  double cold_rate = 0;  // naive: the first steps, without what came before them
  bool finite = true, done = false;
  Clock::time_point last_progress = Clock::now();
  std::int64_t samples_since = 0, steps_since = 0;
  double seconds_since = 0;
};

Session::Session(std::vector<Variant> variants, TensorMemory& memory, Control& control, EventSink emit)
    : m_variants(std::move(variants)), m_memory(memory), m_control(control), m_emit(std::move(emit)), m_begin(Clock::now()) {}

Session::~Session() = default;

void Session::phase(const std::string& variant, const std::string& name) { m_emit(variant, wire::PhaseChanged{name}); }

wire::Status Session::run() {
  if (auto prepared = prepare(); !prepared.ok()) return prepared;
  m_monitor = std::make_unique<SystemMonitor>([this](const wire::SystemSampled& sample) {
    auto* runner = m_current.load();
    if (!runner) return;
    m_emit(runner->variant.name, sample);
    auto& account = runner->trainer.memory();
    m_emit(runner->variant.name, wire::MemorySampled{account.live(), account.peak(), account.budget()});
  });
  for (auto& runner : m_runners) {
    naiveBefore(*runner);
    warmUp(*runner);
  }
  if (m_runners.size() == 1) measureOne(*m_runners.front());
  else measureRace();
  for (auto& runner : m_runners) naiveAfter(*runner);
  for (auto& runner : m_runners) evaluate(*runner);
  for (auto& runner : m_runners) runner->done = !m_interrupted;
  m_current = nullptr;
  return wire::success();
}

wire::Status Session::prepare() {
  DataCache cache;
  const auto environmentNow = environment();
  for (const auto& variant : m_variants) {
    phase(variant.name, "loading");
    auto plan = makePlan(variant.spec, cache);
    if (!plan.ok()) return plan.error();
    const auto resolved = *plan;
    m_runners.push_back(std::make_unique<Runner>(variant, std::move(plan).value(), m_memory));
    auto here = environmentNow;
    here["threads"] = resolved.threads;
    here["device"] = resolved.device.str();
    m_emit(variant.name, wire::RunStarted{variant.run_id, variant.spec.toJson(), std::move(here), resolved.steps, resolved.warmup, resolved.blocks,
                                          m_runners.back()->trainer.notices()});
  }
  return wire::success();
}

StepWatch Session::watch(Runner& runner, const StepFigures& figures, bool measured) {
  StepWatch result;
  auto& trainer = runner.trainer;
  runner.samples_since += figures.samples;
  runner.seconds_since += static_cast<double>(figures.stages.wall) * 1e-9;
  if (figures.loss && !std::isfinite(*figures.loss) && runner.finite) {
    runner.finite = false;
    m_emit(runner.variant.name, wire::Noticed{{"loss.not_finite", {{"step", std::to_string(trainer.steps())}}}, "warning"});
  }
  if (secondsSince(runner.last_progress) >= kProgressSeconds) {
    runner.last_progress = Clock::now();
    m_emit(runner.variant.name, wire::Progress{trainer.steps(), trainer.plan().warmup + trainer.plan().steps, measured,
                                               static_cast<double>(runner.samples_since) / runner.seconds_since, figures.loss, trainer.learningRate()});
    runner.samples_since = 0;
    runner.seconds_since = 0;
    for (const auto& [key, value] : m_control.takeValues())
      if (key == "learning_rate") trainer.setLearningRate(value);
  }
  if (m_control.paused()) {
    const auto begin = Clock::now();
    phase(runner.variant.name, "paused");
    m_control.waitWhilePaused();
    phase(runner.variant.name, "resumed");
    result.paused_seconds = secondsSince(begin);
  }
  result.go_on = !m_control.stopped();
  m_interrupted = m_interrupted || !result.go_on;
  return result;
}

void Session::makeCurrent(Runner& runner, bool settle) {
  if (m_current.load() == &runner) return;
  m_current = &runner;
  runner.trainer.activate();
  // The other variant has filled the caches: one step that does not count.
  if (settle && !m_interrupted) watch(runner, runner.trainer.step(), false);
}

void Session::naiveBefore(Runner& runner) {
  if (!runner.trainer.plan().spec.flag("naive")) return;
  makeCurrent(runner, false);
  phase(runner.variant.name, "naive");
  const auto steps = std::min(kNaiveSteps, runner.trainer.plan().steps);
  const auto begin = Clock::now();
  std::int64_t samples = 0;
  for (std::int64_t i = 0; i < steps && !m_interrupted; ++i) {
    const auto figures = runner.trainer.step();
    samples += figures.samples;
    if (i == 0) runner.first_step = static_cast<double>(figures.stages.wall) * 1e-6;
    watch(runner, figures, false);
  }
  const auto count = static_cast<double>(samples);
  if (runner.trainer.plan().device.is_cpu()) runner.naive.push_back({"no_synchronisation", {}, {}, "naive.needs_gpu"});
  else runner.naive.push_back({"no_synchronisation", count / secondsSince(begin), {}, ""});
  runner.trainer.synchronize();
  runner.cold_rate = count / secondsSince(begin);
  runner.naive.push_back({"no_warmup", runner.cold_rate, {}, ""});
  runner.naive.push_back({"first_epoch", count / secondsSince(m_begin), {}, ""});
}

void Session::naiveAfter(Runner& runner) {
  if (runner.naive.empty() || m_interrupted) return;
  makeCurrent(runner, true);
  phase(runner.variant.name, "naive");
  runner.trainer.synchronize();
  const auto begin = Clock::now();
  std::int64_t samples = 0;
  for (std::int64_t i = 0; i < std::min(kNaiveSteps, runner.trainer.plan().steps); ++i) samples += runner.trainer.step().samples;
  runner.trainer.synchronize();
  const double again = static_cast<double>(samples) / secondsSince(begin);
  const double honest = median(runner.measurement.rates());
  for (auto& reading : runner.naive)
    if (reading.samples_per_second) reading.ratio = *reading.samples_per_second / honest;
  // The same net timed twice in a row, cold and then warm: an "improvement" by nothing.
  runner.naive.push_back({"reused_model", again, again / runner.cold_rate, ""});
}

void Session::warmUp(Runner& runner) {
  makeCurrent(runner, false);
  phase(runner.variant.name, "warmup");
  for (std::int64_t i = 0; i < runner.trainer.plan().warmup && !m_interrupted; ++i) {
    const auto figures = runner.trainer.step();
    if (!runner.first_step) runner.first_step = static_cast<double>(figures.stages.wall) * 1e-6;
    watch(runner, figures, false);
  }
}

bool Session::block(Runner& runner, std::int64_t steps) {
  if (!runner.startup) runner.startup = millisecondsSinceStart();
  auto block = measureBlock(runner.trainer, static_cast<std::int64_t>(runner.measurement.blocks().size()), steps, availableCores(),
                            [&](const StepFigures& figures) { return watch(runner, figures, true); });
  if (!runner.first_step && !block.step_milliseconds.empty()) runner.first_step = block.step_milliseconds.front();
  if (block.complete || runner.measurement.blocks().empty()) {
    m_emit(runner.variant.name, block.done);
    runner.measurement.add(std::move(block));
  }
  return !m_interrupted;
}

void Session::measureOne(Runner& runner) {
  if (m_interrupted) return;
  makeCurrent(runner, false);
  phase(runner.variant.name, "measuring");
  const auto& plan = runner.trainer.plan();
  for (std::int64_t i = 0; i < plan.blocks; ++i) {
    const auto steps = plan.steps * (i + 1) / plan.blocks - plan.steps * i / plan.blocks;
    if (!block(runner, steps)) return;
    if (runner.trainer.epochEnded() && i + 1 < plan.blocks) {
      evaluate(runner);
      phase(runner.variant.name, "measuring");
    }
  }
}

void Session::measureRace() {
  auto &a = *m_runners[0], &b = *m_runners[1];
  const auto pairs = std::max<std::int64_t>(1, std::min(a.trainer.plan().blocks, b.trainer.plan().blocks));
  for (auto& runner : m_runners) phase(runner->variant.name, "measuring");
  std::vector<double> ratios;
  // Disturbed pairs are made up for, by half as many again at most.
  for (std::int64_t i = 0; i < pairs + pairs / 2 && m_pairs < pairs && !m_interrupted; ++i) {
    Runner* order[] = {i % 2 == 0 ? &a : &b, i % 2 == 0 ? &b : &a};
    for (auto* runner : order) {
      const auto& plan = runner->trainer.plan();
      makeCurrent(*runner, true);
      if (m_interrupted || !block(*runner, std::max<std::int64_t>(1, plan.steps / pairs))) return;
    }
    const auto &lastA = a.measurement.blocks().back().done, &lastB = b.measurement.blocks().back().done;
    if (lastA.disturbed || lastB.disturbed) ++m_discardedPairs;
    else {
      ++m_pairs;
      ratios.push_back(lastB.samples_per_second / lastA.samples_per_second);
    }
    if (!ratios.empty()) m_ratio = medianInterval(ratios);
    updateRace(static_cast<int>(pairs));
  }
}

void Session::updateRace(int planned) {
  const auto ratio = m_ratio.value_or(wire::Interval{});
  m_emit("", wire::RaceUpdated{ratio, raceVerdict(ratio, m_pairs, m_discardedPairs), m_pairs, m_discardedPairs, planned});
}

void Session::evaluate(Runner& runner) {
  if (m_interrupted || !runner.trainer.plan().training || !runner.trainer.plan().spec.flag("evaluate")) return;
  makeCurrent(runner, false);
  phase(runner.variant.name, "evaluating");
  auto evaluation = runner.trainer.evaluate([&] { return !m_control.stopped(); });
  m_interrupted = m_interrupted || m_control.stopped();
  if (!evaluation) return;
  runner.evaluation = evaluation;
  const auto& blocks = runner.measurement.blocks();
  m_emit(runner.variant.name, wire::EpochDone{runner.trainer.epoch(), runner.trainer.steps(), evaluation->samples,
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
      summary.optimizer_steps = runner.trainer.optimizerSteps();
      summary.skipped_steps = runner.trainer.plan().training ? runner.trainer.steps() - runner.trainer.optimizerSteps() : 0;
      summary.epochs = runner.trainer.epoch();
      summary.first_step_milliseconds = runner.first_step;
      summary.startup_milliseconds = runner.startup;
      summary.peak_memory_bytes = runner.trainer.memory().peak();
      summary.rss_bytes = std::max(m_monitor ? m_monitor->peakRss() : 0, treeUsage().rss_bytes);
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

std::optional<wire::RaceSummary> Session::race(const std::string& status) const {
  if (m_variants.size() != 2) return std::nullopt;
  auto both = summaries(status);
  wire::RaceSummary race{both[0], both[1], m_ratio, raceVerdict(m_ratio.value_or(wire::Interval{}), m_pairs, m_discardedPairs), false, m_pairs, m_discardedPairs};
  if (race.a.accuracy && race.b.accuracy) race.same_quality = sameAccuracy(*race.a.accuracy, *race.b.accuracy, race.a.evaluated, race.b.evaluated);
  else if (race.a.loss && race.b.loss) race.same_quality = std::fabs(*race.a.loss - *race.b.loss) <= 0.05 * std::fabs(*race.a.loss);
  return race;
}

}  // namespace atelier::engine
