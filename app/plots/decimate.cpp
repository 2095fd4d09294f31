#include "decimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace atelier::app {

namespace {

// Collects one pixel column and gives back its extremes in the order in which they came.
class Column {
 public:
  explicit Column(const Curve& curve) : m_curve(curve) {}

  void add(qsizetype at) {
    const double y = m_curve.y[at];
    if (!std::isfinite(y)) {
      m_gap = at;
      return;
    }
    if (m_first < 0) m_first = m_low = m_high = at;
    m_last = at;
    if (y < m_curve.y[m_low]) m_low = at;
    if (y > m_curve.y[m_high]) m_high = at;
  }

  void flush(Curve& out) {
    if (m_first >= 0) {
      std::array<qsizetype, 4> kept{m_first, m_low, m_high, m_last};
      std::sort(kept.begin(), kept.end());
      const auto end = std::unique(kept.begin(), kept.end());
      for (auto at = kept.begin(); at != end; ++at) out.add(m_curve.x[*at], m_curve.y[*at]);
    } else if (m_gap >= 0) {
      out.add(m_curve.x[m_gap], std::numeric_limits<double>::quiet_NaN());
    }
    m_first = m_last = m_low = m_high = m_gap = -1;
  }

 private:
  const Curve& m_curve;
  qsizetype m_first = -1, m_last = -1, m_low = -1, m_high = -1, m_gap = -1;
};

}  // namespace

Curve decimate(const Curve& curve, double from, double to, int columns) {
  const qsizetype count = std::min(curve.x.size(), curve.y.size());
  const auto begin = curve.x.constBegin(), end = begin + count;
  auto first = std::lower_bound(begin, end, from) - begin;
  auto last = std::upper_bound(begin, end, to) - begin;
  first = std::max<qsizetype>(0, first - 1);
  last = std::min(count, last + 1);
  Curve out;
  const double width = (to - from) / columns;
  if (last - first <= 2 * columns || !(width > 0)) {
    for (auto at = first; at < last; ++at)
      out.add(curve.x[at], std::isfinite(curve.y[at]) ? curve.y[at] : std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  Column column(curve);
  double border = -std::numeric_limits<double>::infinity();
  for (auto at = first; at < last; ++at) {
    const double slot = std::floor((curve.x[at] - from) / width);
    if (slot != border) column.flush(out);
    border = slot;
    column.add(at);
  }
  column.flush(out);
  return out;
}

}  // namespace atelier::app
