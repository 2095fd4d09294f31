// Runs, races and sweeps as tables for people.
#pragma once

#include "console.h"
#include "core/wire/summary.h"
#include "core/wire/sweep.h"

namespace atelier::worker {

void presentRun(const Console& console, const wire::RunSummary& run);
void presentRace(const Console& console, const wire::RaceSummary& race);
void presentSweep(const Console& console, const wire::SweepSummary& sweep);

// "batch=32 precision=bf16": a point of a sweep, as it is typed.
std::string pointText(const nlohmann::json& values);

// The figures of one run, a cell a row label: shared by run, race, compare and the CSV export. "—" where not measured.
struct FigureRow {
  std::string label, unit;
  std::string (*cell)(const Console& console, const wire::RunSummary& run);
};
const std::vector<FigureRow>& figureRows();

// "Step, median (ms)".
std::string figureTitle(const Console& console, const FigureRow& figure);

// label (unit) rows, one column a run; the first row is the head with the runs' names.
std::vector<std::vector<std::string>> figureTable(const Console& console,
                                                  const std::vector<std::pair<std::string, wire::RunSummary>>& runs);

}  // namespace atelier::worker
