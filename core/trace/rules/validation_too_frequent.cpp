// validation_too_frequent: the model is evaluated so often, or on so much, that training waits for it.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/trace/rule_tools.h"

namespace atelier::trace {
namespace {

using namespace rules;

// Of training and evaluation together: an evaluation an epoch on a tenth to a sixth of the data takes some five percent.
constexpr double kMostShare = 0.20;
// Every fourth of the evaluations still shows where the loss turns.
constexpr double kSeldomer = 4;

constexpr std::array<std::string_view, 4> kWords{"validat", "evaluat", "eval_", "test_"};

// A range of the user's that says by its name that it evaluates.
bool evaluates(std::string_view name) {
  std::string lower;
  for (const char letter : name.substr(0, 64)) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return lower.starts_with(word); });
}

double ns(std::int64_t value) {
  return static_cast<double>(value);
}

// From the summary: each epoch's evaluation does the forward of as many samples as accuracy was counted on.
double shareFromSummary(const Facts& facts) {
  if (!facts.summary || !facts.summary->accuracy) return 0;
  const auto& run = *facts.summary;
  if (run.epochs < 2 || run.samples <= 0 || run.stages.wall <= 0 || run.evaluated <= 0) return 0;
  // Both of what was measured: of the blocks that count, so that their ratio alone is used.
  const double forward = ns(run.stages.forward) / ns(run.stages.wall);
  const double evaluation = forward * ns(run.evaluated) * ns(run.epochs), training = ns(run.samples);
  return evaluation / (evaluation + training);
}

double shareFromTrace(const Facts& facts, std::vector<std::int32_t>& events) {
  std::int64_t first = INT64_MAX, last = 0, evaluating = 0;
  const auto& trace = facts.trace;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    first = std::min(first, event.start);
    last = std::max(last, event.end());
    if (event.kind != Kind::Range || !evaluates(trace.nameOf(event))) continue;
    const bool nested = event.parent >= 0 && evaluates(trace.nameOf(trace.events[static_cast<std::size_t>(event.parent)]));
    if (nested) continue;
    evaluating += event.duration;
    events.push_back(static_cast<std::int32_t>(i));
  }
  return last > first ? std::min(1.0, ns(evaluating) / ns(last - first)) : 0;
}

std::optional<Finding> look(const Facts& facts) {
  Finding finding;
  std::vector<std::int32_t> ranges;
  const double traced = shareFromTrace(facts, ranges), share = std::max(traced, shareFromSummary(facts));
  // A trace of nothing but an evaluation is one that somebody wanted to look at.
  if (share < kMostShare || (traced == share && facts.report.breakdown.steps == 0)) return std::nullopt;
  expectGain(finding, share, kSeldomer);
  finding.severity = severityOf(finding);
  finding.args = {{"percent", percent(share)}};
  if (traced == share) finding.evidence.push_back({"evidence.evaluation_ranges", {{"percent", percent(share)}}});
  else
    finding.evidence.push_back({"evidence.evaluations",
                                {{"epochs", std::to_string(facts.summary->epochs)},
                                 {"samples", std::to_string(facts.summary->evaluated)},
                                 {"trained", std::to_string(facts.summary->samples)}}});
  ranges.resize(std::min<std::size_t>(ranges.size(), 3));
  finding.events = std::move(ranges);
  return finding;
}

}  // namespace

Rule rule_validation_too_frequent() {
  return {"validation_too_frequent", look};
}

}  // namespace atelier::trace
