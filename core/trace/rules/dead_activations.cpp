// dead_activations: a ReLU whose output is nearly all zeros: its units pass nothing on and get no gradient.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// A ReLU in a network that learns puts half to nine tenths of its outputs to zero.
constexpr double kDead = 0.95;
constexpr std::size_t kMostNamed = 3;

std::optional<Finding> look(const Facts& facts) {
  Finding finding;
  double worst = 0;
  for (const auto& stats : facts.health.activations) {
    if ((stats.type != "ReLU" && stats.type != "ReLU6") || stats.count <= 0) continue;
    const double zeros = static_cast<double>(stats.zeros) / static_cast<double>(stats.count);
    if (zeros <= kDead) continue;
    const auto name = stats.module.empty() ? std::string("model") : stats.module;
    addModule(finding, name);
    // The first is the worst named: what follows a dead layer is fed by its zeros.
    if (finding.evidence.empty()) finding.args = {{"module", name}, {"percent", percent(zeros)}};
    if (finding.evidence.size() < kMostNamed)
      finding.evidence.push_back({"evidence.zeros", {{"module", name}, {"percent", percent(zeros)}}});
    worst = std::max(worst, zeros);
  }
  if (worst <= 0) return std::nullopt;
  finding.severity = Severity::Warning;
  return finding;
}

}  // namespace

Rule rule_dead_activations() {
  return {"dead_activations", look};
}

}  // namespace atelier::trace
