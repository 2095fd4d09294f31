// launch_bound: the step is made of so many small operators that calling them costs more than their work: on a GPU it runs dry
// between launches, on a CPU the framework itself takes the time.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// A fifth of the device's time lost between launches is more than pauses between steps make.
constexpr double kLeastIdle = 0.20;
// Calling an operator takes one to some ten microseconds (dispatch, checks, an autograd node, an output): with twenty on
// average the work does not outweigh the call.
constexpr double kSmallOperatorNs = 20'000;
constexpr double kLeastOverhead = 0.25;
// Of one call, where no view was seen to measure it by: what views take on machines of today.
constexpr double kUsualCallNs = 1'000;
constexpr std::size_t kFewestViews = 5;
// Where no larger batch can be proposed: what fused and compiled steps save of their calls.
constexpr double kWithoutBatch = 2;

// Views move no data: what one takes is the price of a call on this machine.
constexpr std::array<std::string_view, 9> kViews{"aten::as_strided", "aten::view",   "aten::t",
                                                 "aten::transpose",  "aten::detach", "aten::expand",
                                                 "aten::unsqueeze",  "aten::select", "aten::slice"};

double callNs(const Facts& facts) {
  std::vector<double> views;
  const auto& events = facts.trace.events;
  for (std::size_t i = 0; i < events.size() && i < facts.report.times.self.size(); ++i) {
    if (events[i].kind != Kind::Operator || !facts.report.span.has(events[i])) continue;
    if (std::find(kViews.begin(), kViews.end(), facts.trace.nameOf(events[i])) != kViews.end())
      views.push_back(static_cast<double>(facts.report.times.self[i]));
  }
  if (views.size() < kFewestViews) return kUsualCallNs;
  const auto middle = views.begin() + static_cast<std::ptrdiff_t>(views.size() / 2);
  std::nth_element(views.begin(), middle, views.end());
  return *middle;
}

struct Calls {
  double count = 0, mean_ns = 0;
};

Calls callsOf(const Facts& facts) {
  Calls calls;
  for (const auto& row : facts.report.operators) {
    calls.count += static_cast<double>(row.calls);
    calls.mean_ns += static_cast<double>(row.self_ns);
  }
  if (calls.count > 0) calls.mean_ns /= calls.count;
  return calls;
}

// Time that would be spent if the operators had nothing to do.
double overheadShare(const Facts& facts, const Calls& calls) {
  const auto& breakdown = facts.report.breakdown;
  // In the stage of the data no operator need run: a wait there is none of the framework's.
  const auto data = breakdown.stage_ns[static_cast<std::size_t>(Stage::Data)];
  const auto outside = std::max<std::int64_t>(0, breakdown.overhead_ns - data);
  return shareOfWall(facts, static_cast<double>(outside) + calls.count * callNs(facts));
}

std::optional<Finding> look(const Facts& facts) {
  const auto place = placeOf(facts);
  const auto calls = callsOf(facts);
  if (place == Place::Unknown || calls.count == 0) return std::nullopt;
  const bool device = place == Place::Device;
  if (!device && calls.mean_ns >= kSmallOperatorNs) return std::nullopt;
  const double share = device ? idleShare(facts, "launch") : overheadShare(facts, calls);
  if (share < (device ? kLeastIdle : kLeastOverhead)) return std::nullopt;
  Finding finding;
  const auto batch = largerBatch(facts);
  // The calls of a step are shared by all its samples.
  const double factor = batch ? static_cast<double>(*batch) / static_cast<double>(facts.integer("batch")) : kWithoutBatch;
  expectGain(finding, share, factor);
  finding.severity = severityOf(finding);
  finding.args = {{"percent", percent(share)}};
  finding.evidence.push_back(
      {"evidence.operator_calls",
       {{"count", figure(calls.count / stepsOf(facts))}, {"microseconds", microseconds(calls.mean_ns)}}});
  finding.evidence.push_back(
      {device ? "evidence.device_waits_for_launch" : "evidence.framework_overhead", {{"percent", percent(share)}}});
  if (batch) finding.fix.set["batch"] = *batch;
  return finding;
}

}  // namespace

Rule rule_launch_bound() {
  return {"launch_bound", look};
}

}  // namespace atelier::trace
