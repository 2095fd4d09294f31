// What a session keeps of its runs between steps: states in files, to go on from later, and in memory, to go back to when a
// step did harm.
#include <chrono>
#include <utility>

#include "checkpoint.h"
#include "core/engine/module/save_weights.h"
#include "core/engine/monitor/process.h"
#include "runner.h"
#include "session.h"

namespace atelier::engine {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

StateVisit visitOf(Trainer& trainer) {
  return [&trainer](StateArchive& archive) { trainer.state(archive); };
}

// L2, of all gradients together; nullopt when there are none. Reading it waits for a GPU.
std::optional<double> gradientNorm(Trainer& trainer) {
  const at::NoGradGuard noGrad;
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : trainableParameters(trainer.model()))
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  if (gradients.empty()) return std::nullopt;
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2).item<double>();
}

}  // namespace

// Puts a new runner where it begins: at a checkpoint, if it goes on from one; from there it is sound.
wire::Status Session::begin(Runner& runner) {
  auto& trainer = runner.trainer;
  const auto& plan = trainer.plan();
  if (const auto& from = runner.variant.resume.from) {
    const auto position = from->head().position;
    if (position.measured >= plan.steps)
      return wire::Error{
          wire::ExitCode::Usage,
          {"resume.nothing_left",
           {{"run", from->head().run}, {"done", std::to_string(position.measured)}, {"steps", std::to_string(plan.steps)}}}};
    if (auto loaded = from->load(visitOf(trainer)); !loaded.ok()) return loaded;
    runner.position = position;
    runner.resumed = runner.cold = true;
  }
  runner.judged = trainer.optimizerSteps();
  const auto every = plan.spec.integer("rollback");
  if (every == 0 || !plan.training) return wire::success();
  TensorMemory::enter(MemoryPhase::Other);
  runner.good.emplace(every, plan.spec.number("spike_factor"));
  runner.good->keep(trainer.steps(), visitOf(trainer));
  return wire::success();
}

// Judges the step just done, and goes back when it did harm; true when it was found to have done any.
bool Session::rollBack(Runner& runner, const StepFigures& figures) {
  if (!runner.good || m_failure) return false;
  auto& trainer = runner.trainer;
  auto& good = *runner.good;
  // Gradients that no optimizer step was made of do no harm: of an open window, or left out by a loss scaler.
  const bool stepped = trainer.optimizerSteps() != runner.judged;
  runner.judged = trainer.optimizerSteps();
  const auto reason = good.judge(figures.loss, stepped ? gradientNorm(trainer) : std::nullopt);
  const auto step = trainer.steps();
  if (reason.empty()) {
    if (good.due(step)) good.keep(step, visitOf(trainer));
    return false;
  }
  if (good.returns() == GoodState::kMostReturns) {
    m_failure =
        wire::Error{wire::ExitCode::Failed,
                    {"rollback.too_often", {{"count", std::to_string(good.returns())}, {"step", std::to_string(step)}}}};
    return true;
  }
  const auto to = good.goBack(visitOf(trainer));
  trainer.takeLoss();  // the harmful one is in its sum
  runner.judged = trainer.optimizerSteps();
  m_emit(runner.variant.name, wire::RolledBack{step, to, reason});
  m_emit(runner.variant.name, wire::Noticed{{reason, {{"step", std::to_string(step)}, {"to", std::to_string(to)}}}, "warning"});
  return true;
}

// After a step of the plan: writes a checkpoint when one is due, and says what that took.
void Session::keepWhenDue(Runner& runner, StepWatch& watch) {
  const auto& plan = runner.trainer.plan();
  const auto every = plan.spec.integer("checkpoint_every");
  ++runner.since_kept;
  // In a race no block may be longer than its counterpart.
  if (every == 0 || runner.since_kept < every || !plan.training || m_runners.size() > 1 || m_failure) return;
  runner.trainer.synchronize();  // what the device still does is the steps' time
  const auto begin = Clock::now();
  const double cpu = processCpuSeconds();
  keepState(runner, false);
  watch.own_seconds = secondsSince(begin);
  watch.own_cpu_seconds = processCpuSeconds() - cpu;
}

// When the steps are done, or were stopped: what is asked for at the end, or what a run that was stopped goes on from.
void Session::keepLast(Runner& runner) {
  const auto& plan = runner.trainer.plan();
  if (!plan.training || m_failure || (m_interrupted && !runner.exact)) return;
  const bool save = plan.spec.flag("save");
  const bool unsaved = m_interrupted && m_runners.size() == 1 && plan.spec.integer("checkpoint_every") > 0;
  if (save || unsaved) keepState(runner, save);
}

void Session::keepState(Runner& runner, bool weights) {
  const auto& variant = runner.variant;
  if (variant.folder.empty()) return;
  TensorMemory::enter(MemoryPhase::Other);
  const auto begin = Clock::now();
  const CheckpointHead head{variant.run_id, runner.trainer.steps(), variant.spec.toJson(), runner.position};
  auto written = writeCheckpoint(variant.folder / kCheckpointFile, head, visitOf(runner.trainer));
  if (written.ok() && weights)
    if (const auto saved = saveWeights(variant.folder / kWeightsFile, runner.trainer.model()); !saved.ok())
      written = saved.error();
  runner.since_kept = 0;
  if (!written.ok()) {
    if (!std::exchange(runner.keeping_failed, true))
      for (const auto& message : written.error().messages) m_emit(variant.name, wire::Noticed{message, "warning"});
    return;
  }
  runner.keeping_failed = false;
  m_emit(variant.name, wire::CheckpointWritten{head.step, kCheckpointFile, *written, 1e3 * secondsSince(begin)});
}

}  // namespace atelier::engine
