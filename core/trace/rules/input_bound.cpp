// input_bound: the step waits for its batch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Below a tenth the end of all waiting would bring less than 1.11 ×: other things come first.
constexpr double kLeastShare = 0.10;
// Where the number of cores is not known: more processes than this seldom help a single training.
constexpr double kMostWorkers = 8;

double waitingShare(const Facts& facts) {
  switch (placeOf(facts)) {
    case Place::Host:
      return facts.stageShare(Stage::Data);
    case Place::Device:  // the host may wait while the device still works: only the device's idleness costs
      return idleShare(facts, "data");
    case Place::Unknown:
      break;
  }
  return 0;
}

// Time to make a batch as the loader's workers were seen to take; 0 when none was seen.
double seenMakingNs(const Facts& facts) {
  double sum = 0, count = 0;
  for (const auto& event : facts.trace.events) {
    if (event.kind != Kind::Loader) continue;
    sum += static_cast<double>(event.duration);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

struct Supply {
  double making = 0, compute = 0;  // ns a batch, and ns a step without its wait
  std::int64_t workers = 0, needed = 1;
};

Supply supplyOf(const Facts& facts, double share) {
  Supply supply;
  supply.workers = facts.integer("workers");
  const double step = facts.stepNs();
  supply.compute = std::max(1.0, step * (1 - share));
  supply.making = seenMakingNs(facts);
  // Unseen, it is what the step waits for, or what so many workers need a step for.
  if (supply.making <= 0) supply.making = supply.workers > 0 ? step * static_cast<double>(supply.workers) : step * share;
  const auto cores = facts.report.peaks.cores;
  const double most = cores > 0 ? cores : kMostWorkers;
  supply.needed = static_cast<std::int64_t>(std::clamp(std::ceil(supply.making / supply.compute), 1.0, most));
  return supply;
}

// How many times shorter the wait becomes when the needed workers make batches beside the step. Where there are as many
// already, cheaper batches can end it.
double speedupOf(const Supply& supply, double waitNs) {
  const double left = supply.making / static_cast<double>(supply.needed) - supply.compute;
  if (supply.needed <= supply.workers || left <= 0) return std::numeric_limits<double>::infinity();
  return std::max(1.0, waitNs / left);
}

std::optional<Finding> look(const Facts& facts) {
  const double share = waitingShare(facts);
  if (share < kLeastShare) return std::nullopt;
  Finding finding;
  const auto supply = supplyOf(facts, share);
  const double wait = facts.stepNs() * share;
  expectGain(finding, share, speedupOf(supply, wait));
  finding.severity = severityOf(finding);
  finding.args = {{"percent", percent(share)}};
  finding.evidence.push_back({"evidence.data_wait", {{"milliseconds", milliseconds(wait)}, {"percent", percent(share)}}});
  if (const double seen = seenMakingNs(facts); seen > 0)
    finding.evidence.push_back({"evidence.batch_made", {{"milliseconds", milliseconds(seen)}}});
  if (facts.knows("workers")) finding.evidence.push_back({"evidence.workers", {{"count", std::to_string(supply.workers)}}});
  if (facts.knows("workers") && supply.needed > supply.workers) finding.fix.set["workers"] = supply.needed;
  finding.fix.args = {{"workers", std::to_string(std::max(supply.needed, supply.workers))}};
  finding.events = longestEvents(facts, [](const Event& e) { return e.kind == Kind::Range && e.stage == Stage::Data; });
  return finding;
}

}  // namespace

Rule rule_input_bound() {
  return {"input_bound", look};
}

}  // namespace atelier::trace
