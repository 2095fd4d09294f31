#include "trace_table_view.h"

#include <QHeaderView>
#include <QScopedValueRollback>

#include <algorithm>
#include <utility>

#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "bar_delegate.h"

namespace atelier::app {

namespace {

constexpr int kRow = 30, kWidest = 320, kNarrowest = 56;
constexpr int kLookedAt = 60;  // rows that a column's width is taken from

}  // namespace

TraceTableView::TraceTableView(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : QTableView(parent), m_desktop(desktop), m_selection(selection), m_table(desktop.theme), m_sift(m_table) {
  setModel(&m_sift);
  setItemDelegate(new BarDelegate(desktop.theme, m_sift, this));
  makeQuiet(*this);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTextElideMode(Qt::ElideMiddle);
  horizontalHeader()->setResizeContentsPrecision(kLookedAt);
  horizontalHeader()->setSortIndicatorClearable(true);
  horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
  setSortingEnabled(true);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (!index.isValid()) return;
    select(m_sift.rowAt(index.row()));
    if (!m_selection.empty()) Q_EMIT showAsked();
  });
  // Also the row that is current already, once something else was selected.
  connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) { select(m_sift.rowAt(index.row())); });
  connect(&m_selection, &TraceSelection::changed, this, &TraceTableView::follow);
  connect(&desktop.theme, &Theme::changed, this, &TraceTableView::restyle);
  restyle();
}

void TraceTableView::setRows(TraceDocument::ContentPtr content, TraceRows rows) {
  QStringList head;
  for (const auto& column : rows.columns) head << column.title;
  {
    const QScopedValueRollback guard(m_setting, true);
    m_content = std::move(content);
    m_table.setRows(std::move(rows));
  }
  if (head != m_head) {
    m_head = head;
    sortByColumn(-1, Qt::DescendingOrder);
    fitColumns();
  }
  follow();
}

void TraceTableView::fitColumns() {
  resizeColumnsToContents();
  const auto& theme = m_desktop.theme;
  for (int column = 0; column < m_sift.columnCount(); ++column)
    setColumnWidth(column, std::clamp(columnWidth(column), theme.px(kNarrowest), theme.px(kWidest)));
}

void TraceTableView::select(const TraceRow& row) {
  if (!m_content || m_setting) return;
  const QScopedValueRollback guard(m_setting, true);
  if (row.event >= 0) m_selection.selectEvent(m_content->trace, row.event);
  else if (row.name >= 0) m_selection.selectName(row.name, row.module);
  else if (row.module >= 0) m_selection.selectModule(row.module);
}

void TraceTableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (!m_setting && current.isValid()) select(m_sift.rowAt(current.row()));
}

// Of events that stand here one by one the very one; else all calls of its name, or its module.
void TraceTableView::follow() {
  if (m_setting) return;
  const auto event = m_selection.event(), name = m_selection.name(), module = m_selection.module();
  const int row = m_sift.find([=](const TraceRow& one) {
    if (one.event >= 0) return one.event == event;
    if (one.name >= 0) return one.name == name && (one.module < 0 || one.module == module);
    return one.module >= 0 && one.module == module;
  });
  const QScopedValueRollback guard(m_setting, true);
  if (row < 0) {
    clearSelection();
    return;
  }
  selectRow(row);
  scrollTo(m_sift.index(row, 0));
}

void TraceTableView::restyle() {
  verticalHeader()->setDefaultSectionSize(m_desktop.theme.px(kRow));
}

}  // namespace atelier::app
