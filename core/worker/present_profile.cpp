#include "present_profile.h"

#include <algorithm>
#include <cmath>

#include "core/trace/diagnosis_text.h"

namespace atelier::worker {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string milliseconds(const Console& console, double nanoseconds) {
  return console.format().number(nanoseconds * 1e-6);
}

std::string share(const Console& console, std::int64_t part, std::int64_t whole) {
  return whole > 0 ? console.format().percent(static_cast<double>(part) / static_cast<double>(whole)) : "—";
}

double perStep(const trace::Breakdown& breakdown, std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / static_cast<double>(std::max<std::int64_t>(1, breakdown.steps));
}

void presentBreakdown(const Console& console, const trace::Breakdown& breakdown) {
  Rows rows{{console.text("profile.stage"), console.text("profile.ms_a_step"), console.text("profile.share")}};
  const auto add = [&](const std::string& label, std::int64_t part) {
    rows.push_back({label, milliseconds(console, perStep(breakdown, part)), share(console, part, breakdown.wall_ns)});
  };
  for (std::size_t i = 1; i < trace::kStages; ++i)
    if (breakdown.stage_ns[i] > 0)
      add(console.text("stage." + std::string(trace::stageName(static_cast<trace::Stage>(i)))), breakdown.stage_ns[i]);
  add(console.text("profile.between"), breakdown.stage_ns[0]);
  add(console.text("profile.wall"), breakdown.wall_ns);
  console.table(rows);
  if (breakdown.device_busy_ns > 0)
    console.print(console.texts().text(
        wire::Message{"profile.device_busy", {{"share", share(console, breakdown.device_busy_ns, breakdown.wall_ns)}}}));
}

void presentOperators(const Console& console, const Profile& profile, std::size_t most, bool byShape) {
  const auto& table = byShape ? profile.report.operators_by_shape : profile.report.operators;
  const auto& breakdown = profile.report.breakdown;
  const bool device = profile.trace.hasDevice();
  Rows rows{{console.text("profile.operator"), console.text("profile.calls_a_step"), console.text("profile.self_ms"),
             console.text("profile.share"), "GFLOP/s", console.text("profile.of_peak"), console.text("profile.module")}};
  for (std::size_t i = 0; i < std::min(most, table.size()); ++i) {
    const auto& row = table[i];
    const auto self = device ? row.device_self_ns : row.self_ns;
    auto name = profile.trace.names[static_cast<std::size_t>(row.name)];
    if (!row.shapes.empty()) name += " " + row.shapes;
    const auto module = row.modules.empty() || row.modules.front() < 0
                            ? std::string("—")
                            : profile.trace.modules[static_cast<std::size_t>(row.modules.front())].path;
    rows.push_back({name, console.format().compact(perStep(breakdown, row.calls)),
                    milliseconds(console, perStep(breakdown, self)), share(console, self, breakdown.wall_ns),
                    row.flops_per_second > 0 ? console.format().number(row.flops_per_second * 1e-9) : "—",
                    row.peak_share > 0 ? console.format().percent(row.peak_share, 0) : "—", module});
  }
  console.print("");
  console.table(rows);
}

void presentModules(const Console& console, const Profile& profile, std::size_t most) {
  const auto& breakdown = profile.report.breakdown;
  Rows rows{{console.text("profile.module"), console.text("profile.type"), console.text("profile.forward_self_ms"),
             console.text("profile.backward_ms"), console.text("profile.share")}};
  auto table = profile.report.modules;
  std::erase_if(table, [](const auto& row) { return row.module < 0; });
  std::stable_sort(table.begin(), table.end(), [](const auto& a, const auto& b) {
    return a.forward_self_ns + a.backward_ns > b.forward_self_ns + b.backward_ns;
  });
  for (std::size_t i = 0; i < std::min(most, table.size()); ++i) {
    const auto& row = table[i];
    const auto& module = profile.trace.modules[static_cast<std::size_t>(row.module)];
    rows.push_back({module.path.empty() ? console.text("profile.root") : module.path, module.type,
                    milliseconds(console, perStep(breakdown, row.forward_self_ns)),
                    milliseconds(console, perStep(breakdown, row.backward_ns)),
                    share(console, row.forward_self_ns + row.backward_ns, breakdown.wall_ns)});
  }
  if (rows.size() == 1) return;
  console.print("");
  console.table(rows);
}

void presentFinding(const Console& console, const trace::Finding& finding) {
  const auto said = [&](trace::FindingPart part) {
    return console.texts().text(trace::textOf(finding, part, console.format()));
  };
  console.print("");
  console.print(console.text("severity." + std::string(trace::severityName(finding.severity))) + " – " +
                said(trace::FindingPart::Title));
  for (const auto& message : finding.evidence)
    console.print("  · " + console.texts().text(trace::localised(message, console.format())));
  console.print("  " + said(trace::FindingPart::Why));
  const bool healthy = finding.severity == trace::Severity::Healthy;
  console.print((healthy ? "  " : "  → ") + said(trace::FindingPart::Advice));
  if (healthy) return;
  std::string keys;
  for (const auto& [key, value] : finding.fix.set)
    keys += " --set " + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  if (!keys.empty())
    console.print(
        "   " + keys + "  (" +
        console.texts().text(wire::Message{"profile.expected", {{"ratio", console.format().ratio(finding.expected_gain)}}}) +
        ")");
}

void presentCut(const Console& console, const trace::Trace& trace) {
  if (trace.events_cut == 0 && trace.memory_cut == 0) return;
  console.print("");
  console.print(console.texts().text(wire::Message{
      "profile.cut", {{"events", std::to_string(trace.events_cut)}, {"memory", std::to_string(trace.memory_cut)}}}));
}

}  // namespace

