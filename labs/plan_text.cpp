#include "plan_text.h"

#include "check.h"
#include "core/wire/format.h"

namespace atelier::lab {
namespace {

constexpr const char* kNone = "—";

const char* verdictId(const AppliedFix& fix) {
  if (!fix.raced()) return "lab.plan_to_race";
  if (fix.verdict == "faster") return fix.kept_quality ? "lab.plan_faster" : "lab.plan_worse";
  if (fix.verdict == "slower") return "lab.plan_slower";
  return fix.verdict == "no-difference" ? "lab.plan_no_difference" : "lab.plan_undecided";
}

// Bars would end a cell of the table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

FixText fixText(const AppliedFix& fix, const wire::Catalog& catalog) {
  const wire::Format format(catalog.language());
  FixText text{kNone, kNone, kNone, {}, {}};
  if (fix.number == 0) text.change = catalog.text(std::string("lab.plan_together"));
  else if (fix.fix) text.change = changeText(fix.fix->set);
  if (fix.fix) text.predicted = format.ratio(fix.fix->predicted);
  if (fix.measured) {
    text.measured = format.ratio(fix.measured->median);
    text.interval = format.interval(*fix.measured);
  }
  text.verdict = fix.why_not ? localText(*fix.why_not, catalog) : catalog.text(std::string(verdictId(fix)));
  return text;
}

std::string planMarkdown(const std::vector<AppliedFix>& fixes, const wire::Catalog& catalog) {
  const auto word = [&](const char* id) { return catalog.text(std::string(id)); };
  std::string table = "| " + word("lab.plan_change") + " | " + word("lab.plan_predicted") + " | " + word("lab.plan_measured") +
                      " | " + word("lab.plan_verdict") + " |\n|---|---|---|---|\n";
  for (const auto& fix : fixes) {
    const auto text = fixText(fix, catalog);
    const auto change = fix.number > 0 && fix.fix ? "`" + text.change + "`" : text.change;
    table += "| " + cell(change) + " | " + text.predicted + " | " + text.measured +
             (text.interval.empty() ? "" : " " + text.interval) + " | " + cell(text.verdict) + " |\n";
  }
  return table;
}

}  // namespace atelier::lab
