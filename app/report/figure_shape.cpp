#include <algorithm>
#include <cmath>
#include <numeric>

#include "figure.h"

namespace atelier::app::report {

bool Plot::empty() const {
  return std::none_of(traces.begin(), traces.end(), [](const Trace& trace) {
    return std::any_of(trace.curve.y.begin(), trace.curve.y.end(), [](double y) { return std::isfinite(y); });
  });
}

QVector<double> niceTicks(double low, double high, double steps) {
  if (!std::isfinite(low) || !std::isfinite(high)) return {0, 1};
  if (high - low <= std::max(std::fabs(high), 1e-12) * 1e-9) high = low + std::max(std::fabs(low) * 0.1, 1e-6);
  const double raw = (high - low) / steps;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double candidate : {1.0, 2.0, 2.5, 5.0})
    if (candidate * power >= raw * 0.999) {
      step = candidate * power;
      break;
    }
  QVector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  for (int i = 0; i < 12; ++i) {
    ticks.append((first + i) * step);
    if (ticks.last() >= high - step * 1e-9) break;
  }
  return ticks;
}

QVector<QPolygonF> stretches(const Curve& curve, double until, int columns) {
  QVector<QPolygonF> result(1);
  const auto size = std::min(curve.x.size(), curve.y.size());
  const double width = until > 0 ? until / columns : 1;
  for (qsizetype i = 0; i < size;) {
    const double x = curve.x[i], y = curve.y[i];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      if (!result.last().isEmpty()) result.append(QPolygonF());
      ++i;
      continue;
    }
    // The points of one column: its lowest and highest, in the order they came.
    qsizetype low = i, high = i;
    const double end = (std::floor(x / width) + 1) * width;
    for (++i; i < size && curve.x[i] < end && std::isfinite(curve.y[i]); ++i) {
      if (curve.y[i] < curve.y[low]) low = i;
      if (curve.y[i] > curve.y[high]) high = i;
    }
    result.last() << QPointF(curve.x[std::min(low, high)], curve.y[std::min(low, high)]);
    if (low != high) result.last() << QPointF(curve.x[std::max(low, high)], curve.y[std::max(low, high)]);
  }
  if (result.last().isEmpty()) result.removeLast();
  return result;
}

QVector<double> spread(const QVector<double>& wanted, double gap, double top, double bottom) {
  QVector<qsizetype> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](qsizetype a, qsizetype b) { return wanted[a] < wanted[b]; });
  auto placed = wanted;
  double from = top;
  for (const auto i : order) {
    placed[i] = std::max(placed[i], from);
    from = placed[i] + gap;
  }
  double to = bottom;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    placed[*it] = std::min(placed[*it], to);
    to = placed[*it] - gap;
  }
  return placed;
}

}  // namespace atelier::app::report
