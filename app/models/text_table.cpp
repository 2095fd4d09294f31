#include "text_table.h"

#include <algorithm>
#include <utility>

#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kFigure = 12, kText = 13;

}  // namespace

void TextTable::setTable(QStringList head, std::vector<Row> rows, QVector<int> orders) {
  beginResetModel();
  m_head = std::move(head);
  m_rows = std::move(rows);
  m_orders = std::move(orders);
  endResetModel();
}

int TextTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TextTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_head.size());
}

QVariant TextTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& row = m_rows[static_cast<std::size_t>(index.row())];
  const auto text = row.cells.value(index.column());
  const bool figure = index.column() > 0 && row.kind == RowKind::Figures;
  switch (role) {
    case Qt::DisplayRole:
      return text;
    case Qt::TextAlignmentRole:
      return static_cast<int>((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole:
      if (row.kind == RowKind::Heading) return m_theme.font(kText, QFont::DemiBold);
      return figure ? QVariant(m_theme.monospace(kFigure)) : QVariant();
    case Qt::ForegroundRole:
      return index.column() == 0 && row.kind != RowKind::Heading ? QVariant(m_theme.tokens().soft) : QVariant();
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return index.column() == 0 ? text : row.cells.value(0).trimmed() + QStringLiteral(": ") + text;
    default:
      return {};
  }
}

QVariant TextTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const bool ordered = section > 0 && section <= m_orders.size();
  const int order = ordered ? m_orders[section - 1] : 0;
  if (role == Qt::DisplayRole)
    return ordered ? Theme::seriesMarker(order) + QLatin1Char(' ') + m_head[section] : m_head[section];
  if (role == Qt::ForegroundRole) return ordered ? QVariant(m_theme.seriesColor(order)) : QVariant();
  if (role == Qt::TextAlignmentRole) {
    const bool figures = std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) { return row.kind == RowKind::Figures; });
    return static_cast<int>((section && figures ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

}  // namespace atelier::app
