#include "run_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bounded_curve.h"

namespace atelier::app {

namespace {

double seconds(const wire::RunEvent& event) {
  return static_cast<double>(event.t) * 1e-9;
}

// Order statistics that enclose the median with about 95 % confidence: normal approximation of the binomial ranks.
struct Ranks {
  qsizetype low, high;
};
Ranks medianRanks(qsizetype count) {
  const double half = 0.98 * std::sqrt(static_cast<double>(count));
  const double middle = static_cast<double>(count) / 2;
  const auto low = static_cast<qsizetype>(std::floor(middle - half));
  const auto high = static_cast<qsizetype>(std::ceil(middle + half));
  return {std::clamp<qsizetype>(low, 0, count - 1), std::clamp<qsizetype>(high, 0, count - 1)};
}

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// In a race a variant says nothing while the other runs: the line breaks there instead of bridging the other's blocks.
void addBroken(Curve& curve, double at, double value) {
  constexpr double kSilence = 0.6;
  const auto count = curve.x.size();
  if (count >= 2) {
    const double spacing = curve.x[count - 1] - curve.x[count - 2], silence = at - curve.x[count - 1];
    if (silence > std::max(kSilence, 3 * spacing)) addBounded(curve, curve.x[count - 1] + silence / 2, kGap);
  }
  addBounded(curve, at, value);
}

}  // namespace

void RunSeries::take(const wire::RunEvent& event) {
  const double at = seconds(event);
  if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) {
    m_runId = QString::fromStdString(started->run_id);
    m_spec = started->spec;
    m_environment = started->environment;
    m_planned = started->planned_steps + started->warmup_steps;
  } else if (const auto* phase = std::get_if<wire::PhaseChanged>(&event.body)) {
    m_phase = QString::fromStdString(phase->phase);
    // A pause is time in which nothing was measured: the line breaks instead of bridging it.
    if (phase->phase == "paused" && !m_rate.x.isEmpty()) addBounded(m_rate, at, kGap);
  } else if (const auto* progress = std::get_if<wire::Progress>(&event.body)) {
    takeProgress(*progress, at);
  } else if (const auto* memory = std::get_if<wire::MemorySampled>(&event.body)) {
    takeMemory(*memory, at);
  } else if (const auto* system = std::get_if<wire::SystemSampled>(&event.body)) {
    addBroken(m_cpu, at, system->cpu_percent);
    addBounded(m_rss, at, static_cast<double>(system->rss_bytes));
  } else if (const auto* block = std::get_if<wire::BlockDone>(&event.body)) {
    takeBlock(*block, at);
  } else if (const auto* epoch = std::get_if<wire::EpochDone>(&event.body)) {
    addBounded(m_accuracy, at, epoch->accuracy);
  } else if (const auto* scale = std::get_if<wire::ScaleChanged>(&event.body)) {
    takeScale(*scale, at);
  } else if (const auto* finished = std::get_if<wire::RunFinished>(&event.body)) {
    m_summary = finished->summary;
  } else if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) {
    m_failure = *failed;
  }
}

void RunSeries::takeProgress(const wire::Progress& progress, double at) {
  m_step = progress.step;
  if (progress.planned_steps > 0) m_planned = progress.planned_steps;
  addBroken(m_rate, at, progress.samples_per_second);
  if (progress.loss) addBroken(m_loss, at, *progress.loss);
  if (progress.queue) addBroken(m_queue, at, *progress.queue);
  if (progress.waiting) addBroken(m_waiting, at, *progress.waiting);
}

// A scale holds until it changes: a staircase, which began at the run's start.
void RunSeries::takeScale(const wire::ScaleChanged& scale, double at) {
  if (m_lossScale.x.isEmpty()) addBounded(m_lossScale, 0, scale.was);
  addBounded(m_lossScale, at, scale.was);
  addBounded(m_lossScale, at, scale.is);
}

void RunSeries::takeMemory(const wire::MemorySampled& memory, double at) {
  const auto& live = memory.live;
  QVector<double> parts;
  for (const std::int64_t bytes : {live.weights, live.optimizer, live.gradients, live.activations, live.other})
    parts.append(static_cast<double>(bytes));
  addBounded(m_memory, at, parts);
  addBroken(m_memoryTotal, at, static_cast<double>(live.total));
  m_budget = memory.budget_bytes;
}

void RunSeries::takeBlock(const wire::BlockDone& block, double at) {
  if (block.disturbed) {
    addBounded(m_disturbed, {std::max(0.0, at - block.seconds), at, block.reason});
    return;
  }
  if (!std::isfinite(block.samples_per_second)) return;
  takeRate(block.samples_per_second);
  const auto ranks = medianRanks(m_blockRates.size());
  addBounded(m_band, at, m_blockRates[ranks.low], m_blockRates[ranks.high]);
}

// Every other one of the sorted rates is as good a sample of the blocks, and half as large; the interval is then that of the
// sample, a little wider than that of all.
void RunSeries::takeRate(double rate) {
  if (m_blocks++ % m_stride != 0) return;
  if (m_blockRates.size() >= kMostPoints) {
    qsizetype kept = 0;
    for (qsizetype i = 0; i < m_blockRates.size(); i += 2) m_blockRates[kept++] = m_blockRates[i];
    m_blockRates.resize(kept);
    m_stride *= 2;
  }
  m_blockRates.insert(std::lower_bound(m_blockRates.begin(), m_blockRates.end(), rate), rate);
}

}  // namespace atelier::app
