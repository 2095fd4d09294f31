// Vector plots of the report: title left, unit right, no box, horizontal grid, direct labels at the series' end that never
// overlap. A value that is not finite is a gap. Logic and drawing only; GUI thread.
#pragma once

#include <QPainter>
#include <QString>
#include <QVector>

#include <optional>

#include "app/models/run_series.h"
#include "core/wire/format.h"
#include "core/wire/summary.h"
#include "style.h"

namespace atelier::app::report {

struct Trace {
  Curve curve;
  Band band{};
  QPen pen;
  QString label;
  bool points = false;  // single values (accuracy at epoch ends): marked, not joined
};

struct Plot {
  QString title, unit;
  QVector<Trace> traces;
  bool stacked = false;  // traces are layers from below, on one x
  QVector<RunSeries::Disturbed> shaded;
  std::optional<double> limit;  // dashed: a budget, all cores
  QString limitLabel;
  bool zero = true;  // zero in view
  double until = 0;  // end of the time axis, seconds

  bool empty() const;
};

// Ticks on 1, 2, 2.5 or 5 times a power of ten, at most about `steps` of them, from at or below `low` to at or above `high`.
QVector<double> niceTicks(double low, double high, double steps = 3.5);

// Finite stretches of a curve, thinned to at most `columns` × 2 points with the highest and lowest of each column kept.
QVector<QPolygonF> stretches(const Curve& curve, double until, int columns);

// Positions moved apart so that none is nearer than `gap`, inside [top, bottom], in the order given by `wanted`.
QVector<double> spread(const QVector<double>& wanted, double gap, double top, double bottom);

void drawPlot(QPainter& painter, const QRectF& area, const Plot& plot, const wire::Format& format);

// A race's ratio as a dot with its interval, against 1.
void drawRatio(QPainter& painter, const QRectF& area, const wire::Interval& ratio, const QColor& colour,
               const wire::Format& format);

}  // namespace atelier::app::report
