#include "plottables.h"

#include <algorithm>
#include <cmath>

#include "decimate.h"

namespace atelier::app {

QCPRange PlainPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
  found = false;
  return {};
}

QCPRange PlainPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
  found = false;
  return {};
}

QPointF PlainPlottable::pixel(double key, double value) const {
  return {keyAxis()->coordToPixel(key), valueAxis()->coordToPixel(value)};
}

int PlainPlottable::columns() const {
  return std::max(1, keyAxis()->axisRect()->width());
}

void BandPlottable::setBand(const Band& band, const QColor& color) {
  m_band = band;
  QColor fill = color;
  fill.setAlphaF(kOpacity);
  setPen(Qt::NoPen);
  setBrush(fill);
}

void BandPlottable::draw(QCPPainter* painter) {
  if (m_band.x.size() < 2) return;
  const auto range = keyAxis()->range();
  const Curve high = decimate({m_band.x, m_band.high}, range.lower, range.upper, columns());
  const Curve low = decimate({m_band.x, m_band.low}, range.lower, range.upper, columns());
  QPolygonF shape;
  for (qsizetype i = 0; i < high.x.size(); ++i)
    if (std::isfinite(high.y[i])) shape.append(pixel(high.x[i], high.y[i]));
  for (qsizetype i = low.x.size(); i-- > 0;)
    if (std::isfinite(low.y[i])) shape.append(pixel(low.x[i], low.y[i]));
  painter->setPen(Qt::NoPen);
  painter->setBrush(brush());
  painter->drawPolygon(shape);
}

void StackPlottable::setLayers(const QVector<Curve>& layers, const QVector<QColor>& colors) {
  m_tops.clear();
  m_colors = colors;
  QVector<double> sum;
  for (const auto& layer : layers) {
    if (sum.isEmpty()) sum.fill(0, layer.y.size());
    for (qsizetype i = 0; i < std::min(sum.size(), layer.y.size()); ++i)
      if (std::isfinite(layer.y[i])) sum[i] += layer.y[i];
    m_tops.append(Curve{layer.x, sum});
  }
}

void StackPlottable::draw(QCPPainter* painter) {
  const auto range = keyAxis()->range();
  painter->setPen(Qt::NoPen);
  // From the top layer down, each filled to zero: the lower ones are painted over it, and no seam shows between two fills.
  for (qsizetype layer = m_tops.size(); layer-- > 0;) {
    const Curve top = decimate(m_tops[layer], range.lower, range.upper, columns());
    if (top.x.size() < 2) continue;
    QPolygonF shape;
    shape.append(pixel(top.x.first(), 0));
    for (qsizetype i = 0; i < top.x.size(); ++i) shape.append(pixel(top.x[i], top.y[i]));
    shape.append(pixel(top.x.last(), 0));
    painter->setBrush(m_colors.value(layer));
    painter->drawPolygon(shape);
  }
}

void SpanPlottable::setSpans(const QVector<RunSeries::Disturbed>& spans, const QColor& color) {
  m_spans = spans;
  setPen(Qt::NoPen);
  setBrush(color);
}

void SpanPlottable::draw(QCPPainter* painter) {
  const auto area = keyAxis()->axisRect()->rect();
  painter->setPen(Qt::NoPen);
  painter->setBrush(brush());
  for (const auto& span : m_spans) {
    const double from = keyAxis()->coordToPixel(span.from), to = keyAxis()->coordToPixel(span.to);
    painter->drawRect(QRectF(from, area.top(), std::max(1.0, to - from), area.height()));
  }
}

void BubblePlottable::setBubbles(const QVector<Bubble>& bubbles, const QColor& color, double rim) {
  m_bubbles = bubbles;
  QColor fill = color;
  fill.setAlphaF(kOpacity);
  setPen(QPen(color, rim));
  setBrush(fill);
}

void BubblePlottable::draw(QCPPainter* painter) {
  painter->setPen(pen());
  for (const auto& bubble : m_bubbles) {
    painter->setBrush(bubble.strong ? brush() : QBrush(Qt::NoBrush));
    painter->drawEllipse(pixel(bubble.x, bubble.y), bubble.diameter / 2, bubble.diameter / 2);
  }
}

}  // namespace atelier::app
