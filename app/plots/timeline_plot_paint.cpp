// What a TimelinePlot draws that follows neither the pointer nor the choice: it is kept as a picture between changes of the
// view.
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "core/trace/index.h"
#include "timeline_plot.h"

namespace atelier::app {

using trace::at;

namespace {

constexpr int kTickGap = 92, kPadding = 8, kChevron = 6, kLabelLeft = 22, kNamePadding = 4;
constexpr double kTextSize = 11;
constexpr double kLeastFramed = 3;  // pixels from which a box stands apart from its neighbours
constexpr double kBesideSteps = 5;  // pixels between two steps below which their borders are left out
constexpr qsizetype kLeastCharacters = 3, kMostCharacters = 200, kMostNames = 20'000;

}  // namespace

void TimelinePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (isEmpty()) return drawEmpty(painter);
  const double density = devicePixelRatioF();
  const auto wanted = (QSizeF(size()) * density).toSize();
  if (m_layer.size() != wanted || !qFuzzyCompare(m_layer.devicePixelRatio(), density)) {
    m_layer = QPixmap(wanted);
    m_layer.setDevicePixelRatio(density);
    m_stale = true;
  }
  if (std::exchange(m_stale, false)) {
    QPainter layer(&m_layer);
    drawStatic(layer);
  }
  painter.drawPixmap(0, 0, m_layer);
  drawOverlay(painter);
}

void TimelinePlot::drawStatic(QPainter& painter) const {
  painter.fillRect(rect(), m_theme.tokens().panel);
  drawGrid(painter);
  drawRows(painter);
  drawSteps(painter);
  drawBand(painter);
  drawRuler(painter);
  if (hasMemory()) drawMemory(painter);
  drawLabels(painter);
}

void TimelinePlot::drawRuler(QPainter& painter) const {
  const auto place = rulerRect();
  painter.fillRect(place, m_theme.tokens().panel);
  painter.setFont(m_theme.font(kTextSize));
  painter.setPen(m_theme.tokens().soft);
  const double gap = m_theme.px(kTickGap);
  for (const auto& tick : ticksOf(m_axis, gap, m_words.format()))
    painter.drawText(QRectF(m_axis.x(tick.time) + m_theme.px(3), place.top(), gap, place.height()),
                     static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), tick.text);
}

void TimelinePlot::drawGrid(QPainter& painter) const {
  painter.setPen(QPen(m_theme.tokens().line, 1));
  for (const auto& tick : ticksOf(m_axis, m_theme.px(kTickGap), m_words.format())) {
    const double x = std::round(m_axis.x(tick.time)) + 0.5;
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  }
}

void TimelinePlot::drawBand(QPainter& painter) const {
  const auto place = bandRect();
  if (place.isEmpty()) return;
  painter.save();
  painter.setClipRect(place);
  painter.setFont(m_theme.font(kTextSize));
  const auto& stages = m_content->timeline.stages();
  stages.visible(0, m_axis.from, m_axis.to, m_axis.perPixel(), m_boxes);
  for (const auto& box : m_boxes) {
    const double left = std::max(m_axis.x(static_cast<double>(box.from)), place.left());
    const double right = std::min(m_axis.x(static_cast<double>(box.to)), place.right());
    const QRectF piece(left, place.top() + 1, std::max(right - left, 1.0), place.height() - 2);
    painter.fillRect(piece.adjusted(0, 0, piece.width() > kLeastFramed ? -1 : 0, 0), m_palette.fill(box.tint, false));
    if (box.count > 1) continue;
    const auto text = stageText(static_cast<trace::Stage>(stages.id(box.first)), m_words);
    const double room = piece.width() - 2 * m_theme.px(kNamePadding);
    if (painter.fontMetrics().horizontalAdvance(text) > room) continue;
    painter.setPen(m_palette.text(box.tint, false));
    painter.drawText(piece, static_cast<int>(Qt::AlignCenter), text);
  }
  painter.restore();
}

void TimelinePlot::drawRows(QPainter& painter) const {
  const auto rows = rowsRect();
  painter.save();
  painter.setClipRect(rows);
  painter.setFont(nameFont());
  for (const auto& lane : m_lanes) {
    const double top = topOf(lane);
    if (top > rows.bottom()) break;
    if (top + laneHeight(lane) < rows.top()) continue;
    const auto& track = m_content->timeline.tracks()[lane.track];
    const double above = std::max(0.0, std::floor((rows.top() - top) / rowHeight()));
    for (auto row = static_cast<std::size_t>(above); row < lane.rows; ++row) {
      const double y = top + static_cast<double>(row) * rowHeight();
      if (y > rows.bottom()) break;
      drawRow(painter, track.firstRow + row, {rows.left(), y, rows.width(), rowHeight() - 1});
    }
    const double under = top + laneHeight(lane) - m_theme.px(3);
    painter.setPen(QPen(m_theme.tokens().line, 1));
    painter.drawLine(QPointF(rows.left(), under), QPointF(rows.right(), under));
  }
  painter.restore();
}

