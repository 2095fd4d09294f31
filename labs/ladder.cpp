#include "ladder.h"

#include <algorithm>
#include <cmath>

namespace atelier::lab {
namespace {

// Distances of an interval's ends from its median, in logarithms; infinite where an end is no ratio.
double below(const wire::Interval& ratio) {
  return ratio.low > 0 ? std::log(ratio.median / ratio.low) : INFINITY;
}
double above(const wire::Interval& ratio) {
  return std::log(ratio.high / ratio.median);
}

}  // namespace

bool Ladder::anyRaced() const {
  return std::any_of(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.raced(); });
}

std::optional<wire::Interval> Ladder::climbed() const {
  for (auto rung = rungs.rbegin(); rung != rungs.rend(); ++rung)
    if (rung->raced() && rung->factor) return rung->factor;
  return std::nullopt;
}

wire::Interval product(const wire::Interval& one, const wire::Interval& other) {
  const double median = one.median * other.median;
  return {median, median * std::exp(-std::hypot(below(one), below(other))),
          median * std::exp(std::hypot(above(one), above(other))), std::max(one.count, other.count)};
}

std::optional<double> epochSeconds(const Ladder& ladder, const LadderFigures& at) {
  if (ladder.epoch_samples <= 0 || !at.samples_per_second || !(*at.samples_per_second > 0)) return std::nullopt;
  return static_cast<double>(ladder.epoch_samples) / *at.samples_per_second;
}

LadderFigures ladderFigures(const wire::RunSummary& run) {
  LadderFigures figures{{}, run.accuracy, run.peak_memory_bytes.total};
  if (run.samples_per_second) figures.samples_per_second = run.samples_per_second->median;
  return figures;
}

}  // namespace atelier::lab
