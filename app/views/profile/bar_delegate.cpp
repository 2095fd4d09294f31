#include "bar_delegate.h"

#include <QPainter>

#include <algorithm>

#include "app/models/trace_table.h"
#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kBar = 3, kSide = 8, kBelow = 2;

}  // namespace

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const auto cell = m_sift.cellAt(index);
  if (cell.to < cell.from) return;
  const auto& tokens = m_theme.tokens();
  const int side = m_theme.px(kSide), height = m_theme.px(kBar);
  const QRectF track(option.rect.left() + side, option.rect.bottom() - height - m_theme.px(kBelow),
                     std::max(0, option.rect.width() - 2 * side), height);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(tokens.line);
  painter->drawRect(track);
  painter->setBrush(cell.warning ? tokens.bad : tokens.accent);
  // However little it is, it is seen.
  const double wide = std::max(cell.to > cell.from ? 1.0 : 0.0, (cell.to - cell.from) * track.width());
  painter->drawRect(QRectF(track.left() + cell.from * track.width(), track.top(), wide, track.height()));
  if (cell.mark >= 0) {
    painter->setBrush(tokens.text);
    painter->drawRect(QRectF(track.left() + cell.mark * track.width() - 1, track.top() - 1, 2, track.height() + 2));
  }
  painter->restore();
}

}  // namespace atelier::app
