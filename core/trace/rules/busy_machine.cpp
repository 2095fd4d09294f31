// busy_machine: other programs used the machine while it was measured; every other finding is worth less for it.
#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Of all cores. A desktop at rest takes one to five percent; the blocks of a run count as disturbed well below a half.
constexpr double kMostPercent = 15;
constexpr int kFewestBlocks = 2;

std::optional<Finding> look(const Facts& facts) {
  const bool others = facts.others_percent > kMostPercent;
  const int blocks = facts.summary ? facts.summary->blocks : 0;
  const int disturbed = facts.summary ? facts.summary->disturbed_blocks : 0;
  const bool blocksDisturbed = blocks >= kFewestBlocks && 2 * disturbed > blocks;
  if (!others && !blocksDisturbed) return std::nullopt;
  Finding finding;
  finding.severity = Severity::Warning;
  if (others) finding.evidence.push_back({"evidence.others", {{"percent", percent(facts.others_percent / 100)}}});
  if (blocksDisturbed)
    finding.evidence.push_back(
        {"evidence.disturbed_blocks", {{"count", std::to_string(disturbed)}, {"blocks", std::to_string(blocks)}}});
  return finding;
}

}  // namespace

Rule rule_busy_machine() {
  return {"busy_machine", look};
}

}  // namespace atelier::trace
