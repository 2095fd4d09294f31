#include "bit_field.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

#include "app/models/formats_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kCell = 15, kLeastCell = 9, kHeight = 30, kFieldGap = 5, kMark = 3, kMostGaps = 3;
constexpr double kDigit = 11;

}  // namespace

BitField::BitField(const Theme& theme, const Words& words, QWidget* parent) : QWidget(parent), m_theme(theme), m_words(words) {
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  restyle();
}

void BitField::restyle() {
  updateGeometry();
  update();
}

QSize BitField::sizeHint() const {
  return {m_theme.px(kMostBits * kCell + kMostGaps * kFieldGap), m_theme.px(kHeight)};
}

QSize BitField::minimumSizeHint() const {
  return {m_theme.px(kMostBits * kLeastCell + kMostGaps * kFieldGap), m_theme.px(kHeight)};
}

void BitField::setCode(const wire::NumberFormat& format, std::uint32_t bits) {
  m_format = format;
  m_bits = bits;
  m_current = std::clamp(m_current, 0, m_format.width() - 1);
  retext();
}

void BitField::retext() {
  setAccessibleName(m_words.text(wire::Message{
      "formats.bits", {{"format", formatName(m_format).toStdString()}, {"bits", bitsText(m_format, m_bits).toStdString()}}}));
  setCurrent(m_current);
}

void BitField::setCurrent(int bit) {
  m_current = std::clamp(bit, 0, m_format.width() - 1);
  setAccessibleDescription(bitText(m_format, m_bits, m_current, m_words));
  update();
}

BitField::Field BitField::fieldAt(int place) const {
  if (place == 0) return Field::Sign;
  if (place <= m_format.exponent_bits) return Field::Exponent;
  return place < m_format.width() ? Field::Mantissa : Field::Padding;
}

QRectF BitField::cellAt(int place) const {
  const double gap = m_theme.px(kFieldGap), wide = (width() - kMostGaps * gap) / kMostBits;
  int gaps = 0;
  for (int i = 1; i <= place; ++i) gaps += fieldAt(i) != fieldAt(i - 1) ? 1 : 0;
  return {place * wide + gaps * gap, 1, std::max(1.0, wide - 1), height() - 2.0 - m_theme.px(kMark)};
}

QRectF BitField::cell(int bit) const {
  return cellAt(m_format.width() - 1 - bit);
}

int BitField::bitAt(const QPointF& at) const {
  if (at.y() < 0 || at.y() >= height()) return -1;
  for (int bit = 0; bit < m_format.width(); ++bit)
    if (const auto box = cell(bit); at.x() >= box.left() && at.x() < box.right() + 1) return bit;
  return -1;
}

void BitField::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const int places = m_format.storedBits();
  for (int place = 0; place < places; ++place) drawCell(painter, place);
  for (int from = 0; from < places;) {
    int to = from + 1;
    while (to < places && fieldAt(to) == fieldAt(from)) ++to;
    drawLine(painter, from, to - 1);
    from = to;
  }
}

void BitField::drawCell(QPainter& painter, int place) const {
  const auto& tokens = m_theme.tokens();
  const auto field = fieldAt(place);
  const auto box = cellAt(place).adjusted(0.5, 0.5, -0.5, -0.5);
  const double radius = m_theme.px(2);
  if (field == Field::Padding) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens.line, 1, Qt::DotLine));
    painter.drawRoundedRect(box, radius, radius);
    return;
  }
  const int bit = m_format.width() - 1 - place;
  const bool set = (m_bits >> bit & 1) != 0;
  const auto color = m_theme.seriesColor(field == Field::Sign ? 1 : field == Field::Exponent ? 0 : 2);
  painter.setPen(QPen(color, 1));
  painter.setBrush(set ? QBrush(color) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(box, radius, radius);
  if (hasFocus() && bit == m_current) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens.text, 2 * m_theme.scale()));
    painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius, radius);
  }
  const bool dark = contrastRatio(tokens.text, color) >= contrastRatio(tokens.panel, color);
  painter.setPen(!set || dark ? tokens.text : tokens.panel);
  painter.setFont(m_theme.monospace(std::min(kDigit, box.width() / m_theme.scale())));
  painter.drawText(box, static_cast<int>(Qt::AlignCenter), set ? QStringLiteral("1") : QStringLiteral("0"));
}

void BitField::drawLine(QPainter& painter, int from, int to) const {
  const auto field = fieldAt(from);
  if (field == Field::Padding) return;
  const auto style = field == Field::Sign ? Qt::DotLine : field == Field::Exponent ? Qt::SolidLine : Qt::DashLine;
  painter.setPen(QPen(m_theme.tokens().soft, 1.5 * m_theme.scale(), style, Qt::FlatCap));
  const double y = height() - 1.5;
  painter.drawLine(QPointF(cellAt(from).left(), y), QPointF(cellAt(to).right(), y));
}

void BitField::flip(int bit) {
  setCurrent(bit);
  Q_EMIT flipped(bit);
}

void BitField::mousePressEvent(QMouseEvent* event) {
  m_crossed = event->button() == Qt::LeftButton ? bitAt(event->position()) : -1;
  if (m_crossed < 0) return QWidget::mousePressEvent(event);
  flip(m_crossed);
}

void BitField::mouseMoveEvent(QMouseEvent* event) {
  const int bit = event->buttons().testFlag(Qt::LeftButton) && m_crossed >= 0 ? bitAt(event->position()) : -1;
  if (bit < 0 || bit == m_crossed) return;
  // A fast hand skips cells: what lies between was crossed too.
  const int step = bit > m_crossed ? 1 : -1;
  for (int crossed = m_crossed + step; crossed != bit + step; crossed += step) flip(crossed);
  m_crossed = bit;
}

void BitField::mouseReleaseEvent(QMouseEvent* event) {
  m_crossed = -1;
  QWidget::mouseReleaseEvent(event);
}

void BitField::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return setCurrent(m_current + 1);
    case Qt::Key_Right:
      return setCurrent(m_current - 1);
    case Qt::Key_Home:
      return setCurrent(m_format.width() - 1);
    case Qt::Key_End:
      return setCurrent(0);
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return flip(m_current);
    case Qt::Key_Up:
      Q_EMIT walked(true);
      return;
    case Qt::Key_Down:
      Q_EMIT walked(false);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace atelier::app
