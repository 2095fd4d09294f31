#include "trace_table.h"

#include <algorithm>
#include <utility>

#include "app/shell/theme.h"
#include "fuzzy.h"

namespace atelier::app {

namespace {

constexpr int kFigure = 12;

}  // namespace

void TraceTable::setRows(TraceRows rows) {
  beginResetModel();
  m_content = std::move(rows);
  m_searched.clear();
  endResetModel();
}

const QString& TraceTable::searched(int row) const {
  if (m_searched.empty()) m_searched.resize(m_content.rows.size());
  auto& text = m_searched[static_cast<std::size_t>(row)];
  if (!text.isNull()) return text;
  QStringList parts;
  const auto& cells = m_content.rows[static_cast<std::size_t>(row)].cells;
  for (int column = 0; column < columnCount(); ++column)
    if (!isFigure(column)) parts << cells.value(column).text;
  text = folded(parts.join(QLatin1Char('\n')));
  if (text.isNull()) text = QStringLiteral("");
  return text;
}

int TraceTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_content.rows.size());
}

int TraceTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_content.columns.size());
}

QVariant TraceTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& row = m_content.rows[static_cast<std::size_t>(index.row())];
  const auto cell = row.cells.value(index.column());
  const bool figure = isFigure(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return cell.text;
    case Qt::TextAlignmentRole:
      return static_cast<int>((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole:
      return m_theme.monospace(kFigure);
    case Qt::ForegroundRole:
      return cell.warning ? QVariant(m_theme.tokens().bad) : QVariant();
    case Qt::ToolTipRole:
      return index.column() == 0 || cell.text.size() > 24 ? QVariant(cell.text) : QVariant();
    case Qt::AccessibleTextRole:
      return m_content.columns[index.column()].title + QStringLiteral(": ") + cell.text;
    default:
      return {};
  }
}

QVariant TraceTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::DisplayRole) return m_content.columns[section].title;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((isFigure(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  // One looks for the largest first.
  if (role == Qt::InitialSortOrderRole) return static_cast<int>(isFigure(section) ? Qt::DescendingOrder : Qt::AscendingOrder);
  return {};
}

TraceSift::TraceSift(TraceTable& table, QObject* parent) : QSortFilterProxyModel(parent), m_table(table) {
  setSourceModel(&table);
}

void TraceSift::setWords(const QString& words) {
  auto all = folded(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (all == m_words) return;
  m_words = std::move(all);
  invalidateFilter();
}

const TraceRow& TraceSift::rowAt(int row) const {
  return m_table.content().rows[static_cast<std::size_t>(mapToSource(index(row, 0)).row())];
}

TraceCell TraceSift::cellAt(const QModelIndex& index) const {
  return rowAt(index.row()).cells.value(index.column());
}

int TraceSift::find(const std::function<bool(const TraceRow&)>& wanted) const {
  for (int row = 0; row < rowCount(); ++row)
    if (wanted(rowAt(row))) return row;
  return -1;
}

bool TraceSift::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const auto& rows = m_table.content().rows;
  const auto a = rows[static_cast<std::size_t>(left.row())].cells.value(left.column());
  const auto b = rows[static_cast<std::size_t>(right.row())].cells.value(right.column());
  const bool noA = std::isnan(a.value), noB = std::isnan(b.value);
  if (noA && noB) return QString::compare(a.text, b.text, Qt::CaseInsensitive) < 0;
  // Falling, the two are handed over the other way round: what is not known comes last both ways.
  if (noA != noB) return sortOrder() == Qt::AscendingOrder ? noB : noA;
  return a.value < b.value;
}

bool TraceSift::filterAcceptsRow(int row, const QModelIndex&) const {
  if (m_words.isEmpty()) return true;
  const auto& text = m_table.searched(row);
  return std::all_of(m_words.begin(), m_words.end(), [&text](const QString& word) { return text.contains(word); });
}

}  // namespace atelier::app
