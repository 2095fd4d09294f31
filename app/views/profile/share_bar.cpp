#include "share_bar.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <utility>

#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kHeight = 8, kWidth = 120;

}  // namespace

ShareBar::ShareBar(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ShareBar::setParts(QVector<Part> parts, const QString& words) {
  m_parts = std::move(parts);
  setAccessibleName(words);
  setToolTip(words);
  update();
}

QSize ShareBar::sizeHint() const {
  return {m_theme.px(kWidth), m_theme.px(kHeight)};
}

QSize ShareBar::minimumSizeHint() const {
  return {m_theme.px(kWidth) / 2, m_theme.px(kHeight)};
}

void ShareBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath outline;
  outline.addRoundedRect(rect(), height() / 2.0, height() / 2.0);
  painter.setClipPath(outline);
  painter.fillRect(rect(), m_theme.tokens().line);
  double left = 0;
  for (const auto& part : m_parts) {
    const double wide = std::clamp(part.share, 0.0, 1.0) * width();
    painter.fillRect(QRectF(left, 0, wide, height()), part.color);
    left += wide;
  }
}

}  // namespace atelier::app
