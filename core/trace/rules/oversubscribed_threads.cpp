// oversubscribed_threads: more threads want to compute than there are cores: they wait for one another.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// A loader's thread waits as often as it works: half as many threads as cores may come on top, and more as long as the cores
// are not all taken.
constexpr double kSlack = 1.5;
constexpr double kTakenPercent = 90;
// A parallel operator ends with its slowest thread; what waiting for a core costs it is taken as a fifth of the time in which
// some thread waits.
constexpr double kFaster = 1.25;

// Loader threads at work at one time, on average; all of them when none was seen.
double busyWorkers(const Facts& facts, std::int64_t workers) {
  double ns = 0;
  for (const auto& event : facts.trace.events)
    if (event.kind == Kind::Loader && facts.report.span.has(event)) ns += static_cast<double>(event.duration);
  const auto all = static_cast<double>(workers);
  return ns > 0 && wallNs(facts) > 0 ? std::min(all, ns / wallNs(facts)) : all;
}

// A split of the cores: workers that fit beside at least half of them for the computation.
void share(Fix& fix, std::int64_t cores, std::int64_t threads, std::int64_t workers) {
  const auto fewer = std::min(workers, cores / 2);
  const auto computing = std::max<std::int64_t>(1, std::min(threads, cores - fewer));
  if (fewer != workers) fix.set["workers"] = fewer;
  if (computing != threads) fix.set["threads"] = computing;
  fix.args = {{"threads", std::to_string(computing)}, {"workers", std::to_string(fewer)}};
}

std::optional<Finding> look(const Facts& facts) {
  const std::int64_t cores = facts.report.peaks.cores;
  if (cores <= 0 || !facts.knows("threads")) return std::nullopt;
  const auto asked = facts.integer("threads"), workers = std::max<std::int64_t>(0, facts.integer("workers"));
  const auto threads = asked > 0 ? asked : cores;
  const auto demand = static_cast<double>(threads) + busyWorkers(facts, workers);
  const auto most = static_cast<double>(cores);
  const auto taken = facts.summary ? facts.summary->cpu_percent.value_or(0) : 0;
  const bool crowded = demand > kSlack * most && taken >= kTakenPercent;
  if (threads <= cores && workers <= cores && !crowded) return std::nullopt;
  Finding finding;
  expectGain(finding, std::max(0.0, demand - most) / demand, kFaster);
  finding.severity = severityOf(finding);
  finding.args = {{"threads", std::to_string(threads)}, {"workers", std::to_string(workers)}, {"cores", std::to_string(cores)}};
  finding.evidence.push_back({"evidence.threads_wanted", {{"count", figure(demand)}, {"cores", std::to_string(cores)}}});
  if (facts.summary && facts.summary->cpu_percent)
    finding.evidence.push_back({"evidence.cpu", {{"percent", percent(*facts.summary->cpu_percent / 100)}}});
  share(finding.fix, cores, threads, workers);
  return finding;
}

}  // namespace

Rule rule_oversubscribed_threads() {
  return {"oversubscribed_threads", look};
}

}  // namespace atelier::trace
