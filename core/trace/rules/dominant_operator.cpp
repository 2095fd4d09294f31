// dominant_operator: one operator takes most of the step. That is as it should be when it is the network's arithmetic and
// runs near what the machine can do; else it is where to look first.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

constexpr double kDominant = 0.40;
// Of the roof that the machine's peaks make for its arithmetic: library kernels for small nets reach a quarter and more.
constexpr double kGoodReach = 0.25;
// How much nearer to the roof other shapes or layouts bring an operator, at most.
constexpr double kMostFaster = 2;

// Of the peak, or of the roof where memory is what bounds it; 0 not known.
double reachOf(const Facts& facts, const OperatorRow& row) {
  double reach = row.peak_share;
  for (const auto& point : facts.report.roofline)
    if (point.name == row.name) reach = std::max(reach, point.share);
  return reach;
}

const OperatorRow* dominant(const Facts& facts) {
  const OperatorRow* most = nullptr;
  for (const auto& row : facts.report.operators)
    if (!most || workNs(facts, row) > workNs(facts, *most)) most = &row;
  return most;
}

std::optional<Finding> look(const Facts& facts) {
  if (placeOf(facts) == Place::Unknown) return std::nullopt;
  const auto* row = dominant(facts);
  if (!row) return std::nullopt;
  const auto& name = nameOf(facts, *row);
  const double share = shareOfWall(facts, workNs(facts, *row)), reach = reachOf(facts, *row);
  // Copies have a rule of their own, which knows what to do about them.
  if (share < kDominant || name == "aten::copy_") return std::nullopt;
  Finding finding;
  const bool arithmetic = isMatmul(name);
  const bool healthy = arithmetic && (reach == 0 || reach >= kGoodReach);
  if (healthy) finding.share = share;
  else expectGain(finding, share, arithmetic ? std::min(kMostFaster, kGoodReach / reach) : 1);
  finding.severity = healthy ? Severity::Healthy : Severity::Hint;
  finding.args = {{"operator", name}, {"percent", percent(share)}, {"ratio", figure(1 / share)}};
  finding.fix.args = {{"operator", name}};
  finding.evidence.push_back({"evidence.operator_share", {{"operator", name}, {"percent", percent(share)}}});
  if (reach > 0) finding.evidence.push_back({"evidence.operator_reach", {{"operator", name}, {"percent", percent(reach)}}});
  addOperator(finding, name);
  addModules(finding, facts, *row);
  finding.events = longestEvents(facts, [&](const Event& e) { return e.kind == Kind::Operator && e.name == row->name; });
  return finding;
}

}  // namespace

Rule rule_dominant_operator() {
  return {"dominant_operator", look};
}

}  // namespace atelier::trace
