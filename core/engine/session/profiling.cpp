// The steps of a session that are looked at: under the profiler, then one under the watch.
#include "core/engine/profile/peaks.h"
#include "core/engine/profile/profiler.h"
#include "core/engine/profile/watch.h"
#include "core/trace/tree.h"
#include "runner.h"
#include "session.h"

namespace atelier::engine {
namespace {

ProfileOptions optionsOf(const wire::RunSpec& spec, const ProfileSchedule& schedule) {
  ProfileOptions options;
  options.schedule = schedule;
  options.shapes = spec.flag("profile_shapes");
  options.memory = spec.flag("profile_memory");
  options.modules = spec.flag("profile_modules");
  return options;
}

}  // namespace

wire::Health Session::lookAtOneStep(Runner& runner) {
  Watch watcher(runner.trainer.model(), false);
  watcher.begin(runner.trainer.steps());
  watch(runner, runner.trainer.step(), false);
  return watcher.end();
}

void Session::profile(Runner& runner) {
  const auto& plan = runner.trainer.plan();
  const auto schedule = parseSchedule(plan.spec.text("profile"));
  if (m_interrupted || !schedule.ok() || !schedule->has_value()) return;
  makeCurrent(runner, true);
  phase(runner.variant.name, "profiling");
  Profiler profiler(runner.trainer, optionsOf(plan.spec, **schedule));
  while (!profiler.done() && !m_interrupted) {
    profiler.beginStep();
    const auto figures = runner.trainer.step();
    profiler.endStep();
    watch(runner, figures, false);
  }
  if (m_interrupted) return;
  ProfileMade made{runner.variant.name, profiler.take(), {}};
  for (const auto& notice : profiler.notices()) m_emit(runner.variant.name, wire::Noticed{notice, "warning"});
  made.health = lookAtOneStep(runner);
  if (const auto& bad = runner.first_bad) {
    made.health.first_bad_module = bad->first_bad_module;
    made.health.first_bad_operator = bad->first_bad_operator;
    made.health.first_bad_stage = bad->first_bad_stage;
    made.health.first_bad_step = bad->first_bad_step;
  }
  made.peaks = measurePeaks(plan.device, plan.threads);
  if (made.peaks.fp32_flops > 0) made.bf16_over_fp32 = made.peaks.bf16_flops / made.peaks.fp32_flops;
  if (runner.others_count > 0) made.others_percent = runner.others_sum / static_cast<double>(runner.others_count);
  const auto span = trace::stepsSpan(made.trace);
  std::int64_t steps = 0;
  for (const auto& event : made.trace.events) steps += event.kind == trace::Kind::Step ? 1 : 0;
  m_emit(runner.variant.name, wire::Profiled{steps, span.to - span.from, static_cast<std::int64_t>(made.trace.events.size()),
                                             made.trace.events_cut});
  m_emit(runner.variant.name, wire::HealthSampled{made.health});
  m_profiles.push_back(std::move(made));
}

}  // namespace atelier::engine
