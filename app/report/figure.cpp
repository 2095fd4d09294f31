#include "figure.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace atelier::app::report {
namespace {

constexpr double kTitle = pt(16), kFoot = pt(12), kLabelGap = pt(4), kLabelLine = pt(9);
constexpr int kColumns = 400;
constexpr double kBandOpacity = 0.18, kShadeOpacity = 0.12, kLayerOpacity = 0.55;

QString shown(const std::string& text) {
  return QString::fromStdString(text);
}

QColor faded(QColor colour, double opacity) {
  colour.setAlphaF(static_cast<float>(opacity));
  return colour;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

double finite(double value) {
  return std::isfinite(value) ? value : 0;
}

// Layers as the sums of what lies below them.
QVector<Curve> stackedCurves(const QVector<Trace>& traces) {
  QVector<Curve> sums;
  for (const auto& trace : traces) {
    auto sum = trace.curve;
    for (qsizetype i = 0; i < sum.y.size(); ++i)
      sum.y[i] = finite(sum.y[i]) + (sums.isEmpty() || i >= sums.last().y.size() ? 0 : sums.last().y[i]);
    sums.append(sum);
  }
  return sums;
}

// One plot being drawn: where its axes lie, and the way from seconds and values to the page.
class Drawing {
 public:
  Drawing(QPainter& painter, const QRectF& area, const Plot& plot, const wire::Format& format)
      : m_painter(painter), m_area(area), m_plot(plot), m_format(format) {
    if (plot.stacked) m_sums = stackedCurves(plot.traces);
    fit();
  }

  void draw() {
    heading();
    grid();
    shades();
    if (m_plot.stacked) layers();
    else lines();
    limit();
    labels();
  }

 private:
  const Curve& curve(qsizetype i) const { return m_plot.stacked ? m_sums[i] : m_plot.traces[i].curve; }
  double x(double seconds) const { return m_axes.left() + m_axes.width() * std::clamp(seconds / m_until, 0.0, 1.0); }
  double y(double value) const {
    return m_axes.bottom() -
           m_axes.height() * std::clamp((value - m_ticks.first()) / (m_ticks.last() - m_ticks.first()), 0.0, 1.0);
  }

  void fit() {
    Range range;
    m_until = m_plot.until > 0 ? m_plot.until : 1;
    for (qsizetype i = 0; i < m_plot.traces.size(); ++i)
      for (const double value : curve(i).y) range.take(value);
    if (m_plot.limit) range.take(*m_plot.limit);
    if (m_plot.zero || !std::isfinite(range.low)) range.take(0);
    m_ticks = niceTicks(range.low, range.high);
    const double step = m_ticks.size() > 1 ? m_ticks[1] - m_ticks[0] : 1;
    m_decimals = 0;
    for (double left = step; m_decimals < 6 && std::fabs(left - std::round(left)) > 1e-6; left *= 10) ++m_decimals;
    const QFontMetricsF small(font(Face::Text, 7.5)), medium(font(Face::Medium, 7.5));
    double left = 0, right = 0;
    for (const double tick : m_ticks) left = std::max(left, small.horizontalAdvance(shown(m_format.fixed(tick, m_decimals))));
    for (const auto& trace : m_plot.traces) right = std::max(right, medium.horizontalAdvance(trace.label));
    if (m_plot.limit) right = std::max(right, medium.horizontalAdvance(m_plot.limitLabel));
    m_axes = m_area.adjusted(left + pt(5), kTitle + pt(3), right > 0 ? -right - kLabelGap : -pt(2), -kFoot);
  }

  void heading() {
    m_painter.setFont(font(Face::Strong, 8.5));
    m_painter.setPen(ink().text);
    m_painter.drawText(QRectF(m_area.topLeft(), QSizeF(m_area.width(), kTitle)), Qt::AlignLeft | Qt::AlignTop, m_plot.title);
    m_painter.setFont(font(Face::Text, 7.5));
    m_painter.setPen(ink().soft);
    m_painter.drawText(QRectF(m_area.topLeft(), QSizeF(m_area.width(), kTitle)), Qt::AlignRight | Qt::AlignTop, m_plot.unit);
  }

  void grid() {
    m_painter.setFont(font(Face::Text, 7.5));
    for (const double tick : m_ticks) {
      m_painter.setPen(QPen(ink().line, pt(0.5)));
      m_painter.drawLine(QPointF(m_axes.left(), y(tick)), QPointF(m_axes.right(), y(tick)));
      m_painter.setPen(ink().soft);
      m_painter.drawText(QRectF(m_area.left(), y(tick) - pt(6), m_axes.left() - m_area.left() - pt(5), pt(12)),
                         Qt::AlignRight | Qt::AlignVCenter, shown(m_format.fixed(tick, m_decimals)));
    }
    const auto seconds = niceTicks(0, m_until, 5);
    const int decimals = seconds[1] - seconds[0] < 1 ? (seconds[1] - seconds[0] < 0.1 ? 2 : 1) : 0;
    for (const double tick : seconds) {
      if (tick > m_until * 1.0001) break;
      const auto text = shown(m_format.fixed(tick, decimals)) + (tick > 0 ? QStringLiteral("\u202fs") : QString());
      m_painter.drawText(QRectF(x(tick) - pt(30), m_axes.bottom() + pt(2), pt(60), kFoot), Qt::AlignHCenter | Qt::AlignTop,
                         text);
    }
  }

  void shades() {
    for (const auto& span : m_plot.shaded)
      if (std::isfinite(span.from) && std::isfinite(span.to))
        m_painter.fillRect(QRectF(QPointF(x(span.from), m_axes.top()), QPointF(x(span.to), m_axes.bottom())),
                           faded(ink().warn, kShadeOpacity));
  }

  QPolygonF mapped(const QPolygonF& points) const {
    QPolygonF result;
    for (const auto& point : points) result << QPointF(x(point.x()), y(point.y()));
    return result;
  }

  void layers() {
    m_painter.setPen(Qt::NoPen);
    for (qsizetype i = 0; i < m_sums.size(); ++i) {
      for (const auto& stretch : stretches(m_sums[i], m_until, kColumns)) {
        auto outline = mapped(stretch);
        // Each layer goes down to the one below: drawn to the ground they would shine through each other.
        if (i > 0) {
          QPolygonF below;
          for (const auto& part : stretches(m_sums[i - 1], m_until, kColumns)) below += mapped(part);
          std::reverse(below.begin(), below.end());
          outline += below;
        } else {
          outline << QPointF(outline.last().x(), m_axes.bottom()) << QPointF(outline.first().x(), m_axes.bottom());
        }
        m_painter.setBrush(faded(m_plot.traces[i].pen.color(), kLayerOpacity));
        m_painter.drawPolygon(outline);
      }
    }
    m_painter.setBrush(Qt::NoBrush);
  }

  void band(const Trace& trace) {
    QPolygonF upper, lower;
    const auto size = std::min({trace.band.x.size(), trace.band.low.size(), trace.band.high.size()});
    for (qsizetype i = 0; i < size; ++i) {
      if (!std::isfinite(trace.band.low[i]) || !std::isfinite(trace.band.high[i])) continue;
      upper << QPointF(x(trace.band.x[i]), y(trace.band.high[i]));
      lower.prepend(QPointF(x(trace.band.x[i]), y(trace.band.low[i])));
    }
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(faded(trace.pen.color(), kBandOpacity));
    if (upper.size() > 1) m_painter.drawPolygon(upper + lower);
    m_painter.setBrush(Qt::NoBrush);
  }

  void lines() {
    for (const auto& trace : m_plot.traces) {
      band(trace);
      for (const auto& stretch : stretches(trace.curve, m_until, kColumns)) {
        const auto points = mapped(stretch);
        m_painter.setPen(trace.pen);
        if (!trace.points && points.size() > 1) m_painter.drawPolyline(points);
        if (!trace.points && points.size() > 1) continue;
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(trace.pen.color());
        for (const auto& point : points) m_painter.drawEllipse(point, pt(1.8), pt(1.8));
        m_painter.setBrush(Qt::NoBrush);
      }
    }
  }

  void limit() {
    if (!m_plot.limit) return;
    QPen pen(ink().soft, pt(0.8));
    pen.setDashPattern({4, 3});
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(m_axes.left(), y(*m_plot.limit)), QPointF(m_axes.right(), y(*m_plot.limit)));
  }

  double wantedLabel(qsizetype i) const {
    const auto& values = curve(i).y;
    const auto last = std::find_if(values.rbegin(), values.rend(), [](double value) { return std::isfinite(value); });
    if (last == values.rend()) return m_axes.bottom();
    const double below = m_plot.stacked && i > 0 && !m_sums[i - 1].y.isEmpty() ? finite(m_sums[i - 1].y.last()) : 0;
    return y(m_plot.stacked ? (*last + below) / 2 : *last);
  }

  void labels() {
    QVector<double> wanted;
    QVector<std::pair<QString, QColor>> texts;
    for (qsizetype i = 0; i < m_plot.traces.size(); ++i) {
      if (m_plot.traces[i].label.isEmpty()) continue;
      wanted.append(wantedLabel(i));
      texts.append({m_plot.traces[i].label, m_plot.traces[i].pen.color()});
    }
    if (m_plot.limit && !m_plot.limitLabel.isEmpty()) {
      wanted.append(y(*m_plot.limit));
      texts.append({m_plot.limitLabel, ink().soft});
    }
    const auto at = spread(wanted, kLabelLine, m_axes.top(), m_axes.bottom());
    m_painter.setFont(font(Face::Medium, 7.5));
    for (qsizetype i = 0; i < at.size(); ++i) {
      m_painter.setPen(texts[i].second.darker(m_plot.stacked ? 130 : 100));
      m_painter.drawText(
          QRectF(m_axes.right() + kLabelGap, at[i] - kLabelLine / 2, m_area.right() - m_axes.right(), kLabelLine),
          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, texts[i].first);
    }
  }

  QPainter& m_painter;
  QRectF m_area, m_axes;
  const Plot& m_plot;
  const wire::Format& m_format;
  QVector<Curve> m_sums;
  QVector<double> m_ticks;
  double m_until = 1;
  int m_decimals = 0;
};

}  // namespace

