// FigureContent: what a FigurePlot shows, free of any widget: lines with their bands, marks that can be chosen, shaded zones,
// levels, names on the x axis. Copies are cheap (shared data). GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

#include "app/models/run_series.h"

namespace atelier::app {

struct FigureLine {
  QString label;
  int order = 0;  // colour, dash and marker
  Curve curve;
  Band band{};                                                              // around it; empty: none
  enum class Join { Straight, StepLeft, StepRight } join = Join::Straight;  // the side whose value a step keeps
  bool marked = false;                                                      // a mark at each value
};

struct FigureMark {  // one value that can be read and chosen
  double x = 0, y = 0;
  QString text;  // what hovering reads
  int id = -1;   // handed out when it is chosen
  bool strong = true;
  double size = 0;  // its diameter in pixels of the look; 0: that of all others
};

struct FigureZone {  // shaded: over the full width when `across`, else over the full height
  double low = 0, high = 0;
  bool across = true;
  bool warning = false;  // disturbed, in the warning's colour; else calm
  QString text{};        // stands in the zone, or is read when hovering over an upright one
};

struct FigureContent {
  QString title, unit, xTitle;
  QVector<FigureLine> lines;
  QVector<FigureMark> marks;
  QVector<FigureZone> zones;
  QVector<double> levels;  // dashed, over the full width
  QStringList xNames;      // of 0, 1, 2, …; empty: numbers
  double xLow = 0, xHigh = 1;
  double yLow = 0, yHigh = 1;
  bool xLog = false, yLog = false;  // logarithmic; REQUIRES: range and values above 0 there
  bool empty() const { return lines.isEmpty() && marks.isEmpty(); }
};

}  // namespace atelier::app
