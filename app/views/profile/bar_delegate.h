// BarDelegate: a cell of a TraceTable: its text, and below it the bar that it has. GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace atelier::app {

class Theme;
class TraceSift;

class BarDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  // REQUIRES: what it draws are cells of `sift`.
  BarDelegate(const Theme& theme, const TraceSift& sift, QObject* parent)
      : QStyledItemDelegate(parent), m_theme(theme), m_sift(sift) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const Theme& m_theme;
  const TraceSift& m_sift;
};

}  // namespace atelier::app
