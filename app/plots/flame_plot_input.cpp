// How a FlamePlot is pointed at, zoomed and chosen from: mouse, wheel, keyboard, tooltips.
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "core/trace/index.h"
#include "flame_plot.h"

namespace atelier::app {

using trace::at;

void FlamePlot::hover(const QPointF& position) {
  const auto node = nodeAt(position);
  const bool onCrumb = std::any_of(m_crumbs.begin(), m_crumbs.end(),
                                   [&](const Crumb& crumb) { return crumb.node != m_root && crumb.place.contains(position); });
  setCursor(onCrumb ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (node == m_hovered) return;
  m_hovered = node;
  update();
}

void FlamePlot::mouseMoveEvent(QMouseEvent* event) {
  hover(event->position());
}

void FlamePlot::leaveEvent(QEvent* event) {
  m_hovered = -1;
  update();
  QWidget::leaveEvent(event);
}

void FlamePlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || m_layout.empty()) return QWidget::mousePressEvent(event);
  for (const auto& crumb : m_crumbs)
    if (crumb.place.contains(event->position())) return zoomTo(crumb.node);
  const auto node = nodeAt(event->position());
  if (node < 0) return;
  choose(node);
  zoomTo(node);
}

void FlamePlot::wheelEvent(QWheelEvent* event) {
  if (m_bar->isHidden()) return QWidget::wheelEvent(event);
  constexpr int kNotch = 120, kRows = 3;
  m_bar->setValue(m_bar->value() - event->angleDelta().y() * kRows * m_bar->singleStep() / kNotch);
  event->accept();
}

void FlamePlot::makeCurrent(std::int32_t node) {
  m_current = node;
  if (!m_layout.isBelow(node, m_root)) zoomTo(-1);
  const auto place = nodeRect(node), all = boxesRect();
  if (!place.isEmpty() && (place.top() < all.top() || place.bottom() > all.bottom()))
    m_bar->setValue(m_bar->value() + static_cast<int>(place.center().y() - all.center().y()));
  describe();
  update();
}

// All calls of the box's name, in its module. Steps differ in their number alone: none of them is meant.
void FlamePlot::choose(std::int32_t node) {
  makeCurrent(node);
  if (!m_selection) return;
  const auto& one = m_layout.flame().nodes[at(node)];
  m_choosing = true;
  if (one.kind == trace::Kind::Step) m_selection->clear();
  else m_selection->selectName(one.name, one.module);
  m_choosing = false;
}

void FlamePlot::walk(int key) {
  if (m_current < 0) return choose(m_root < 0 ? m_layout.firstChild(-1) : m_root);
  auto next = m_current;
  if (key == Qt::Key_Up) next = m_layout.parent(m_current);
  if (key == Qt::Key_Down) next = m_layout.firstChild(m_current);
  if (key == Qt::Key_Left) next = m_layout.sibling(m_current, -1);
  if (key == Qt::Key_Right) next = m_layout.sibling(m_current, 1);
  if (next < 0) return;
  // Beyond the box that fills the width lies the one around it.
  if (!m_layout.isBelow(next, m_root)) zoomTo(m_layout.parent(m_root));
  choose(next);
}

// Whether there was something to forget.
bool FlamePlot::escape() {
  const bool chosen = m_selection && !m_selection->empty();
  if (!chosen && m_current < 0 && m_root < 0) return false;
  if (chosen) m_selection->clear();
  else if (m_current < 0) zoomTo(-1);
  m_current = -1;
  describe();
  update();
  return true;
}

// Whether the key means something here.
bool FlamePlot::pressKey(int key) {
  switch (key) {
    case Qt::Key_W:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_current >= 0) zoomTo(m_current);
      return true;
    case Qt::Key_S:
    case Qt::Key_Backspace:
      if (m_root >= 0) zoomTo(m_layout.parent(m_root));
      return true;
    case Qt::Key_F:
      zoomTo(m_chosen >= 0 ? m_chosen : m_current);
      return true;
    default:
      return TracePlot::pressKey(key);
  }
}

void FlamePlot::showTip(const QPoint& position, const QPoint& global) {
  const auto node = nodeAt(position);
  if (node < 0) return QToolTip::hideText();
  QToolTip::showText(global, flameTip(m_content->trace, m_layout.flame(), node, m_words), this,
                     nodeRect(node).intersected(boxesRect()).toAlignedRect());
}

}  // namespace atelier::app
