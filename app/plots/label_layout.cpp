#include "label_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atelier::app {

namespace {

// A run of touching labels: it stands where the mean of its labels' wishes puts it.
struct Cluster {
  double sum = 0;  // of wanted centres, each taken back by its place in the cluster
  int count = 0;
  double start(double height, double top, double bottom) const {
    return std::clamp(sum / count - height / 2, top, std::max(top, bottom - count * height));
  }
};

}  // namespace

QVector<std::optional<double>> placeLabels(const QVector<double>& wanted, double height, double top, double bottom) {
  QVector<std::optional<double>> placed(wanted.size());
  const auto room = height > 0 ? static_cast<qsizetype>(std::floor((bottom - top) / height + 1e-9)) : wanted.size();
  QVector<qsizetype> order;
  for (qsizetype i = 0; i < wanted.size() && order.size() < room; ++i)
    if (std::isfinite(wanted[i])) order.append(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });

  QVector<Cluster> clusters;
  for (const auto label : order) {
    clusters.append({wanted[label], 1});
    while (clusters.size() > 1) {
      auto& below = clusters[clusters.size() - 2];
      const auto& last = clusters.back();
      const double end = below.start(height, top, bottom) + below.count * height;
      if (end <= last.start(height, top, bottom)) break;
      below.sum += last.sum - last.count * (below.count * height);
      below.count += last.count;
      clusters.removeLast();
    }
  }
  qsizetype next = 0;
  for (const auto& cluster : clusters) {
    const double start = cluster.start(height, top, bottom);
    for (int i = 0; i < cluster.count; ++i) placed[order[next++]] = start + (i + 0.5) * height;
  }
  return placed;
}

}  // namespace atelier::app
