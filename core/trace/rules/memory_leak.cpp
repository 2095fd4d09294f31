// memory_leak: each step leaves more behind than it found: something keeps tensors, often a loss with its whole graph.
#include <algorithm>
#include <map>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Of what is alive, a step. Batches that a loader holds ready come and go, but not steadily.
constexpr double kLeastGrowth = 0.005;
constexpr double kSteady = 0.5;
constexpr std::int64_t kFewestSteps = 3;
constexpr std::size_t kMostNamed = 3;

// Changes of the live bytes from one step's end to the next, of the memory that the report is of.
std::vector<std::int64_t> changesOf(const Facts& facts) {
  std::vector<std::int64_t> ends, changes;
  for (const auto& event : facts.trace.events)
    if (event.kind == Kind::Step) ends.push_back(event.end());
  std::sort(ends.begin(), ends.end());
  const bool device = facts.report.breakdown.device_busy_ns > 0;
  std::int64_t live = 0, before = 0;
  std::size_t next = 0;
  const auto close = [&](std::int64_t time) {
    for (; next < ends.size() && ends[next] < time; ++next) {
      if (next > 0) changes.push_back(live - before);
      before = live;
    }
  };
  for (const auto& allocation : facts.trace.memory) {
    if ((allocation.device >= 0) != device) continue;
    close(allocation.time);
    live += allocation.bytes;
  }
  close(INT64_MAX);
  return changes;
}

bool steady(const Facts& facts, double growth) {
  const auto changes = changesOf(facts);
  return std::all_of(changes.begin(), changes.end(),
                     [&](std::int64_t change) { return static_cast<double>(change) >= kSteady * growth; });
}

struct Origin {
  double bytes = 0;
  std::int32_t event = -1;
};

// Who made what was not freed, the last step left out: it may yet free what it made.
std::map<std::pair<std::string, std::string>, Origin> originsOf(const Facts& facts) {
  std::map<std::pair<std::string, std::string>, Origin> origins;
  const auto& events = facts.trace.events;
  for (const auto& tensor : facts.report.memory.at_peak) {
    if (tensor.until >= 0 || tensor.event < 0 || static_cast<std::size_t>(tensor.event) >= events.size()) continue;
    const auto& event = events[static_cast<std::size_t>(tensor.event)];
    if (event.step < 0 || event.step >= facts.report.breakdown.steps - 1) continue;
    auto& origin = origins[{facts.trace.nameOf(event), moduleName(facts, tensor.module)}];
    origin.bytes += static_cast<double>(tensor.bytes);
    if (origin.event < 0) origin.event = tensor.event;
  }
  return origins;
}

void nameOrigins(Finding& finding, const Facts& facts) {
  const auto origins = originsOf(facts);
  std::vector<std::pair<std::pair<std::string, std::string>, Origin>> sorted(origins.begin(), origins.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  for (std::size_t i = 0; i < std::min(kMostNamed, sorted.size()); ++i) {
    const auto& [names, origin] = sorted[i];
    wire::Message message{names.second.empty() ? "evidence.kept" : "evidence.kept_of_module",
                          {{"operator", names.first}, {"mebibytes", mebibytes(origin.bytes)}}};
    if (!names.second.empty()) message.args.emplace_back("module", names.second);
    finding.evidence.push_back(std::move(message));
    finding.events.push_back(origin.event);
    addOperator(finding, names.first);
    addModule(finding, names.second);
  }
}

std::optional<Finding> look(const Facts& facts) {
  const auto& memory = facts.report.memory;
  const auto growth = static_cast<double>(memory.growth_per_step), live = static_cast<double>(memory.peak.total());
  if (facts.report.breakdown.steps < kFewestSteps || live <= 0 || growth < kLeastGrowth * live) return std::nullopt;
  if (!steady(facts, growth)) return std::nullopt;
  Finding finding;
  finding.severity = Severity::Warning;
  finding.args = {{"mebibytes", mebibytes(growth)}};
  finding.evidence.push_back({"evidence.growth", {{"mebibytes", mebibytes(growth)}, {"percent", percent(growth / live)}}});
  if (facts.budget_bytes > 0) {
    const double left = std::max(0.0, static_cast<double>(facts.budget_bytes) - live);
    finding.evidence.push_back({"evidence.steps_left", {{"count", figure(left / growth)}}});
  }
  nameOrigins(finding, facts);
  return finding;
}

}  // namespace

Rule rule_memory_leak() {
  return {"memory_leak", look};
}

}  // namespace atelier::trace