void presentProfile(const Console& console, const Profile& profile, std::size_t rows, bool byShape) {
  console.print("");
  presentBreakdown(console, profile.report.breakdown);
  presentOperators(console, profile, rows, byShape);
  presentModules(console, profile, rows);
  if (profile.findings.empty()) {
    console.print("");
    console.print(console.text("profile.nothing_found"));
  }
  for (const auto& finding : profile.findings) presentFinding(console, finding);
  presentCut(console, profile.trace);
}

void presentComparison(const Console& console, const trace::Comparison& comparison, std::size_t most) {
  console.print("");
  console.print(console.texts().text(
      wire::Message{"profile.against",
                    {{"a", milliseconds(console, comparison.a_step_ns)}, {"b", milliseconds(console, comparison.b_step_ns)}}}));
  Rows rows{{console.text("profile.operator"), console.text("profile.module"), console.text("profile.there_ms"),
             console.text("profile.here_ms"), console.text("profile.difference_ms")}};
  for (std::size_t i = 0; i < std::min(most, comparison.changes.size()); ++i) {
    const auto& change = comparison.changes[i];
    rows.push_back({change.name + (change.backward ? " ←" : ""), change.module.empty() ? "—" : change.module,
                    milliseconds(console, change.a_ns), milliseconds(console, change.b_ns),
                    milliseconds(console, change.difference())});
  }
  console.table(rows);
}

nlohmann::json comparisonJson(const trace::Comparison& comparison, std::size_t most) {
  auto changes = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most, comparison.changes.size()); ++i) {
    const auto& change = comparison.changes[i];
    changes.push_back({{"module", change.module},
                       {"name", change.name},
                       {"backward", change.backward},
                       {"there_ns", change.a_ns},
                       {"here_ns", change.b_ns},
                       {"difference_ns", change.difference()}});
  }
  return {{"there_step_ns", comparison.a_step_ns}, {"here_step_ns", comparison.b_step_ns}, {"changes", std::move(changes)}};
}

}  // namespace atelier::worker
