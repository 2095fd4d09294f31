#include "fit_table.h"

#include <QHeaderView>
#include <QTableView>

#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

void makeFitting(QTableView& table) {
  makeQuiet(table);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

void fit(QTableView& table, const Theme& theme) {
  // Below the rows there is room for the bar that moves columns which are wider than the table.
  constexpr int kRow = 28, kBelow = 16;
  table.verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  table.horizontalHeader()->setFixedHeight(theme.px(kRow));
  const int rows = table.model() ? table.model()->rowCount() : 0;
  table.setFixedHeight((rows + 1) * theme.px(kRow) + theme.px(kBelow));
}

}  // namespace atelier::app
