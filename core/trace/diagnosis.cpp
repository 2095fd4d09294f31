#include "diagnosis.h"

#include <algorithm>

namespace atelier::trace {

std::vector<Finding> diagnose(const Facts& facts) {
  std::vector<Finding> findings;
  for (const auto& rule : allRules()) {
    auto finding = rule.look(facts);
    if (!finding) continue;
    finding->rule = rule.id;
    findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    if (a.expected_gain != b.expected_gain) return a.expected_gain > b.expected_gain;
    return a.share > b.share;
  });
  return findings;
}

double amdahl(double share, double speedup) {
  const double part = std::clamp(share, 0.0, 1.0);
  return 1 / (1 - part + part / speedup);
}

std::string_view severityName(Severity severity) {
  switch (severity) {
    case Severity::Critical:
      return "critical";
    case Severity::Warning:
      return "warning";
    case Severity::Hint:
      return "hint";
    case Severity::Healthy:
      break;
  }
  return "healthy";
}

}  // namespace atelier::trace
