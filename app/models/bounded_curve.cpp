#include "bounded_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace atelier::app {
namespace {

double laterThan(const QVector<double>& x, double at) {
  return x.isEmpty() || at > x.last() ? at : std::nextafter(x.last(), std::numeric_limits<double>::infinity());
}

// The lowest and the highest point and the first gap of a stretch.
void addExtremes(QVector<qsizetype>& kept, const QVector<double>& values, qsizetype from, qsizetype until) {
  qsizetype low = -1, high = -1, gap = -1;
  for (qsizetype i = from; i < until; ++i) {
    const double value = values.at(i);
    if (!std::isfinite(value)) {
      if (gap < 0) gap = i;
      continue;
    }
    if (low < 0 || value < values.at(low)) low = i;
    if (high < 0 || value > values.at(high)) high = i;
  }
  for (const qsizetype i : {low, high, gap})
    if (i >= 0) kept.append(i);
}

// The points that stay, in rising order: of each stretch of 4 n points, 3 n at most for n curves on one x.
QVector<qsizetype> staying(const QVector<const QVector<double>*>& curves) {
  const qsizetype count = curves.first()->size(), stretch = 4 * curves.size();
  QVector<qsizetype> all{0}, here;
  for (qsizetype from = 0; from < count; from += stretch) {
    here.clear();
    for (const auto* values : curves) addExtremes(here, *values, from, std::min(count, from + stretch));
    std::sort(here.begin(), here.end());
    for (const qsizetype i : std::as_const(here))
      if (i > all.last()) all.append(i);
  }
  return all;
}

void keep(QVector<double>& values, const QVector<qsizetype>& kept) {
  double* const data = values.data();
  for (qsizetype i = 0; i < kept.size(); ++i) data[i] = data[kept.at(i)];
  values.resize(kept.size());
}

}  // namespace

void addBounded(Curve& curve, double at, double value) {
  if (curve.x.size() >= kMostPoints) {
    const auto kept = staying({&curve.y});
    keep(curve.x, kept);
    keep(curve.y, kept);
  }
  curve.add(laterThan(curve.x, at), value);
}

void addBounded(Band& band, double at, double low, double high) {
  if (band.x.size() >= kMostPoints) {
    const auto kept = staying({&band.low, &band.high});
    for (auto* values : {&band.x, &band.low, &band.high}) keep(*values, kept);
  }
  band.x.append(laterThan(band.x, at));
  band.low.append(low);
  band.high.append(high);
}

void addBounded(QVector<Curve>& layers, double at, const QVector<double>& values) {
  if (layers.isEmpty()) return;
  if (layers.first().x.size() >= kMostPoints) {
    QVector<const QVector<double>*> curves;
    for (const auto& layer : std::as_const(layers)) curves.append(&layer.y);
    const auto kept = staying(curves);
    for (auto& layer : layers) {
      keep(layer.x, kept);
      keep(layer.y, kept);
    }
  }
  const double later = laterThan(layers.first().x, at);
  for (qsizetype i = 0; i < layers.size(); ++i) layers[i].add(later, values.value(i));
}

void addBounded(QVector<RunSeries::Disturbed>& spans, RunSeries::Disturbed span) {
  if (spans.size() >= kMostPoints) {
    qsizetype kept = 0;
    for (qsizetype i = 0; i + 1 < spans.size(); i += 2, ++kept) {
      const bool alike = spans.at(i).reason == spans.at(i + 1).reason;
      spans[kept] = {spans.at(i).from, spans.at(i + 1).to, alike ? spans.at(i).reason : std::string()};
    }
    spans.erase(spans.begin() + kept, spans.end());
  }
  spans.append(std::move(span));
}

}  // namespace atelier::app
