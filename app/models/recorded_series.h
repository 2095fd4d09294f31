// A recorded run as curves: its events, and its summary as the last word, so that a run that was killed is told as ended too.
// Pure; any thread.
#pragma once

#include <vector>

#include "core/registry/registry.h"
#include "run_series.h"

namespace atelier::app {

// Without a label, of order 0: see RunSeries::as(). Of a run that still goes the summary is left out.
RunSeries recordedSeries(const registry::RunRecord& run, const std::vector<wire::RunEvent>& events);

// About how many points its curves hold: what it costs to keep it.
qsizetype pointsOf(const RunSeries& series);

}  // namespace atelier::app
