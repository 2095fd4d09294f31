// sync_in_loop: something in each step asks for a tensor's value: the host waits for the device, and the device then for the
// host.
#include <algorithm>
#include <map>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// A training step needs no value on the host; a loss read every ten steps stays below this.
constexpr double kLeastAStep = 0.5;
// Without waits nearly all of the idleness that they cause goes; the launches after them still take their time.
constexpr double kWithout = 10;
constexpr std::size_t kMostNamed = 3;

struct Where {
  std::string name, module;
  bool operator<(const Where& other) const { return name != other.name ? name < other.name : module < other.module; }
};

struct Count {
  double count = 0, ns = 0;
};

bool inStep(const Facts& facts, const Transfer& transfer) {
  if (transfer.kind != "item" && transfer.kind != "nonzero" && transfer.kind != "synchronise") return false;
  const auto& events = facts.trace.events;
  if (transfer.event < 0 || static_cast<std::size_t>(transfer.event) >= events.size()) return transfer.stage != Stage::None;
  return events[static_cast<std::size_t>(transfer.event)].step >= 0;
}

std::string operatorOf(const Facts& facts, const Transfer& transfer) {
  const auto& events = facts.trace.events;
  if (transfer.event < 0 || static_cast<std::size_t>(transfer.event) >= events.size()) return transfer.kind;
  return facts.trace.nameOf(events[static_cast<std::size_t>(transfer.event)]);
}

std::vector<std::pair<Where, Count>> waitsOf(const Facts& facts, Finding& finding) {
  std::map<Where, Count> places;
  for (const auto& transfer : facts.report.transfers) {
    if (!inStep(facts, transfer)) continue;
    auto& place = places[{operatorOf(facts, transfer), moduleName(facts, transfer.module)}];
    ++place.count;
    place.ns += static_cast<double>(transfer.duration);
    if (transfer.event >= 0 && finding.events.size() < kMostNamed) finding.events.push_back(transfer.event);
  }
  std::vector<std::pair<Where, Count>> sorted(places.begin(), places.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  return sorted;
}

void name(Finding& finding, const Facts& facts, const Where& where, const Count& count) {
  wire::Message message{where.module.empty() ? "evidence.sync" : "evidence.sync_in_module",
                        {{"operator", where.name}, {"count", figure(count.count / stepsOf(facts))}}};
  if (!where.module.empty()) message.args.emplace_back("module", where.module);
  finding.evidence.push_back(std::move(message));
  addOperator(finding, where.name);
  addModule(finding, where.module);
}

std::optional<Finding> look(const Facts& facts) {
  Finding finding;
  const auto waits = waitsOf(facts, finding);
  double count = 0, ns = 0;
  for (const auto& [where, sum] : waits) {
    count += sum.count;
    ns += sum.ns;
  }
  if (count < kLeastAStep * stepsOf(facts)) return std::nullopt;
  const auto place = placeOf(facts);
  // Beside a device the wait itself is no loss, the device's idleness after it is.
  const double share = place == Place::Device ? idleShare(facts, "synchronise")
                       : place == Place::Host ? shareOfWall(facts, ns)
                                              : 0;
  expectGain(finding, share, kWithout);
  // On a CPU a value is there already: a habit to lose before a GPU makes it dear.
  finding.severity = place == Place::Host ? severityOf(finding) : Severity::Warning;
  finding.args = {{"count", figure(count / stepsOf(facts))}};
  for (std::size_t i = 0; i < std::min(kMostNamed, waits.size()); ++i) name(finding, facts, waits[i].first, waits[i].second);
  if (place != Place::Unknown)
    finding.evidence.push_back(
        {place == Place::Host ? "evidence.sync_on_cpu" : "evidence.sync_idle", {{"percent", percent(share)}}});
  return finding;
}

}  // namespace

Rule rule_sync_in_loop() {
  return {"sync_in_loop", look};
}

}  // namespace atelier::trace
