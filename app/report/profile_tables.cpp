// What a lab's profiles say: the operators that cost most, the findings, and the plan with what was predicted of each change
// beside what a race has measured.
#include <algorithm>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "labs/outcome.h"
#include "labs/plan_text.h"
#include "sections.h"

namespace atelier::app::report {
namespace {

constexpr std::size_t kOperators = 5;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

QColor colourOf(const lab::AppliedFix& fix) {
  if (!fix.raced()) return ink().soft;
  if (fix.won()) return ink().good;
  return fix.verdict == "slower" || fix.verdict == "faster" ? ink().bad : ink().text;
}

double workOf(const nlohmann::json& row, bool device) {
  return wire::getNumber(row, device ? "device_ns" : "self_ns").value_or(0);
}

// The operators' own time as parts of the steps' wall time.
void addOperators(const Writing& w, const nlohmann::json& profile) {
  const auto operators = wire::memberAt(profile, "operators");
  const auto wall = wire::getNumber(wire::memberAt(profile, "breakdown"), "wall_ns").value_or(0);
  if (!operators.is_array() || operators.empty() || !(wall > 0)) return;
  const bool device = std::any_of(operators.begin(), operators.end(), [](const auto& row) { return workOf(row, true) > 0; });
  QVector<QVector<Cell>> rows;
  for (std::size_t i = 0; i < std::min(kOperators, operators.size()); ++i) {
    const auto& row = operators[i];
    const auto calls = wire::getNumber(row, "calls").value_or(0);
    rows.append({{qt(wire::textAt(row, "name")), {}},
                 {qt(w.format.integer(static_cast<std::int64_t>(calls))), {}},
                 {qt(w.format.fixed(workOf(row, device) / wall * 100, 1)), {}, true}});
  }
  w.flow.table({{w.text("report.profile.operator"), 2.4, Align::Left, true},
                {w.text("report.profile.calls"), 0.8, Align::Right},
                {w.text("report.profile.share"), 1.4, Align::Right}},
               rows);
}

void addTotal(const Writing& w, QVector<QVector<Cell>>& rows) {
  double predicted = 1, measured = 1;
  int raced = 0;
  for (const auto& [title, fix] : w.content.fixes) {
    if (fix.number == 0 || !fix.raced() || !fix.fix) continue;
    ++raced;
    predicted *= fix.fix->predicted;
    if (fix.won() && fix.measured) measured *= fix.measured->median;
  }
  if (raced < 2) return;
  rows.append({{w.text("report.plan.total"), {}, true, w.text("report.plan.total_why")},
               {QString(), {}},
               {qt(w.format.ratio(predicted)), {}, true},
               {qt(w.format.ratio(measured)), {}, true},
               {QString(), {}}});
}

}  // namespace

void addPlan(const Writing& w) {
  if (w.content.fixes.isEmpty()) return;
  QVector<QVector<Cell>> rows;
  for (const auto& [title, fix] : w.content.fixes) {
    const auto text = lab::fixText(fix, w.catalog);
    rows.append({{title, {}},
                 {qt(text.change), {}},
                 {qt(text.predicted), {}},
                 {qt(text.measured), {}, true, qt(text.interval)},
                 {qt(text.verdict), colourOf(fix)}});
  }
  addTotal(w, rows);
  w.flow.heading(w.text("report.plan"));
  w.flow.paragraph(w.text("report.plan_why"), ink().soft, 9, true);
  w.flow.table({{w.text("report.step"), 1.5},
                {w.text("report.plan.change"), 1.5},
                {w.text("report.predicted"), 0.8, Align::Right},
                {w.text("report.measured"), 1.1, Align::Right},
                {w.text("report.verdict"), 1.6}},
               rows);
}

void addProfile(const Writing& w, const ReportExperiment& experiment) {
  if (!experiment.profile.is_object()) return;
  w.flow.subheading(w.text("report.profile"));
  const auto titles = lab::findingTitles(experiment.profile);
  for (const auto& title : titles) w.flow.paragraph(QStringLiteral("• ") + qt(lab::localText(title, w.catalog)));
  if (titles.empty()) w.flow.paragraph(w.text("report.profile.silent"), ink().soft);
  addOperators(w, experiment.profile);
}

}  // namespace atelier::app::report
