#include "progress_delegate.h"

#include <QPainter>

#include "app/models/class_table.h"
#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kBar = 4, kSide = 8, kBelow = 3;

}  // namespace

void ProgressDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const auto share = index.data(ClassTable::ShareRole);
  if (!share.isValid()) return;
  const auto& tokens = m_theme.tokens();
  const int side = m_theme.px(kSide), height = m_theme.px(kBar);
  QRectF track(option.rect.left() + side, option.rect.bottom() - height - m_theme.px(kBelow), option.rect.width() - 2 * side,
               height);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(tokens.line);
  painter->drawRoundedRect(track, height / 2.0, height / 2.0);
  track.setWidth(track.width() * share.toDouble());
  painter->setBrush(index.data(ClassTable::StuckRole).toBool() ? tokens.warn : tokens.accent);
  if (track.width() > 0) painter->drawRoundedRect(track, height / 2.0, height / 2.0);
  painter->restore();
}

}  // namespace atelier::app
