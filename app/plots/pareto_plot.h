// Figures of a sweep that are no map: what a point costs against what it gives (the Pareto plot), and one figure along the only
// axis. Marks carry the point's place in the sweep as their id. Pure.
#pragma once

#include <vector>

#include "app/models/sweep_model.h"
#include "app/models/words.h"
#include "figure_content.h"

namespace atelier::app {

// Places of the points that no other beats: more samples/s, and less memory or (against accuracy) more of it; by rising x.
// REQUIRES: `against` is Memory or Accuracy.
std::vector<std::size_t> paretoFront(const wire::SweepSummary& sweep, SweepFigure against);

FigureContent paretoFigure(const wire::SweepSummary& sweep, SweepFigure against, const Words& words);

// The figure at each value of the first axis; samples/s with its interval. REQUIRES: one axis.
FigureContent axisFigure(const wire::SweepSummary& sweep, SweepFigure figure, const Words& words);

// "batch = 64 · 2,107 samples/s [2,050, 2,160] · 310 MiB": what a point says of itself.
QString pointReading(const wire::SweepPoint& point, const Words& words);

}  // namespace atelier::app
