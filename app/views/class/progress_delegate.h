// ProgressDelegate: a cell of the class's table: its text, and below it a bar for the share of steps that are done. GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace atelier::app {

class Theme;

class ProgressDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  ProgressDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const Theme& m_theme;
};

}  // namespace atelier::app
