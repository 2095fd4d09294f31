// PlotContent: what one time plot shows, free of any widget: lines with their labels, an interval band, stacked areas, the
// budget, disturbed spans. Made from RunSeries; copies are cheap (shared data). GUI thread.
#pragma once

#include <QString>
#include <QVector>

#include <optional>

#include "app/models/run_series.h"

namespace atelier::app {

enum class PlotKind { Throughput, Memory, Cpu, Loss, Accuracy, Waiting, Queue, LossScale };

struct PlotLine {
  QString label;
  int order = 0;  // colour, dash and marker
  Curve curve;
  bool points = false;  // a mark at each value, no line
  bool shown = true;    // false: only its label and its readings (the layers of a stack)
};

struct PlotBand {
  int order = 0;
  Band band;
};

struct PlotContent {
  QVector<PlotLine> lines;
  QVector<PlotBand> bands;
  QVector<Curve> stack;  // layers from below; empty: none
  std::optional<double> budget;
  QVector<RunSeries::Disturbed> disturbed;
  double lastTime = 0;  // seconds
  bool live = false;    // a run goes: drawn with less effort, since the cores are the run's
  bool empty() const;
};

// `phases`: the names of the memory's layers from below (weights, optimizer, gradients, activations, other).
PlotContent plotContent(PlotKind kind, const QVector<const RunSeries*>& runs, const QStringList& phases);

// Whether these runs have anything to show in it. Throughput, memory, CPU and loss always have their place.
bool worthAPlot(PlotKind kind, const QVector<const RunSeries*>& runs);

// The value at a time: of the last point at or before it; nullopt outside the curve or in a gap.
std::optional<double> valueAt(const Curve& curve, double time);

// The range that holds all finite values with a little air above; from zero where zero belongs in view.
struct ValueRange {
  double low = 0, high = 1;
};
ValueRange valueRange(const PlotContent& content, bool zeroInView);

}  // namespace atelier::app