void drawPlot(QPainter& painter, const QRectF& area, const Plot& plot, const wire::Format& format) {
  Drawing(painter, area, plot, format).draw();
}

void drawRatio(QPainter& painter, const QRectF& area, const wire::Interval& ratio, const QColor& colour,
               const wire::Format& format) {
  if (!std::isfinite(ratio.median) || !std::isfinite(ratio.low) || !std::isfinite(ratio.high)) return;
  const auto ticks = niceTicks(std::min(0.9, ratio.low), std::max(1.1, ratio.high));
  const auto inner = area.adjusted(pt(12), pt(4), -pt(12), -kFoot);
  const auto x = [&](double value) {
    return inner.left() + inner.width() * (value - ticks.first()) / (ticks.last() - ticks.first());
  };
  const int decimals = ticks[1] - ticks[0] < 0.1 ? 2 : 1;
  painter.setFont(font(Face::Text, 7.5));
  for (const double tick : ticks) {
    painter.setPen(QPen(ink().line, pt(0.5)));
    painter.drawLine(QPointF(x(tick), inner.top()), QPointF(x(tick), inner.bottom()));
    painter.setPen(ink().soft);
    painter.drawText(QRectF(x(tick) - pt(30), inner.bottom() + pt(1), pt(60), kFoot), Qt::AlignHCenter | Qt::AlignTop,
                     shown(format.fixed(tick, decimals)) + QStringLiteral("×"));
  }
  painter.setPen(QPen(ink().soft, pt(1)));
  painter.drawLine(QPointF(x(1), inner.top()), QPointF(x(1), inner.bottom()));
  const double middle = inner.center().y();
  painter.setPen(QPen(colour, pt(2)));
  painter.drawLine(QPointF(x(ratio.low), middle), QPointF(x(ratio.high), middle));
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(QPointF(x(ratio.median), middle), pt(3.5), pt(3.5));
  painter.setBrush(Qt::NoBrush);
}

}  // namespace atelier::app::report
