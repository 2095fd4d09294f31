// How a TimelinePlot is moved, pointed at and chosen from: mouse, wheel, keyboard, tooltips, context menu.
#include <QApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

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

constexpr double kZoom = 0.8, kPan = 0.2;
constexpr double kNotch = 120;  // of a wheel

}  // namespace

void TimelinePlot::zoomAt(double time, double factor) {
  setView(time - (time - m_axis.from) * factor, time + (m_axis.to - time) * factor);
}

void TimelinePlot::panBy(double pixels) {
  const double shift = pixels * m_axis.perPixel();
  setView(m_axis.from + shift, m_axis.to + shift);
}

void TimelinePlot::scrollBy(double pixels) {
  m_bar->setValue(m_bar->value() + static_cast<int>(std::lround(pixels)));
}

void TimelinePlot::wheelEvent(QWheelEvent* event) {
  if (isEmpty()) return QWidget::wheelEvent(event);
  event->accept();
  const double turned = event->angleDelta().y() / kNotch, aside = event->angleDelta().x() / kNotch;
  const bool overLabels = event->position().x() < m_axis.left;
  const double row = 3 * rowHeight();
  if (overLabels || event->modifiers().testFlag(Qt::ShiftModifier)) return scrollBy(-(turned != 0 ? turned : aside) * row);
  if (aside != 0) panBy(-aside * row);
  if (turned != 0) zoomAt(m_axis.time(event->position().x()), std::pow(kZoom, turned));
  hover(event->position());
}

void TimelinePlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || isEmpty()) return QWidget::mousePressEvent(event);
  const auto position = event->position();
  m_pressed = m_last = position;
  const bool spans = event->modifiers().testFlag(Qt::ShiftModifier) || position.y() < rulerRect().bottom();
  if (position.x() < m_axis.left) m_drag = Drag::Label;
  else m_drag = spans ? Drag::Span : Drag::Press;
}

void TimelinePlot::mouseMoveEvent(QMouseEvent* event) {
  const auto position = event->position();
  if (m_drag == Drag::None) return hover(position);
  if (m_drag == Drag::Press && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
    m_drag = Drag::Pan;
    setCursor(Qt::ClosedHandCursor);
  }
  if (m_drag == Drag::Pan) {
    scrollBy(m_last.y() - position.y());
    panBy(m_last.x() - position.x());
    m_last = position;
  }
  if (m_drag == Drag::Span) dragSpan(position.x());
  m_pointer = position.x();
  update();
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  const auto drag = std::exchange(m_drag, Drag::None);
  const auto position = event->position();
  unsetCursor();
  if (drag == Drag::Press) return click(position);
  if (drag == Drag::Span && std::fabs(position.x() - m_pressed.x()) < QApplication::startDragDistance()) {
    if (m_selection) m_selection->selectSpan(std::nullopt);
  }
  const auto* lane = drag == Drag::Label ? laneAt(position.y()) : nullptr;
  if (!lane || lane != laneAt(m_pressed.y())) return;
  const auto track = m_content->timeline.tracks()[lane->track].track;
  setTrackCollapsed(track, !trackCollapsed(track));
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || event->position().x() < m_axis.left) return QWidget::mouseDoubleClickEvent(event);
  const auto clicked = eventAt(event->position());
  if (clicked >= 0) fitEvent(clicked);
  else showWhole();
}

void TimelinePlot::leaveEvent(QEvent* event) {
  m_hovered = -1;
  m_pointer.reset();
  update();
  QWidget::leaveEvent(event);
}

void TimelinePlot::hover(const QPointF& position) {
  m_hovered = eventAt(position);
  m_pointer = position.x();
  update();
}

void TimelinePlot::click(const QPointF& position) {
  choose(eventAt(position));
}

void TimelinePlot::choose(std::int32_t event) {
  if (!m_selection || !m_content) return;
  m_choosing = true;
  m_selection->selectEvent(m_content->trace, event);
  m_choosing = false;
}

void TimelinePlot::dragSpan(double x) {
  if (!m_selection || std::fabs(x - m_pressed.x()) < QApplication::startDragDistance()) return;
  const auto end = static_cast<double>(m_content->timeline.end());
  const auto timeOf = [&](double pixel) {
    return static_cast<std::int64_t>(std::llround(std::clamp(m_axis.time(pixel), 0.0, end)));
  };
  const auto from = timeOf(m_pressed.x()), to = timeOf(x);
  m_selection->selectSpan(trace::Span{std::min(from, to), std::max(from, to)});
}

// From event to event. Across the rows also to the call that launched a kernel, and back.
void TimelinePlot::walk(int key) {
  const auto& layout = m_content->timeline;
  const auto event = chosen();
  auto next = event;
  if (event < 0) {
    const auto* lane = m_lanes.empty() ? nullptr : &m_lanes.front();
    if (lane) next = layout.hitTest(layout.tracks()[lane->track].firstRow, m_axis.from, m_axis.to - m_axis.from);
  } else if (key == Qt::Key_Left || key == Qt::Key_Right) {
    next = layout.neighbour(event, key == Qt::Key_Left ? -1 : 1);
  } else {
    const bool up = key == Qt::Key_Up;
    next = up ? m_content->trace.events[at(event)].parent : layout.longestChild(m_content->trace, event);
    for (const auto& link : m_links) {
      if (next >= 0 || link.backward) continue;
      if (up && link.to == event) next = link.from;
      if (!up && link.from == event) next = link.to;
    }
  }
  if (next < 0 || next == event) return;
  choose(next);
  revealEvent(next);
}

// Whether there was something to forget.
bool TimelinePlot::escape() {
  if (!m_selection || (!m_selection->span() && m_selection->empty())) return false;
  if (m_selection->span()) m_selection->selectSpan(std::nullopt);
  else m_selection->clear();
  return true;
}

// Whether the key means something here.
bool TimelinePlot::pressKey(int key) {
  const double center = m_pointer ? m_axis.time(*m_pointer) : (m_axis.from + m_axis.to) / 2;
  switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoomAt(center, kZoom);
      return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
      zoomAt(center, 1 / kZoom);
      return true;
    case Qt::Key_A:
      panBy(-kPan * m_axis.width);
      return true;
    case Qt::Key_D:
      panBy(kPan * m_axis.width);
      return true;
    case Qt::Key_F:
      fitSelection();
      return true;
    case Qt::Key_PageUp:
      scrollBy(-m_bar->pageStep());
      return true;
    case Qt::Key_PageDown:
      scrollBy(m_bar->pageStep());
      return true;
    default:
      return TracePlot::pressKey(key);
  }
}

void TimelinePlot::showTip(const QPoint& position, const QPoint& global) {
  const auto pointed = eventAt(position);
  const auto* lane = !isEmpty() && position.x() < m_axis.left ? laneAt(position.y()) : nullptr;
  QString text;
  if (pointed >= 0) text = eventTip(m_content->trace, m_content->report.times, pointed, m_words);
  else if (lane) text = labelOf(m_content->timeline.tracks()[lane->track].track).toHtmlEscaped();
  if (text.isEmpty()) return QToolTip::hideText();
  const auto place = pointed >= 0 ? eventRect(pointed).intersected(rowsRect()).toAlignedRect() : QRect(position, QSize(1, 1));
  QToolTip::showText(global, text, this, place);
}

void TimelinePlot::addToMenu(QMenu& menu) {
  auto* fit = menu.addAction(m_words.text("timeline.fit"), this, &TimelinePlot::fitSelection);
  fit->setEnabled(chosen() >= 0 || (m_selection && m_selection->span()));
}

}  // namespace atelier::app
