// What a TimelinePlot draws over its picture: what is pointed at and chosen, where it leads to, the span, the pointer's moment.
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "timeline_plot.h"

namespace atelier::app {

namespace {

constexpr double kTextSize = 11, kChosenWidth = 2, kHoveredWidth = 1.2, kRounding = 2;
constexpr double kFar = 4000;     // pixels beyond the widget at which lines may end
constexpr int kSpanOpacity = 40;  // of 255
constexpr int kPadding = 8;

}  // namespace

void TimelinePlot::drawOverlay(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing);
  drawSpan(painter);
  painter.save();
  painter.setClipRect(rowsRect());
  const auto event = chosen();
  if (m_hovered >= 0 && m_hovered != event) drawOutline(painter, m_hovered, m_theme.tokens().text, kHoveredWidth);
  if (event >= 0) {
    drawArrows(painter);
    drawOutline(painter, event, m_theme.tokens().accent, kChosenWidth);
  }
  painter.restore();
  drawPointer(painter);
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(m_theme.tokens().accent, 2));
  painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void TimelinePlot::drawOutline(QPainter& painter, std::int32_t event, const QColor& color, double width) const {
  auto place = eventRect(event);
  if (place.isEmpty()) return;
  place.setLeft(std::max(place.left(), m_axis.left - kFar));
  place.setRight(std::min(place.right(), m_axis.right() + kFar));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(color, width * m_theme.scale()));
  painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), kRounding, kRounding);
}

void TimelinePlot::drawArrows(QPainter& painter) const {
  for (const auto& link : m_links) drawArrow(painter, link);
}

void TimelinePlot::drawArrow(QPainter& painter, const TimelineLink& link) const {
  const auto from = eventRect(link.from), to = eventRect(link.to);
  if (from.isEmpty() || to.isEmpty()) return;
  const auto bounded = [this](QPointF point) {
    return QPointF(std::clamp(point.x(), m_axis.left - kFar, m_axis.right() + kFar),
                   std::clamp(point.y(), -kFar, height() + kFar));
  };
  // A launch happens in its call; a node of autograd runs after its operator.
  const auto begin = bounded({link.backward ? from.right() : from.center().x(), from.center().y()});
  const auto end = bounded({to.left(), to.center().y()});
  const double bend = std::clamp(std::fabs(end.x() - begin.x()) / 2, 12.0, 120.0) * m_theme.scale();
  QPainterPath path(begin);
  path.cubicTo(begin + QPointF(bend, 0), end - QPointF(bend, 0), end);
  const auto& tokens = m_theme.tokens();
  const auto color = link.backward ? tokens.text : tokens.accent;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(color, 1.4 * m_theme.scale(), link.backward ? Qt::DashLine : Qt::SolidLine));
  painter.drawPath(path);
  const double head = 5 * m_theme.scale();
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(QPolygonF{end, end + QPointF(-head, -head / 2), end + QPointF(-head, head / 2)});
}

void TimelinePlot::drawSpan(QPainter& painter) const {
  if (!m_selection || !m_selection->span()) return;
  const auto& span = *m_selection->span();
  const double left = std::max(m_axis.x(static_cast<double>(span.from)), m_axis.left);
  const double right = std::min(m_axis.x(static_cast<double>(span.to)), m_axis.right());
  if (right < left) return;
  const auto& tokens = m_theme.tokens();
  auto veil = tokens.accent;
  veil.setAlpha(kSpanOpacity);
  const auto ruler = rulerRect();
  const QRectF place(left, ruler.bottom(), right - left, height() - ruler.bottom());
  painter.fillRect(place, veil);
  painter.setPen(QPen(tokens.accent, 1));
  painter.drawLine(place.topLeft(), place.bottomLeft());
  painter.drawLine(place.topRight(), place.bottomRight());
  const auto text = timeText(span.to - span.from, m_words.format());
  painter.setFont(m_theme.font(kTextSize, QFont::DemiBold));
  const double room = painter.fontMetrics().horizontalAdvance(text) + 2 * m_theme.px(kPadding);
  const double x = std::clamp(place.center().x() - room / 2, ruler.left(), std::max(ruler.left(), ruler.right() - room));
  const QRectF tag(x, ruler.top() + 2, room, ruler.height() - 4);
  painter.setPen(Qt::NoPen);
  painter.setBrush(tokens.accent);
  painter.drawRoundedRect(tag, kRounding * 2, kRounding * 2);
  painter.setPen(tokens.onAccent);
  painter.drawText(tag, static_cast<int>(Qt::AlignCenter), text);
}

void TimelinePlot::drawPointer(QPainter& painter) const {
  if (!m_pointer || *m_pointer < m_axis.left || *m_pointer > m_axis.right()) return;
  const double x = std::round(*m_pointer) + 0.5;
  painter.setPen(QPen(m_theme.tokens().soft, 1));
  painter.drawLine(QPointF(x, rulerRect().bottom()), QPointF(x, height()));
  if (!hasMemory()) return;
  const auto& points = m_content->report.memory.timeline;
  const auto after =
      std::upper_bound(points.begin(), points.end(), m_axis.time(*m_pointer),
                       [](double time, const trace::MemoryPoint& point) { return time < static_cast<double>(point.time); });
  if (after == points.begin()) return;
  const auto text = QString::fromStdString(m_words.format().bytes((after - 1)->total()));
  const auto place = memoryRect();
  painter.setFont(m_theme.font(kTextSize, QFont::DemiBold));
  painter.setPen(m_theme.tokens().text);
  const double room = painter.fontMetrics().horizontalAdvance(text) + m_theme.px(kPadding);
  const bool fits = x + room < place.right();
  painter.drawText(QRectF(fits ? x + m_theme.px(kPadding) / 2.0 : x - room, place.top(), room, place.height()),
                   static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), text);
}

void TimelinePlot::drawEmpty(QPainter& painter) const {
  painter.fillRect(rect(), m_theme.tokens().panel);
  painter.setFont(m_theme.font(kTextSize + 2));
  painter.setPen(m_theme.tokens().soft);
  const int margin = m_theme.px(kPadding) * 3;
  painter.drawText(rect().adjusted(margin, margin, -margin, -margin), static_cast<int>(Qt::AlignCenter | Qt::TextWordWrap),
                   m_words.text("timeline.empty"));
}

}  // namespace atelier::app
