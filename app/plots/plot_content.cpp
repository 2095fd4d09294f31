#include "plot_content.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;

Curve scaled(Curve curve, double factor) {
  for (double& value : curve.y) value *= factor;
  return curve;
}

double lastTime(const RunSeries& run) {
  double last = 0;
  for (const auto* curve :
       {&run.samplesPerSecond(), &run.memoryTotal(), &run.cpu(), &run.loss(), &run.accuracy(), &run.lossScale()})
    if (!curve->x.isEmpty()) last = std::max(last, curve->x.last());
  return last;
}

// Scales grow and shrink by factors: as powers of two every step is seen. The last one holds until now.
Curve scalePowers(const RunSeries& run) {
  auto curve = run.lossScale();
  if (curve.x.isEmpty()) return curve;
  for (double& value : curve.y) value = value > 0 ? std::log2(value) : std::numeric_limits<double>::quiet_NaN();
  const double now = lastTime(run);
  if (now > curve.x.last()) curve.add(now, curve.y.last());
  return curve;
}

// One run shows what its memory is made of; of two only the totals can be compared.
void addMemory(PlotContent& content, const QVector<const RunSeries*>& runs, const QStringList& phases) {
  if (runs.size() == 1 && !runs.first()->memoryTotal().x.isEmpty()) {
    for (qsizetype i = 0; i < runs.first()->memory().size(); ++i) {
      content.stack.append(scaled(runs.first()->memory()[i], 1 / kMebi));
      content.lines.append({phases.value(i), static_cast<int>(i), content.stack.last(), false, false});
    }
  } else {
    for (const auto* run : runs) content.lines.append({run->label(), run->order(), scaled(run->memoryTotal(), 1 / kMebi)});
  }
  for (const auto* run : runs)
    if (run->budget() > 0) content.budget = static_cast<double>(run->budget()) / kMebi;
}

}  // namespace

bool PlotContent::empty() const {
  return std::all_of(lines.begin(), lines.end(), [](const PlotLine& line) { return line.curve.x.isEmpty(); });
}

PlotContent plotContent(PlotKind kind, const QVector<const RunSeries*>& runs, const QStringList& phases) {
  PlotContent content;
  if (kind == PlotKind::Memory) addMemory(content, runs, phases);
  for (const auto* run : runs) {
    content.lastTime = std::max(content.lastTime, lastTime(*run));
    content.live = content.live || (!run->summary() && !run->failure());
    if (kind == PlotKind::Throughput) {
      content.lines.append({run->label(), run->order(), run->samplesPerSecond()});
      content.bands.append({run->order(), run->rateBand()});
      content.disturbed += run->disturbed();
    } else if (kind == PlotKind::Cpu) {
      content.lines.append({run->label(), run->order(), run->cpu()});
    } else if (kind == PlotKind::Loss) {
      content.lines.append({run->label(), run->order(), run->loss()});
    } else if (kind == PlotKind::Accuracy) {
      content.lines.append({run->label(), run->order(), scaled(run->accuracy(), 100), true});
    } else if (kind == PlotKind::Waiting) {
      content.lines.append({run->label(), run->order(), scaled(run->waiting(), 100)});
    } else if (kind == PlotKind::Queue) {
      content.lines.append({run->label(), run->order(), run->queue()});
    } else if (kind == PlotKind::LossScale) {
      content.lines.append({run->label(), run->order(), scalePowers(*run)});
    }
  }
  return content;
}

bool worthAPlot(PlotKind kind, const QVector<const RunSeries*>& runs) {
  const auto any = [&runs](const Curve& (RunSeries::*curve)() const, qsizetype least) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunSeries* run) { return (run->*curve)().x.size() >= least; });
  };
  switch (kind) {
    case PlotKind::Accuracy:
      // A single evaluation says nothing that the table doesn't.
      return any(&RunSeries::accuracy, 2);
    case PlotKind::Waiting:
      return any(&RunSeries::waiting, 1);
    case PlotKind::Queue:
      return any(&RunSeries::queue, 1);
    case PlotKind::LossScale:
      return any(&RunSeries::lossScale, 1);
    default:
      return true;
  }
}

std::optional<double> valueAt(const Curve& curve, double time) {
  if (curve.x.isEmpty() || time < curve.x.first() || time > curve.x.last()) return std::nullopt;
  const auto after = std::upper_bound(curve.x.begin(), curve.x.end(), time);
  const double value = curve.y[std::distance(curve.x.begin(), after) - 1];
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

ValueRange valueRange(const PlotContent& content, bool zeroInView) {
  double low = INFINITY, high = -INFINITY;
  const auto take = [&](const QVector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  if (content.stack.isEmpty()) {
    for (const auto& line : content.lines) take(line.curve.y);
  } else {
    QVector<double> total(content.stack.first().y.size(), 0.0);
    for (const auto& layer : content.stack)
      for (qsizetype i = 0; i < std::min(total.size(), layer.y.size()); ++i)
        total[i] += std::isfinite(layer.y[i]) ? layer.y[i] : 0;
    take(total);
  }
  if (content.budget) high = std::max(high, *content.budget);
  if (!(low <= high)) return {};
  if (zeroInView) low = std::min(low, 0.0);
  constexpr double kAir = 0.12;
  const double size = high > low ? high - low : std::max(std::fabs(high), 1.0);
  return {zeroInView && low == 0 ? 0 : low - kAir * size, high + kAir * size};
}

}  // namespace atelier::app
