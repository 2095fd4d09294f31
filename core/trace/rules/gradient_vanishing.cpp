// gradient_vanishing: hardly any gradient reaches the first layers, which so do not learn.
#include <algorithm>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// First layers against last, by the typical size of a gradient's values: networks that learn stay within a hundred or two. Of
// the first third the largest counts: the gradients of an attention's queries and keys are small by nature, and a new head's
// on a pretrained model are large.
constexpr double kVanished = 1e-4;
// Fewer layers have no depth to vanish in.
constexpr std::size_t kFewestLayers = 4;

// Of a model that has the switch, a normalisation; else weights that keep the variance, unless they were learnt elsewhere.
void propose(const Facts& facts, Fix& fix) {
  const auto model = facts.text("model"), init = facts.text("init");
  if (model == "deep-mlp" && facts.text("normalise") == "none") fix.set["normalise"] = "batch";
  else if ((init == "default" || init == "small") && !model.starts_with("hf:") && facts.text("weights").empty())
    fix.set["init"] = model == "deep-mlp" && facts.text("activation") == "tanh" ? "xavier" : "kaiming";
}

std::optional<Finding> look(const Facts& facts) {
  // Parameters that are not trained have no gradient, as was asked for.
  if (facts.text("freeze", "none") != "none") return std::nullopt;
  const auto layers = layersOf(facts.health);
  if (layers.size() < kFewestLayers) return std::nullopt;
  const auto third = layers.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, layers.size() / 3));
  const auto& first = *std::max_element(layers.begin(), third,
                                        [](const auto& a, const auto& b) { return a.typical < b.typical; });
  const auto& last = layers.back();
  if (!(last.typical > 0) || !(first.typical < kVanished * last.typical)) return std::nullopt;
  Finding finding;
  finding.severity = Severity::Warning;
  finding.args = {{"first", first.name}, {"last", last.name}};
  if (first.typical > 0)
    finding.evidence.push_back(
        {"evidence.gradient_shrinks",
         {{"first", first.name}, {"last", last.name}, {"times", figure(last.typical / first.typical, 2)}}});
  else finding.evidence.push_back({"evidence.gradient_zero", {{"first", first.name}}});
  for (const auto& layer : layers)
    if (layer.typical < kVanished * last.typical) addModule(finding, layer.name);
  propose(facts, finding.fix);
  finding.evidence.push_back({"evidence.gradient_layers", {{"count", std::to_string(layers.size())}}});
  return finding;
}

}  // namespace

Rule rule_gradient_vanishing() {
  return {"gradient_vanishing", look};
}

}  // namespace atelier::trace
