#include "pareto_plot.h"

#include <algorithm>
#include <cmath>

namespace atelier::app {

namespace {

constexpr double kAir = 0.08;

struct Place {
  std::size_t point = 0;
  double x = 0, rate = 0;
};

std::vector<Place> placesOf(const wire::SweepSummary& sweep, SweepFigure against) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const auto& run = sweep.points[i].summary;
    const auto x = figureOf(run, against), rate = figureOf(run, SweepFigure::Rate);
    if (run.status == "done" && x && rate) places.push_back({i, *x, *rate});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
  return places;
}

// Whether one is no worse in both and better in one.
bool beats(const Place& one, const Place& other, bool lessIsBetter) {
  const double gain = lessIsBetter ? other.x - one.x : one.x - other.x;
  return gain >= 0 && one.rate >= other.rate && (gain > 0 || one.rate > other.rate);
}

std::vector<Place> frontOf(const std::vector<Place>& places, SweepFigure against) {
  std::vector<Place> front;
  for (const auto& place : places) {
    const bool beaten = std::any_of(places.begin(), places.end(),
                                    [&](const Place& other) { return beats(other, place, against == SweepFigure::Memory); });
    if (!beaten) front.push_back(place);
  }
  return front;
}

void fit(double low, double high, bool fromZero, double& from, double& to) {
  const double size = high > low ? high - low : std::max(1.0, std::fabs(high) * 0.2);
  from = fromZero ? 0 : std::max(0.0, low - kAir * size);
  to = high + kAir * size;
}

QString unitOf(SweepFigure figure, const Words& words) {
  return words.text(std::string("sweepview.unit.") + figureId(figure));
}

QString nameOf(SweepFigure figure, const Words& words) {
  return words.text(std::string("sweepview.figure.") + figureId(figure));
}

}  // namespace

std::vector<std::size_t> paretoFront(const wire::SweepSummary& sweep, SweepFigure against) {
  std::vector<std::size_t> points;
  for (const auto& place : frontOf(placesOf(sweep, against), against)) points.push_back(place.point);
  return points;
}

QString pointReading(const wire::SweepPoint& point, const Words& words) {
  const auto& format = words.format();
  const auto& run = point.summary;
  QStringList parts{QString::fromStdString(pointWords(point.values))};
  if (run.samples_per_second)
    parts << QString::fromStdString(format.number(run.samples_per_second->median) + "\u00a0" +
                                    words.catalog().text("sweepview.unit.rate") + " " +
                                    format.interval(*run.samples_per_second));
  if (run.peak_memory_bytes.total > 0) parts << QString::fromStdString(format.bytes(run.peak_memory_bytes.total));
  if (run.accuracy) parts << QString::fromStdString(format.percent(*run.accuracy));
  return parts.join(QStringLiteral("  ·  "));
}

FigureContent paretoFigure(const wire::SweepSummary& sweep, SweepFigure against, const Words& words) {
  FigureContent figure;
  figure.title = words.text(against == SweepFigure::Memory ? "sweepview.pareto.memory" : "sweepview.pareto.accuracy");
  figure.unit = unitOf(SweepFigure::Rate, words);
  figure.xTitle = nameOf(against, words) + QStringLiteral(", ") + unitOf(against, words);
  const auto places = placesOf(sweep, against);
  if (places.empty()) return figure;
  const auto front = frontOf(places, against);
  FigureLine line;
  // With less memory allowed, the best is the front's point at or left of it; for more accuracy, at or right of it.
  line.join = against == SweepFigure::Memory ? FigureLine::Join::StepLeft : FigureLine::Join::StepRight;
  for (const auto& place : front) line.curve.add(place.x, place.rate);
  figure.lines.append(line);
  double highest = 0;
  for (const auto& place : places) {
    const bool strong = std::any_of(front.begin(), front.end(), [&](const Place& best) { return best.point == place.point; });
    figure.marks.append(
        {place.x, place.rate, pointReading(sweep.points[place.point], words), static_cast<int>(place.point), strong});
    highest = std::max(highest, place.rate);
  }
  fit(places.front().x, places.back().x, false, figure.xLow, figure.xHigh);
  fit(0, highest, true, figure.yLow, figure.yHigh);
  return figure;
}

FigureContent axisFigure(const wire::SweepSummary& sweep, SweepFigure figure, const Words& words) {
  FigureContent content;
  content.title = nameOf(figure, words);
  content.unit = unitOf(figure, words);
  if (sweep.axes.empty()) return content;
  const auto& axis = sweep.axes.front();
  content.xTitle = QString::fromStdString(axis.key);
  for (const auto& value : axis.values) content.xNames << QString::fromStdString(valueWords(value));
  FigureLine line;
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < sweep.points.size() && i < axis.values.size(); ++i) {
    const auto& point = sweep.points[i];
    const auto value = figureOf(point.summary, figure);
    if (!value) continue;
    const auto x = static_cast<double>(i);
    line.curve.add(x, *value);
    const bool interval = figure == SweepFigure::Rate;
    line.band.x.append(x);
    line.band.low.append(interval ? point.summary.samples_per_second->low : *value);
    line.band.high.append(interval ? point.summary.samples_per_second->high : *value);
    low = std::min(low, line.band.low.last());
    high = std::max(high, line.band.high.last());
    content.marks.append({x, *value, pointReading(point, words), static_cast<int>(i), true});
  }
  if (!line.curve.x.isEmpty()) content.lines.append(line);
  content.xLow = -0.5;
  content.xHigh = static_cast<double>(axis.values.size()) - 0.5;
  if (low <= high) fit(low, high, figure == SweepFigure::Rate || figure == SweepFigure::Memory, content.yLow, content.yHigh);
  return content;
}

}  // namespace atelier::app
