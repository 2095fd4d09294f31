#include "present.h"

namespace atelier::worker {
namespace {

std::string plain(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string cell(const Console& console, const FigureRow& figure, const wire::RunSummary& run) {
  // A run that never allocated has no peak; zero would read as the leanest of all.
  if (figure.label == "peak" && run.peak_memory_bytes.total == 0) return "—";
  return figure.cell(console, run);
}

// The figures that a sweep is judged by, as far as a line holds them.
std::vector<const FigureRow*> shownFigures() {
  std::vector<const FigureRow*> shown;
  for (const char* label : {"samples_per_second", "step_p50", "peak", "loss", "accuracy", "status"})
    for (const auto& figure : figureRows())
      if (figure.label == label) shown.push_back(&figure);
  return shown;
}

std::vector<std::vector<std::string>> pointTable(const Console& console, const wire::SweepSummary& sweep) {
  const auto figures = shownFigures();
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& axis : sweep.axes) rows.front().push_back(axis.key);
  for (const auto* figure : figures) rows.front().push_back(figureTitle(console, *figure));
  rows.front().push_back(console.text("sweep.pareto"));
  for (const auto& point : sweep.points) {
    auto& row = rows.emplace_back();
    for (const auto& axis : sweep.axes) row.push_back(point.values.contains(axis.key) ? plain(point.values[axis.key]) : "—");
    for (const auto* figure : figures) row.push_back(cell(console, *figure, point.summary));
    row.push_back(point.pareto ? "✓" : "");
  }
  return rows;
}

void reasons(const Console& console, const wire::SweepSummary& sweep) {
  for (const auto& point : sweep.points)
    for (const auto& message : point.summary.failure)
      console.print(console.texts().text(wire::Message{
          "sweep.point_failed", {{"point", pointText(point.values)}, {"reason", console.texts().text(message)}}}));
}

}  // namespace

std::string pointText(const nlohmann::json& values) {
  std::string text;
  for (const auto& [key, value] : values.items()) text += (text.empty() ? "" : " ") + key + "=" + plain(value);
  return text;
}

void presentSweep(const Console& console, const wire::SweepSummary& sweep) {
  console.table(pointTable(console, sweep));
  console.print("");
  reasons(console, sweep);
  if (sweep.best) {
    const auto& best = sweep.points[*sweep.best];
    const auto rate = console.format().number(best.summary.samples_per_second->median, 4);
    console.print(console.texts().text(wire::Message{"sweep.best", {{"point", pointText(best.values)}, {"rate", rate}}}));
    console.print(console.text("sweep.pareto_note"));
  }
  if (sweep.drift)
    console.print(console.texts().text(wire::Message{"sweep.drift", {{"ratio", console.format().ratio(*sweep.drift)}}}));
  console.print(console.texts().text(wire::Message{"sweep.kept", {{"sweep", sweep.id}}}));
}

}  // namespace atelier::worker
