// What keeps the curves of a run bounded, however long it goes and however often it speaks. A curve holds kMostPoints points at
// most. When it is full its points are thinned pair by pair: of every two neighbouring pairs the lowest and the highest point
// stay, in their order, so that no spike is lost; of gaps among them one stays. A full curve thus shrinks to a half (to three
// quarters where every other point is a gap), and what is old is coarser than what is new. Curves on one x (the layers of
// memory, an interval's ends) are thinned at the same points, among which are the extremes of each.
// Invariant: x rises strictly. What comes at the time of the last point, or before it (ranks speak at once), is put directly
// after it. The last point is always the last that was added. Any thread; pure functions of their arguments.
#pragma once

#include "run_series.h"

namespace atelier::app {

inline constexpr qsizetype kMostPoints = 65'536;

void addBounded(Curve& curve, double at, double value);
void addBounded(Band& band, double at, double low, double high);
// One value a layer. REQUIRES: the layers have their x in common.
void addBounded(QVector<Curve>& layers, double at, const QVector<double>& values);

// Joined with their neighbours when there are kMostPoints: from the one's begin to the other's end.
void addBounded(QVector<RunSeries::Disturbed>& spans, RunSeries::Disturbed span);

}  // namespace atelier::app