bool TimelinePlot::isDimmed(const TimelineBox& box) const {
  if (m_search.active()) return !m_search.has(box);
  return m_marked.active() && !m_marked.has(box);
}

// Boxes too small to stand apart are drawn as one where they look alike: there may be thousands of them.
void TimelinePlot::drawRow(QPainter& painter, std::size_t row, const QRectF& place) const {
  const double pixel = 1 / painter.device()->devicePixelRatioF();
  const auto& rows = m_content->timeline.rows();
  rows.visible(row, m_axis.from, m_axis.to, m_axis.perPixel() * pixel, m_boxes);
  QRectF run;
  QColor color;
  const auto flush = [&] {
    if (!run.isEmpty()) painter.fillRect(run, color);
    run = {};
  };
  for (const auto& box : m_boxes) {
    const double left = std::max(m_axis.x(static_cast<double>(box.from)), place.left() - 1);
    const double right = std::min(m_axis.x(static_cast<double>(box.to)), place.right() + 1);
    const QRectF drawn(left, place.top(), std::max(right - left, pixel), place.height());
    if (drawn.width() >= kLeastFramed) {
      flush();
      drawBox(painter, box, drawn);
      continue;
    }
    const auto& event = m_content->trace.events[at(rows.id(box.first))];
    const auto& fill = isDimmed(box) ? m_palette.dimmed() : m_palette.fill(box.tint, isFrame(event.kind));
    if (run.isEmpty() || fill != color || left > run.right() + pixel) {
      flush();
      run = drawn;
      color = fill;
    }
    run.setRight(std::max(run.right(), drawn.right()));
  }
  flush();
}

void TimelinePlot::drawBox(QPainter& painter, const TimelineBox& box, const QRectF& place) const {
  const auto& event = m_content->trace.events[at(m_content->timeline.rows().id(box.first))];
  const bool dimmed = isDimmed(box), frame = isFrame(event.kind);
  // A pixel between neighbours.
  const auto inner = place.adjusted(0, 0, -1, 0);
  painter.fillRect(inner, dimmed ? m_palette.dimmed() : m_palette.fill(box.tint, frame));
  if (box.count > 1) return;
  const auto* name = nameIn(event.name, inner.width() - 2 * m_theme.px(kNamePadding));
  if (!name) return;
  painter.setPen(dimmed ? m_theme.tokens().soft : m_palette.text(box.tint, frame));
  painter.drawStaticText(QPointF(inner.left() + m_theme.px(kNamePadding), inner.center().y() - name->size().height() / 2),
                         *name);
}

const QStaticText* TimelinePlot::nameIn(std::int32_t name, double width) const {
  const auto room = std::min(static_cast<qsizetype>(width / m_advance), kMostCharacters);
  if (room < kLeastCharacters) return nullptr;
  const auto key = (static_cast<quint64>(name) << 32) | static_cast<quint64>(room);
  auto found = m_names.constFind(key);
  if (found == m_names.constEnd()) {
    if (m_names.size() >= kMostNames) m_names.clear();
    auto text = shortName(m_content->trace.names[at(name)]);
    if (text.size() > room) text = text.left(room - 1) + QChar(0x2026);
    QStaticText made(text);
    made.setTextFormat(Qt::PlainText);
    made.setPerformanceHint(QStaticText::AggressiveCaching);
    made.prepare(QTransform(), nameFont());
    found = m_names.insert(key, made);
  }
  return &*found;
}

void TimelinePlot::drawSteps(QPainter& painter) const {
  const auto& bounds = m_content->timeline.stepBounds();
  const auto first = std::lower_bound(bounds.begin(), bounds.end(), static_cast<std::int64_t>(m_axis.from));
  const auto last = std::upper_bound(first, bounds.end(), static_cast<std::int64_t>(m_axis.to));
  if (static_cast<double>(last - first) * kBesideSteps > m_axis.width) return;
  painter.setPen(QPen(m_theme.tokens().soft, 1, Qt::DashLine));
  for (auto bound = first; bound != last; ++bound) {
    const double x = std::round(m_axis.x(static_cast<double>(*bound))) + 0.5;
    if (x >= m_axis.left) painter.drawLine(QPointF(x, bandRect().top()), QPointF(x, height()));
  }
}

