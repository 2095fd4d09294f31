// recomputed_constants: the model makes the same constant tensor (positions, a causal mask) anew in each forward.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Making a small tensor costs some microseconds: below a hundredth of the step it is not worth a line of code.
constexpr double kLeastShare = 0.01;
constexpr std::size_t kMostNamed = 3;

// What they make follows from their arguments alone.
constexpr std::array<std::string_view, 9> kMakers{"aten::arange", "aten::ones", "aten::zeros", "aten::full",    "aten::tril",
                                                  "aten::triu",   "aten::eye",  "aten::range", "aten::linspace"};

bool isMaker(std::string_view name) {
  return std::find(kMakers.begin(), kMakers.end(), name) != kMakers.end();
}

struct Constant {
  std::string name, module, arguments;
  auto operator<=>(const Constant&) const = default;
};

struct Making {
  double ns = 0, count = 0;
  std::vector<std::int32_t> events;
};

std::string argumentsOf(const Detail* detail) {
  std::string text;
  if (!detail) return text;
  for (const auto& input : detail->inputs) {
    text += input.dtype + "[";
    for (const auto size : input.sizes) text += std::to_string(size) + ",";
    text += "]";
  }
  for (const auto& scalar : detail->scalars) text += scalar + ";";
  return text;
}

// With what it calls; on a device, of what it launched there.
double costNs(const Facts& facts, std::size_t event) {
  if (facts.report.breakdown.device_busy_ns <= 0) return static_cast<double>(facts.trace.events[event].duration);
  const auto& device = facts.report.times.device_total;
  return event < device.size() ? static_cast<double>(device[event]) : 0;
}

std::map<Constant, Making> makingsOf(const Facts& facts) {
  std::map<Constant, Making> all;
  const auto& trace = facts.trace;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.kind != Kind::Operator || event.stage != Stage::Forward || event.backward || event.step < 0) continue;
    if (event.module < 0 || !isMaker(trace.nameOf(event))) continue;
    // aten::arange calls itself with an output given: once is enough.
    if (event.parent >= 0 && isMaker(trace.nameOf(trace.events[static_cast<std::size_t>(event.parent)]))) continue;
    auto& making = all[{trace.nameOf(event), moduleName(facts, event.module), argumentsOf(trace.detailOf(event))}];
    making.ns += costNs(facts, i);
    ++making.count;
    if (making.events.empty()) making.events.push_back(static_cast<std::int32_t>(i));
  }
  // What is not made in every step may well change from step to step.
  std::erase_if(all, [&](const auto& entry) { return entry.second.count < std::max(2.0, stepsOf(facts)); });
  return all;
}

std::optional<Finding> look(const Facts& facts) {
  if (placeOf(facts) == Place::Unknown) return std::nullopt;
  const auto constants = makingsOf(facts);
  std::vector<std::pair<Constant, Making>> sorted(constants.begin(), constants.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  double ns = 0;
  for (const auto& [constant, making] : sorted) ns += making.ns;
  const double share = shareOfWall(facts, ns);
  if (share < kLeastShare) return std::nullopt;
  Finding finding;
  expectGain(finding, share, std::numeric_limits<double>::infinity());
  finding.severity = severityOf(finding);
  finding.args = {{"percent", percent(share)}};
  for (std::size_t i = 0; i < std::min(kMostNamed, sorted.size()); ++i) {
    const auto& [constant, making] = sorted[i];
    finding.evidence.push_back({"evidence.constant",
                                {{"operator", constant.name},
                                 {"module", constant.module},
                                 {"count", figure(making.count / stepsOf(facts))},
                                 {"microseconds", microseconds(making.ns / stepsOf(facts))}}});
    addOperator(finding, constant.name);
    addModule(finding, constant.module);
    finding.events.insert(finding.events.end(), making.events.begin(), making.events.end());
  }
  return finding;
}

}  // namespace

Rule rule_recomputed_constants() {
  return {"recomputed_constants", look};
}

}  // namespace atelier::trace
