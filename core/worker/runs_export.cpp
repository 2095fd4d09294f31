#include "runs_export.h"

#include <array>
#include <optional>
#include <utility>

#include "core/registry/archive.h"
#include "core/registry/runs_json.h"
#include "core/wire/csv.h"
#include "core/wire/number.h"
#include "runs_table.h"

namespace atelier::worker {
namespace {

using wire::ExitCode;

std::string cell(std::optional<double> value) {
  return value ? wire::numberText(*value) : "";
}

std::string allJson(registry::Registry& registry, const std::vector<registry::RunRecord>& runs) {
  std::vector<const registry::RunRecord*> all;
  for (const auto& run : runs) all.push_back(&run);
  return registry::runsJson(registry, all);
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

ExitCode failed(const Console& console, const wire::Error& error) {
  console.fail(error);
  return error.code;
}

// The archive's own report, or that all runs are in the file.
wire::Result<registry::ExportReport> writeRuns(const Console& console, registry::Registry& registry,
                                               const std::vector<registry::RunRecord>& runs, const std::string& file) {
  registry::ExportReport report;
  for (const auto& run : runs) report.runs.push_back(run.id);
  if (file.ends_with(".atelier")) return registry::exportRuns(registry, report.runs, file);
  std::string content;
  if (file.ends_with(".csv")) content = runsCsv(runs);
  else if (file.ends_with(".md")) content = markdownTable(runRows(console, runs));
  else if (file.ends_with(".json")) content = allJson(registry, runs);
  else return wire::Error{ExitCode::Usage, {"runs.unknown_format", {{"file", file}}}};
  if (const auto written = registry::writeWhole(file, content); !written.ok()) return written.error();
  return report;
}

}  // namespace

std::string runsCsv(const std::vector<registry::RunRecord>& runs) {
  std::string csv =
      "id,name,status,model,data,batch,samples_per_second,low,high,step_p50_ms,step_p99_ms,peak_bytes,rss_bytes,loss,accuracy,"
      "seed\r\n";
  for (const auto& run : runs) {
    const auto& s = run.summary;
    const auto word = [&](const char* key) {
      return run.spec.is_object() && run.spec.contains(key) && run.spec[key].is_string() ? run.spec[key].get<std::string>()
                                                                                         : "";
    };
    const auto rate = s.samples_per_second;
    csv += wire::csvCell(run.id) + "," + wire::csvCell(run.labels.name) + "," + wire::csvCell(s.status) + "," +
           wire::csvCell(word("model")) + "," + wire::csvCell(word("data")) + ",";
    csv += (run.spec.is_object() && run.spec.contains("batch") ? wire::csvCell(run.spec["batch"].dump()) : "") + ",";
    csv += cell(rate ? std::optional(rate->median) : std::nullopt) + "," +
           cell(rate ? std::optional(rate->low) : std::nullopt) + "," + cell(rate ? std::optional(rate->high) : std::nullopt) +
           "," + cell(s.step_p50) + "," + cell(s.step_p99) + ",";
    csv += std::to_string(s.peak_memory_bytes.total) + "," + std::to_string(s.rss_bytes) + "," + cell(s.loss) + "," +
           cell(s.accuracy) + "," + std::to_string(s.seed) + "\r\n";
  }
  return csv;
}

std::string markdownTable(const std::vector<std::vector<std::string>>& rows) {
  std::string table;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = "|", rule = "|";
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      std::string cell;
      for (const char c : rows[r][i]) {
        if (c == '|' || c == '\\' || c == '<' || c == '`') cell += '\\';
        cell += c == '\n' || c == '\r' ? ' ' : c;
      }
      line += " " + cell + " |";
      rule += i == 0 ? " --- |" : " ---: |";
    }
    table += line + "\n";
    if (r == 0) table += rule + "\n";
  }
  return table;
}

ExitCode exportRuns(const Console& console, const Context& context, registry::Registry& registry,
                    const std::vector<registry::RunRecord>& runs, const std::string& file) {
  if (file.empty()) {
    console.print(allJson(registry, runs));
    return ExitCode::Done;
  }
  const auto report = writeRuns(console, registry, runs, file);
  if (!report.ok()) return failed(console, report.error());
  if (!report->left_out.empty()) console.warn({"archive.left_out", {{"files", joined(report->left_out)}}});
  if (context.json) console.printJson({{"file", file}, {"runs", report->runs}, {"left_out", report->left_out}});
  else
    console.print(
        console.texts().text(wire::Message{"runs.exported", {{"count", std::to_string(report->runs.size())}, {"file", file}}}));
  return ExitCode::Done;
}

ExitCode importRuns(const Console& console, const Context& context, const std::vector<std::string>& files) {
  registry::ImportReport all;
  for (const auto& file : files) {
    auto report = registry::importRuns(context.home, file);
    if (!report.ok()) return failed(console, report.error());
    const std::array<std::pair<std::vector<std::string>*, const std::vector<std::string>*>, 3> lists{
        {{&all.runs, &report->runs}, {&all.present, &report->present}, {&all.refused, &report->refused}}};
    for (const auto& [to, from] : lists) to->insert(to->end(), from->begin(), from->end());
    for (const auto& notice : report->notices) console.warn(notice);
  }
  if (context.json) {
    console.printJson({{"runs", all.runs}, {"present", all.present}, {"refused", all.refused}});
  } else {
    const auto say = [&](const char* id, const std::vector<std::string>& runs) {
      console.print(console.texts().text(wire::Message{id, {{"count", std::to_string(runs.size())}}}));
    };
    say("runs.imported", all.runs);
    if (!all.present.empty()) say("runs.present", all.present);
  }
  for (const auto& run : all.refused) console.warn({"archive.refused", {{"run", run}}});
  return all.refused.empty() ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace atelier::worker
