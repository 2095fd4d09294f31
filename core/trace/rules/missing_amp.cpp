// missing_amp: matmuls and convolutions run in float32 on a machine that is measurably faster at bfloat16.
#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// A smaller measured ratio is eaten up by the conversions that autocast adds.
constexpr double kLeastRatio = 1.3;
constexpr double kLeastShare = 0.10;
// Of the work in matrix units: from here on the convolutions decide what the layout is worth.
constexpr double kMostlyConvolutions = 0.5;

double ratioOf(const Facts& facts) {
  if (facts.bf16_over_fp32 > 0) return facts.bf16_over_fp32;
  const auto& peaks = facts.report.peaks;
  return peaks.fp32_flops > 0 ? peaks.bf16_flops / peaks.fp32_flops : 0;
}

struct Eligible {
  double ns = 0, convolutions_ns = 0;
};

void count(Eligible& eligible, Finding& finding, const std::string& name, double ns) {
  eligible.ns += ns;
  if (isConvolution(name)) eligible.convolutions_ns += ns;
  addOperator(finding, name);
}

// The spec says what precision all of them have.
Eligible ofRows(const Facts& facts, Finding& finding) {
  Eligible eligible;
  for (const auto& row : facts.report.operators) {
    if (!isMatmul(nameOf(facts, row))) continue;
    count(eligible, finding, nameOf(facts, row), workNs(facts, row));
    addModules(finding, facts, row);
  }
  return eligible;
}

// Without a spec the recorded inputs say it.
Eligible ofEvents(const Facts& facts, Finding& finding) {
  Eligible eligible;
  const auto& trace = facts.trace;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    const auto* detail = trace.detailOf(event);
    if (event.kind != Kind::Operator || !detail || detail->inputs.empty() || detail->inputs.front().dtype != "float") continue;
    if (!isMatmul(trace.nameOf(event)) || !facts.report.span.has(event)) continue;
    count(eligible, finding, trace.nameOf(event), workNs(facts, i));
    addModule(finding, moduleName(facts, event.module));
  }
  return eligible;
}

std::optional<Finding> look(const Facts& facts) {
  const auto ratio = ratioOf(facts);
  const auto place = placeOf(facts);
  const auto precision = facts.text("precision");
  if (place == Place::Unknown || ratio < kLeastRatio) return std::nullopt;
  if (!precision.empty() && precision != "fp32" && precision != "tf32") return std::nullopt;
  Finding finding;
  const auto eligible = precision.empty() ? ofEvents(facts, finding) : ofRows(facts, finding);
  const double share = shareOfWall(facts, eligible.ns);
  if (share < kLeastShare) return std::nullopt;
  expectGain(finding, share, ratio);
  finding.args = {{"percent", percent(share)}};
  finding.evidence.push_back({"evidence.float_matmuls", {{"percent", percent(share)}}});
  finding.evidence.push_back({"evidence.bf16_ratio", {{"ratio", figure(ratio)}}});
  if (precision.empty()) return finding;
  finding.fix.set["precision"] = "bf16";
  // A CPU has fast bfloat16 convolutions for the layout of channels_last only; in the other they are many times slower than
  // those in float32.
  const bool convolutions = eligible.convolutions_ns > kMostlyConvolutions * eligible.ns;
  if (place == Place::Host && convolutions && facts.knows("channels_last") && !facts.flag("channels_last")) {
    finding.fix.set["channels_last"] = true;
    finding.evidence.push_back({"evidence.bf16_needs_channels_last"});
  }
  return finding;
}

}  // namespace

Rule rule_missing_amp() {
  return {"missing_amp", look};
}

}  // namespace atelier::trace
