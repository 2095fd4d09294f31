#include "profile_files.h"

#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/trace/chrome_json.h"
#include "core/trace/diagnosis_text.h"

namespace atelier::worker {
namespace {

using nlohmann::json;

// What channels_last gains depends on the vector units that oneDNN finds; where bfloat16 has units of its own, it pays.
constexpr double kUnitsForBfloat16 = 1.5;

json findingJson(const trace::Finding& finding, const wire::Catalog* texts) {
  auto result = trace::toJson(finding);
  if (!texts) return result;
  const wire::Format format(texts->language());
  const auto said = [&](trace::FindingPart part) { return texts->text(trace::textOf(finding, part, format)); };
  result["title"] = said(trace::FindingPart::Title);
  result["why"] = said(trace::FindingPart::Why);
  result["fix"]["text"] = said(trace::FindingPart::Advice);
  auto sentences = json::array();
  for (const auto& message : finding.evidence) sentences.push_back(texts->text(trace::localised(message, format)));
  result["evidence_text"] = std::move(sentences);
  return result;
}

json planJson(const std::vector<trace::PlanStep>& plan) {
  auto steps = json::array();
  for (const auto& step : plan)
    steps.push_back(
        {{"rule", step.finding.rule}, {"set", step.set}, {"predicted", step.predicted}, {"cumulative", step.cumulative}});
  return steps;
}

}  // namespace

Profile makeProfile(engine::ProfileMade made, const wire::RunSpec& spec, const wire::RunSummary& summary) {
  Profile profile{std::move(made.trace), {}, {}, {}, std::move(made.health)};
  profile.report = trace::analyse(profile.trace, made.peaks);
  trace::Facts facts{profile.trace, profile.report};
  facts.spec = spec.toJson();
  facts.summary = summary;
  facts.health = profile.health;
  facts.others_percent = made.others_percent;
  facts.budget_bytes = spec.integer("memory_budget");
  facts.bf16_over_fp32 = made.bf16_over_fp32;
  facts.channels_last_pays = made.bf16_over_fp32 > kUnitsForBfloat16;
  profile.findings = trace::diagnose(facts);
  profile.plan = trace::planOf(profile.findings, facts.spec);
  return profile;
}

Profile makeProfile(trace::Trace trace, const trace::Peaks& peaks) {
  Profile profile{std::move(trace), {}, {}, {}, {}};
  profile.report = trace::analyse(profile.trace, peaks);
  profile.findings = trace::diagnose(trace::Facts{profile.trace, profile.report});
  return profile;
}

json profileJson(const Profile& profile, const wire::Catalog* texts) {
  auto result = trace::toJson(profile.trace, profile.report);
  auto findings = json::array();
  for (const auto& finding : profile.findings) findings.push_back(findingJson(finding, texts));
  result["diagnosis"] = std::move(findings);
  result["plan"] = planJson(profile.plan);
  result["health"] = wire::toJson(profile.health);
  result["title"] = profile.trace.title;
  result["origin"] = profile.trace.origin;
  return result;
}

wire::Status writeProfile(const std::filesystem::path& folder, const Profile& profile) {
  if (auto written = trace::writeChromeTrace(profile.trace, folder / registry::kTraceFile); !written.ok()) return written;
  const auto text = profileJson(profile, nullptr).dump(1, ' ', false, json::error_handler_t::replace);
  return registry::writeWhole(folder / registry::kProfileFile, text + "\n");
}

}  // namespace atelier::worker
