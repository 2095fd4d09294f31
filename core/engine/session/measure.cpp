#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/engine/monitor/process.h"
#include "statistics.h"

namespace atelier::engine {
namespace {

constexpr std::size_t kFewestCalm = 6;
constexpr std::int64_t kReserved = 1 << 16;

}  // namespace

std::vector<const Block*> Measurement::counted() const {
  std::vector<const Block*> all, calm;
  for (const auto& block : m_blocks) {
    if (block.done.steps == 0) continue;
    all.push_back(&block);
    if (!block.done.disturbed && block.complete) calm.push_back(&block);
  }
  // A few calm blocks among many disturbed ones would make an interval that is narrow for want of values.
  return calm.size() >= std::min<std::size_t>(kFewestCalm, all.size()) ? calm : all;
}

std::vector<double> Measurement::rates() const {
  std::vector<double> rates;
  for (const auto* block : counted()) rates.push_back(block->done.samples_per_second);
  return rates;
}

void Measurement::summarise(wire::RunSummary& summary, int cores) const {
  std::vector<double> rates, milliseconds;
  double cpu = 0, seconds = 0;
  for (const auto& block : m_blocks) {
    summary.steps += block.done.steps;
    summary.samples += block.done.samples;
    summary.disturbed_blocks += block.done.disturbed ? 1 : 0;
    if (block.done.loss) summary.loss = block.done.loss;
  }
  summary.blocks = static_cast<int>(m_blocks.size());
  for (const auto* block : counted()) {
    rates.push_back(block->done.samples_per_second);
    milliseconds.insert(milliseconds.end(), block->step_milliseconds.begin(), block->step_milliseconds.end());
    cpu += block->cpu_seconds;
    seconds += block->done.seconds;
    auto& sum = summary.stages;
    const auto& part = block->done.stages;
    sum.data += part.data;
    sum.forward += part.forward;
    sum.backward += part.backward;
    sum.optimizer += part.optimizer;
    sum.other += part.other;
    sum.wall += part.wall;
  }
  if (rates.empty()) return;
  summary.samples_per_second = medianInterval(rates);
  summary.step_p50 = quantile(milliseconds, 0.5);
  summary.step_p90 = quantile(milliseconds, 0.9);
  summary.step_p99 = quantile(milliseconds, 0.99);
  if (seconds > 0) summary.cpu_percent = 100 * cpu / (seconds * cores);
}

Block measureBlock(Trainer& trainer, std::int64_t number, std::int64_t steps, int cores, const AfterStep& afterStep) {
  using Clock = std::chrono::steady_clock;
  Block block;
  block.done.block = number;
  block.step_milliseconds.reserve(static_cast<std::size_t>(std::min(steps, kReserved)));
  trainer.synchronize();
  trainer.takeLoss();
  const auto& plan = trainer.plan();
  Contention contention(plan.threads + static_cast<int>(plan.spec.integer("workers")), cores);
  contention.begin();
  const double cpu = processCpuSeconds();
  double paused = 0, own = 0, ownCpu = 0;
  const auto begin = Clock::now();
  auto& stages = block.done.stages;
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto figures = trainer.step();
    ++block.done.steps;
    block.done.samples += figures.samples;
    block.step_milliseconds.push_back(static_cast<double>(figures.stages.wall) * 1e-6);
    stages.data += figures.stages.data;
    stages.forward += figures.stages.forward;
    stages.backward += figures.stages.backward;
    stages.optimizer += figures.stages.optimizer;
    const auto watch = afterStep(figures);
    paused += watch.paused_seconds;
    own += watch.own_seconds;
    ownCpu += watch.own_cpu_seconds;
    if (!watch.go_on) {
      block.complete = i + 1 == steps;
      break;
    }
  }
  trainer.synchronize();
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count() - paused - own;
  block.cpu_seconds = processCpuSeconds() - cpu - ownCpu;
  block.done.reason = paused > 0 ? "busy.paused" : disturbance(contention.end(), cores);
  block.done.disturbed = !block.done.reason.empty();
  block.done.seconds = elapsed;
  block.done.samples_per_second = static_cast<double>(block.done.samples) / elapsed;
  stages.wall = std::llround(elapsed * 1e9);
  stages.other = stages.wall - stages.data - stages.forward - stages.backward - stages.optimizer;
  block.done.loss = trainer.takeLoss();
  return block;
}

}  // namespace atelier::engine
