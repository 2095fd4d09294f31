// channels_last_missing: convolutions on images laid out channel by channel, on a machine whose kernels like the channels
// side by side.
#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

constexpr double kLeastShare = 0.15;
// What the layout alone brings to float32 convolutions where it pays: the lower end of what is reported and was measured here.
constexpr double kFaster = 1.3;

// Kernels that turn one layout into the other around each convolution: the library would rather have had it so.
double reordersNs(const Facts& facts, Finding& finding) {
  double ns = 0;
  for (const auto& row : facts.report.kernels) {
    const auto& name = facts.trace.names[static_cast<std::size_t>(row.name)];
    if (name.find("nchwToNhwc") == std::string::npos && name.find("nhwcToNchw") == std::string::npos) continue;
    ns += static_cast<double>(row.total_ns);
    addOperator(finding, name);
  }
  return ns;
}

std::optional<Finding> look(const Facts& facts) {
  if (placeOf(facts) == Place::Unknown || facts.flag("channels_last")) return std::nullopt;
  Finding finding;
  double convolutions = 0;
  for (const auto& row : facts.report.operators) {
    if (!isConvolution(nameOf(facts, row))) continue;
    convolutions += workNs(facts, row);
    addOperator(finding, nameOf(facts, row));
    addModules(finding, facts, row);
  }
  const double reorders = reordersNs(facts, finding), share = shareOfWall(facts, convolutions);
  // A trace from elsewhere does not say which layout it had; only the reorders do.
  const bool pays = reorders > 0 || (facts.channels_last_pays && facts.knows("channels_last"));
  if (!pays || share < kLeastShare) return std::nullopt;
  expectGain(finding, share, kFaster);
  finding.args = {{"percent", percent(share)}};
  finding.evidence.push_back({"evidence.convolutions", {{"percent", percent(share)}}});
  if (reorders > 0) finding.evidence.push_back({"evidence.reorders", {{"percent", percent(shareOfWall(facts, reorders))}}});
  if (facts.knows("channels_last")) finding.fix.set["channels_last"] = true;
  return finding;
}

}  // namespace

Rule rule_channels_last_missing() {
  return {"channels_last_missing", look};
}

}  // namespace atelier::trace
