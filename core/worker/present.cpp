#include "present.h"

namespace atelier::worker {
namespace {

using wire::RunSummary;

std::string number(const Console& console, std::optional<double> value, int digits = 3) {
  return value ? console.format().number(*value, digits) : "—";
}

// Of tensors; none at all means that nobody counted them, as in a Python script on a CPU.
std::string tensors(const Console& console, const RunSummary& run, std::int64_t bytes) {
  return run.peak_memory_bytes.total > 0 ? console.format().number(static_cast<double>(bytes) / (1 << 20)) : "—";
}

std::string mebibytes(const Console& console, std::int64_t bytes) {
  return console.format().number(static_cast<double>(bytes) / (1 << 20));
}

std::string share(const Console& console, std::int64_t part, const RunSummary& run) {
  if (run.stages.wall <= 0) return "—";
  return console.format().fixed(100 * static_cast<double>(part) / static_cast<double>(run.stages.wall), 1);
}

std::string rate(const Console& c, const RunSummary& r) {
  return r.samples_per_second
             ? c.format().number(r.samples_per_second->median, 4) + " " + c.format().interval(*r.samples_per_second, 4)
             : "—";
}

void notices(const Console& console, const RunSummary& run) {
  for (const auto& notice : run.notices) console.print(console.texts().text(notice));
  if (run.disturbed_blocks > 0)
    console.print(console.texts().text(wire::Message{
        "present.disturbed", {{"count", std::to_string(run.disturbed_blocks)}, {"blocks", std::to_string(run.blocks)}}}));
}

void naive(const Console& console, const RunSummary& run) {
  if (run.naive.empty()) return;
  std::vector<std::vector<std::string>> rows{
      {console.text("naive.title"), console.text("unit.samples_per_second"), console.text("naive.against")}};
  for (const auto& reading : run.naive)
    rows.push_back(
        {console.text("naive." + reading.kind),
         reading.samples_per_second ? console.format().number(*reading.samples_per_second, 4) : console.text(reading.reason),
         reading.ratio ? console.format().ratio(*reading.ratio) : "—"});
  console.print("");
  console.table(rows);
}

// "a" → "A".
std::string variantName(std::string variant) {
  for (auto& letter : variant)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return variant;
}

void presentComparison(const Console& console, const wire::Comparison& comparison) {
  const auto& format = console.format();
  const auto& ratio = comparison.ratio;
  console.print(console.texts().text(wire::Message{"race.verdict." + comparison.verdict,
                                                   {{"variant", variantName(comparison.variant)},
                                                    {"ratio", ratio ? format.ratio(ratio->median) : "—"},
                                                    {"interval", ratio ? format.interval(*ratio) : "—"},
                                                    {"pairs", std::to_string(comparison.pairs)},
                                                    {"discarded", std::to_string(comparison.discarded_pairs)}}}));
  console.print(console.texts().text(wire::Message{comparison.same_quality ? "race.same_quality" : "race.other_quality",
                                                   {{"variant", variantName(comparison.variant)}}}));
}

}  // namespace

const std::vector<FigureRow>& figureRows() {
  static const std::vector<FigureRow> rows{
      {"status", "", [](const Console& c, const RunSummary& r) { return c.text("status." + r.status); }},
      {"samples_per_second", "unit.samples_per_second", rate},
      {"step_p50", "ms", [](const Console& c, const RunSummary& r) { return number(c, r.step_p50); }},
      {"step_p99", "ms", [](const Console& c, const RunSummary& r) { return number(c, r.step_p99); }},
      {"first_step", "ms", [](const Console& c, const RunSummary& r) { return number(c, r.first_step_milliseconds); }},
      {"steps", "", [](const Console& c, const RunSummary& r) { return c.format().integer(r.steps); }},
      {"peak", "MiB", [](const Console& c, const RunSummary& r) { return tensors(c, r, r.peak_memory_bytes.total); }},
      {"weights", "MiB", [](const Console& c, const RunSummary& r) { return tensors(c, r, r.peak_memory_bytes.weights); }},
      {"gradients", "MiB", [](const Console& c, const RunSummary& r) { return tensors(c, r, r.peak_memory_bytes.gradients); }},
      {"optimizer", "MiB", [](const Console& c, const RunSummary& r) { return tensors(c, r, r.peak_memory_bytes.optimizer); }},
      {"activations", "MiB",
       [](const Console& c, const RunSummary& r) { return tensors(c, r, r.peak_memory_bytes.activations); }},
      {"rss", "MiB", [](const Console& c, const RunSummary& r) { return mebibytes(c, r.rss_bytes); }},
      {"cpu", "%", [](const Console& c, const RunSummary& r) { return number(c, r.cpu_percent); }},
      {"stage_data", "%", [](const Console& c, const RunSummary& r) { return share(c, r.stages.data, r); }},
      {"stage_forward", "%", [](const Console& c, const RunSummary& r) { return share(c, r.stages.forward, r); }},
      {"stage_backward", "%", [](const Console& c, const RunSummary& r) { return share(c, r.stages.backward, r); }},
      {"stage_optimizer", "%", [](const Console& c, const RunSummary& r) { return share(c, r.stages.optimizer, r); }},
      {"stage_other", "%", [](const Console& c, const RunSummary& r) { return share(c, r.stages.other, r); }},
      {"loss", "",
       [](const Console& c, const RunSummary& r) {
         return r.loss ? (r.loss == r.loss ? number(c, r.loss) : std::string("NaN")) : "—";
       }},
      {"accuracy", "",
       [](const Console& c, const RunSummary& r) { return r.accuracy ? c.format().percent(*r.accuracy) : "—"; }},
      {"seed", "", [](const Console&, const RunSummary& r) { return std::to_string(r.seed); }}};
  return rows;
}

std::string figureTitle(const Console& console, const FigureRow& figure) {
  const auto unit = figure.unit.starts_with("unit.") ? console.text(figure.unit) : figure.unit;
  return console.text("figure." + figure.label) + (unit.empty() ? "" : " (" + unit + ")");
}

std::vector<std::vector<std::string>> figureTable(const Console& console,
                                                  const std::vector<std::pair<std::string, RunSummary>>& runs) {
  std::vector<std::vector<std::string>> rows{{console.text("figure.run")}};
  for (const auto& [name, run] : runs) rows.front().push_back(name);
  for (const auto& row : figureRows()) {
    rows.push_back({figureTitle(console, row)});
    for (const auto& [name, run] : runs) rows.back().push_back(row.cell(console, run));
  }
  return rows;
}

void presentRun(const Console& console, const RunSummary& run) {
  console.table(figureTable(console, {{run.id, run}}));
  naive(console, run);
  notices(console, run);
}

void presentRace(const Console& console, const wire::RaceSummary& race) {
  std::vector<std::pair<std::string, RunSummary>> columns;
  for (const auto* run : race.runs()) columns.emplace_back(variantName(run->variant), *run);
  console.table(figureTable(console, columns));
  for (const auto* run : race.runs()) notices(console, *run);
  console.print("");
  for (const auto& comparison : race.comparisons()) presentComparison(console, comparison);
  if (race.stopped_early)
    console.print(console.texts().text(wire::Message{
        "race.stopped_early", {{"pairs", std::to_string(race.pairs)}, {"planned", std::to_string(race.planned_pairs)}}}));
}

}  // namespace atelier::worker