void TimelinePlot::drawMemory(QPainter& painter) const {
  const auto& memory = m_content->report.memory;
  const auto place = memoryRect();
  const auto most = static_cast<double>(std::max<std::int64_t>(1, memory.peak.total()));
  const auto yOf = [&](const trace::MemoryPoint& point) {
    return place.bottom() - static_cast<double>(point.total()) / most * (place.height() - m_theme.px(kPadding));
  };
  const auto isAfter = [](double time, const trace::MemoryPoint& point) { return time < static_cast<double>(point.time); };
  auto point = std::upper_bound(memory.timeline.begin(), memory.timeline.end(), m_axis.from, isAfter);
  if (point != memory.timeline.begin()) --point;
  const double end = m_axis.x(std::min(m_axis.to, static_cast<double>(m_content->timeline.end())));
  QPolygonF area;
  double x = std::max(place.left(), m_axis.x(static_cast<double>(point->time))), y = yOf(*point);
  area << QPointF(x, place.bottom()) << QPointF(x, y);
  // What is live stays so until the next change.
  for (++point; point != memory.timeline.end() && static_cast<double>(point->time) <= m_axis.to; ++point) {
    x = m_axis.x(static_cast<double>(point->time));
    area << QPointF(x, y);
    y = yOf(*point);
    area << QPointF(x, y);
  }
  area << QPointF(std::max(x, end), y) << QPointF(std::max(x, end), place.bottom());
  painter.save();
  painter.setClipRect(place);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto color = m_theme.seriesColor(5);
  painter.setPen(QPen(color, m_theme.scale()));
  painter.setBrush(mixed(m_theme.tokens().panel, color, 0.35));
  painter.drawPolygon(area);
  painter.restore();
}

QString TimelinePlot::labelOf(std::int32_t number) const {
  const auto& track = m_content->trace.tracks[at(number)];
  auto name = plainName(track.name);
  if (name.isEmpty()) name = m_words.text(wire::Message{"timeline.track", {{"number", m_words.format().integer(track.id)}}});
  return track.device < 0 ? name : QStringLiteral("GPU %1 · %2").arg(track.device).arg(name);
}

void TimelinePlot::drawLabels(QPainter& painter) const {
  const auto& tokens = m_theme.tokens();
  const auto rows = rowsRect();
  painter.fillRect(QRectF(0, 0, m_axis.left, height()), tokens.panel);
  painter.setPen(QPen(tokens.line, 1));
  painter.drawLine(QPointF(m_axis.left - 0.5, 0), QPointF(m_axis.left - 0.5, height()));
  drawSideText(painter, rulerRect(), timeText(std::llround(m_axis.to - m_axis.from), m_words.format()));
  if (!bandRect().isEmpty()) drawSideText(painter, bandRect(), m_words.text("timeline.stages"));
  if (hasMemory()) {
    auto upper = memoryRect(), lower = upper;
    upper.setBottom(upper.center().y());
    lower.setTop(upper.bottom());
    drawSideText(painter, upper, m_words.text("timeline.memory"));
    const auto peak = m_words.format().bytes(m_content->report.memory.peak.total());
    drawSideText(painter, lower, m_words.text(wire::Message{"timeline.memory_peak", {{"bytes", peak}}}));
  }
  painter.save();
  painter.setClipRect(QRectF(0, rows.top(), m_axis.left - 1, rows.height()));
  for (const auto& lane : m_lanes) {
    if (topOf(lane) > rows.bottom()) break;
    if (topOf(lane) + laneHeight(lane) > rows.top()) drawLabel(painter, lane);
  }
  painter.restore();
}

void TimelinePlot::drawSideText(QPainter& painter, const QRectF& beside, const QString& text) const {
  const QRectF place(m_theme.px(kPadding), beside.top(), m_axis.left - 2 * m_theme.px(kPadding), beside.height());
  painter.setFont(m_theme.font(kTextSize));
  painter.setPen(m_theme.tokens().soft);
  painter.drawText(place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(place.width())));
}

// Stays in view as long as a row of its track does.
void TimelinePlot::drawLabel(QPainter& painter, const Lane& lane) const {
  const auto track = m_content->timeline.tracks()[lane.track].track;
  const double lowest = topOf(lane) + static_cast<double>(lane.rows - 1) * rowHeight();
  const double top = std::min(std::max(topOf(lane), rowsRect().top()), lowest);
  const QPointF middle(m_theme.px(kPadding) + m_theme.px(kChevron) / 2.0, top + rowHeight() / 2);
  const double half = m_theme.px(kChevron) / 2.0;
  QPolygonF chevron;
  if (trackCollapsed(track)) chevron << QPointF(-half / 2, -half) << QPointF(half / 2, 0) << QPointF(-half / 2, half);
  else chevron << QPointF(-half, -half / 2) << QPointF(0, half / 2) << QPointF(half, -half / 2);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(m_theme.tokens().soft, 1.5 * m_theme.scale()));
  painter.drawPolyline(chevron.translated(middle));
  painter.setFont(m_theme.font(kTextSize, QFont::Medium));
  painter.setPen(m_theme.tokens().text);
  const QRectF place(m_theme.px(kLabelLeft), top, m_axis.left - m_theme.px(kLabelLeft) - m_theme.px(kPadding), rowHeight());
  painter.drawText(place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                   painter.fontMetrics().elidedText(labelOf(track), Qt::ElideRight, static_cast<int>(place.width())));
}

}  // namespace atelier::app
