// Decimation to the pixel: of all points that fall on one pixel column only the first, the lowest, the highest and the last are
// kept, so that the drawn line is the same and a spike is never lost. Pure; any thread.
#pragma once

#include "app/models/run_series.h"

namespace atelier::app {

// The curve between `from` and `to` (with one point beyond each end, so that the line leaves the plot), at most four points a
// column. A non-finite value stays a gap where it fills a column; a curve that is short enough is returned as it is.
// REQUIRES: curve.x ascending; columns > 0.
Curve decimate(const Curve& curve, double from, double to, int columns);

}  // namespace atelier::app
