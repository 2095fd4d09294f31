#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sections.h"

namespace atelier::app::report {
namespace {

constexpr double kPlotHeight = pt(128), kPlotGap = pt(22);
constexpr double kMebi = 1 << 20, kGibi = 1 << 30;
// Palette places of the memory layers, weights first: apart from each other also in grey.
constexpr std::array<int, 5> kLayerInks{0, 4, 2, 5, 3};

double lastTime(const Curve& curve) {
  double last = 0;
  for (const double at : curve.x)
    if (std::isfinite(at)) last = std::max(last, at);
  return last;
}

double highest(const Curve& curve) {
  double top = 0;
  for (const double value : curve.y)
    if (std::isfinite(value)) top = std::max(top, value);
  return top;
}

double endOf(const QVector<ReportRun>& runs) {
  double end = 0;
  for (const auto& run : runs)
    for (const auto* curve : {&run.series.samplesPerSecond(), &run.series.memoryTotal(), &run.series.cpu(), &run.series.loss(),
                              &run.series.lossScale()})
      end = std::max(end, lastTime(*curve));
  return end > 0 ? end : 1;
}

Curve divided(Curve curve, double by) {
  for (auto& value : curve.y) value /= by;
  return curve;
}

QString labelOf(const QVector<ReportRun>& runs, const RunSeries& series) {
  return runs.size() > 1 ? series.label().left(12) : QString();
}

Plot linePlot(const QVector<ReportRun>& runs, const QString& title, const QString& unit,
              const Curve& (RunSeries::*curve)() const, double by = 1) {
  Plot plot;
  plot.title = title;
  plot.unit = unit;
  for (const auto& run : runs)
    plot.traces.append({divided((run.series.*curve)(), by), {}, seriesPen(run.series.order(), 1.1), labelOf(runs, run.series)});
  return plot;
}

// Both variants of a race are disturbed at the same time: shaded twice it would look twice as bad.
void mergeSpans(QVector<RunSeries::Disturbed>& spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  QVector<RunSeries::Disturbed> merged;
  for (const auto& span : spans) {
    if (merged.isEmpty() || span.from > merged.last().to) merged.append(span);
    else merged.last().to = std::max(merged.last().to, span.to);
  }
  spans = merged;
}

Plot ratePlot(const Writing& w, const QVector<ReportRun>& runs) {
  auto plot =
      linePlot(runs, w.text("report.plot.rate"), w.text("report.unit.samples_per_second"), &RunSeries::samplesPerSecond);
  for (qsizetype i = 0; i < runs.size(); ++i) {
    plot.traces[i].band = runs[i].series.rateBand();
    plot.shaded += runs[i].series.disturbed();
  }
  mergeSpans(plot.shaded);
  return plot;
}

Plot memoryPlot(const Writing& w, const QVector<ReportRun>& runs) {
  double top = 0;
  std::int64_t budget = 0;
  for (const auto& run : runs) {
    top = std::max(top, highest(run.series.memoryTotal()));
    budget = std::max(budget, run.series.budget());
  }
  top = std::max(top, static_cast<double>(budget));
  const bool gibi = top >= 2 * kGibi;
  const double unit = gibi ? kGibi : kMebi;
  auto plot = linePlot(runs, w.text("report.plot.memory"), gibi ? QStringLiteral("GiB") : QStringLiteral("MiB"),
                       &RunSeries::memoryTotal, unit);
  if (runs.size() == 1) {
    plot.traces.clear();
    plot.stacked = true;
    const auto& layers = runs[0].series.memory();
    const std::array<const char*, 5> names{"weights", "optimizer", "gradients", "activations", "other"};
    for (qsizetype i = 0; i < std::min<qsizetype>(layers.size(), 5); ++i) {
      const bool thin = highest(layers[i]) < top * 0.005;
      const QPen pen(ink().series[kLayerInks[static_cast<std::size_t>(i)]]);
      plot.traces.append({divided(layers[i], unit),
                          {},
                          pen,
                          thin ? QString() : w.text(std::string("report.layer.") + names[static_cast<std::size_t>(i)])});
    }
  }
  if (budget > 0) {
    plot.limit = static_cast<double>(budget) / unit;
    plot.limitLabel = w.text("report.plot.budget");
  }
  return plot;
}

Plot lossPlot(const Writing& w, const QVector<ReportRun>& runs) {
  auto plot = linePlot(runs, w.text("report.plot.loss"), QString(), &RunSeries::loss);
  plot.zero = false;
  return plot;
}

Plot accuracyPlot(const Writing& w, const QVector<ReportRun>& runs) {
  auto plot = linePlot(runs, w.text("report.plot.accuracy"), QStringLiteral("%"), &RunSeries::accuracy, 0.01);
  for (auto& trace : plot.traces) trace.points = true;
  return plot;
}

// As powers of two, and the last scale until the run's end: it holds until it changes.
Plot scalePlot(const Writing& w, const QVector<ReportRun>& runs) {
  auto plot = linePlot(runs, w.text("report.plot.loss_scale"), w.text("report.unit.power_of_two"), &RunSeries::lossScale);
  for (qsizetype i = 0; i < runs.size(); ++i) {
    auto& curve = plot.traces[i].curve;
    for (double& value : curve.y) value = value > 0 ? std::log2(value) : std::numeric_limits<double>::quiet_NaN();
    const double end = endOf({runs[i]});
    if (!curve.x.isEmpty() && end > curve.x.last()) curve.add(end, curve.y.last());
  }
  return plot;
}

// What not every run tells of: the lines of those that do.
Plot toldPlot(Plot plot) {
  plot.traces.removeIf([](const Trace& trace) { return trace.curve.x.isEmpty(); });
  return plot;
}

bool worthDrawing(const QVector<ReportRun>& runs) {
  // A single evaluation says nothing that the table doesn't; a curve begins at two.
  return std::any_of(runs.begin(), runs.end(), [](const ReportRun& run) { return run.series.accuracy().x.size() > 1; });
}

}  // namespace

void addPlots(const Writing& w, const ReportExperiment& experiment) {
  const auto& runs = experiment.runs;
  QVector<Plot> plots{ratePlot(w, runs), memoryPlot(w, runs),
                      linePlot(runs, w.text("report.plot.cpu"), w.text("report.unit.all_cores"), &RunSeries::cpu),
                      lossPlot(w, runs)};
  if (worthDrawing(runs)) plots.append(accuracyPlot(w, runs));
  plots.append(toldPlot(linePlot(runs, w.text("report.plot.waiting"), QStringLiteral("%"), &RunSeries::waiting, 0.01)));
  plots.append(toldPlot(linePlot(runs, w.text("report.plot.queue"), w.text("report.unit.batches"), &RunSeries::queue)));
  plots.append(toldPlot(scalePlot(w, runs)));
  plots.erase(std::remove_if(plots.begin(), plots.end(), [](const Plot& plot) { return plot.empty(); }), plots.end());
  const double until = endOf(runs);
  for (auto& plot : plots) plot.until = until;
  for (qsizetype i = 0; i < plots.size(); i += 2) {
    w.flow.figure(kPlotHeight, [pair = plots.mid(i, 2), format = w.format](QPainter& painter, const QRectF& area) {
      const double width = (area.width() - kPlotGap) / 2;
      for (qsizetype k = 0; k < pair.size(); ++k)
        drawPlot(painter, QRectF(area.left() + static_cast<double>(k) * (width + kPlotGap), area.top(), width, area.height()),
                 pair[k], format);
    });
  }
  const bool shaded = std::any_of(plots.begin(), plots.end(), [](const Plot& plot) { return !plot.shaded.isEmpty(); });
  if (!shaded) return;
  // Where no block of a run was calm the engine keeps them all; a race leaves out disturbed pairs all the same.
  const bool leftOut = experiment.race || std::any_of(runs.begin(), runs.end(), [](const ReportRun& run) {
                         const auto& summary = run.series.summary();
                         return !summary || summary->disturbed_blocks < summary->blocks;
                       });
  w.flow.paragraph(w.text(leftOut ? "report.shaded" : "report.shaded_kept"), ink().soft, 8);
}

}  // namespace atelier::app::report
