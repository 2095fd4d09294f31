// gradient_exploding: gradients are so large, or grow so fast from layer to layer, that a step throws the weights about.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Global L2 norm. Networks that learn have one between 0.1 and 10, a first step up to some tens; clipping is usually set to 1.
constexpr double kExploded = 100, kHopeless = 1e4;
// Towards the input, several layers on end.
constexpr double kGrowth = 10;
constexpr std::size_t kLayersOnEnd = 3;

// The layer to which the gradient has grown tenfold a layer, three times running; nullptr when it has not.
const Layer* grown(const std::vector<Layer>& layers) {
  std::size_t run = 0;
  for (std::size_t i = layers.size(); i-- > 1;) {
    const bool grows = layers[i].typical > 0 && layers[i - 1].typical > kGrowth * layers[i].typical;
    run = grows ? run + 1 : 0;
    if (run == kLayersOnEnd) return &layers[i - 1];
  }
  return nullptr;
}

// The remedy that is not in use yet: the cause where it is known, then clipping, then a rise of the learning rate.
void propose(const Facts& facts, bool clipped, Fix& fix) {
  if (facts.text("init") == "large") fix.set["init"] = "kaiming";
  if (facts.knows("clip_norm") && !clipped) fix.set["clip_norm"] = 1.0;
  else if (facts.knows("warmup_steps") && facts.integer("warmup_steps") == 0 && facts.text("schedule") != "one-cycle")
    fix.set["warmup_steps"] = 100;
}

std::optional<Finding> look(const Facts& facts) {
  const auto layers = layersOf(facts.health);
  const double norm = facts.health.gradient_norm;
  const auto* growing = grown(layers);
  if (!(norm > kExploded) && !growing) return std::nullopt;
  Finding finding;
  const bool clipped =
      facts.spec.contains("clip_norm") && facts.spec["clip_norm"].is_number() && facts.spec["clip_norm"].get<double>() > 0;
  finding.severity = clipped ? Severity::Hint : norm > kHopeless ? Severity::Critical : Severity::Warning;
  finding.args = {{"norm", figure(norm)}};
  finding.evidence.push_back({"evidence.gradient_norm", {{"norm", figure(norm)}}});
  const auto largest =
      std::max_element(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a.norm < b.norm; });
  if (largest != layers.end()) {
    finding.evidence.push_back({"evidence.largest_gradient", {{"module", largest->name}, {"norm", figure(largest->norm)}}});
    addModule(finding, largest->name);
  }
  if (growing) {
    finding.evidence.push_back({"evidence.gradient_grows", {{"module", growing->name}, {"times", figure(kGrowth)}}});
    addModule(finding, growing->name);
  }
  propose(facts, clipped, finding.fix);
  return finding;
}

}  // namespace

Rule rule_gradient_exploding() {
  return {"gradient_exploding", look};
}

}  // namespace atelier::trace
