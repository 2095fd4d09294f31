#include "runs_list_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kFigure = 12, kPin = 14;

// What a row is sorted by: what it has before a loss that is no number, and that before nothing, in both directions.
struct Key {
  int rank = 2;
  bool pinned = false;
  double number = 0;
  QString text;
};

Key keyOf(const registry::RunRecord& run, const std::string& column, const RunTexts& texts) {
  Key key;
  key.pinned = run.labels.pinned;
  if (column == RunTexts::kRun || column == RunTexts::kDiffers) {
    key.text = texts.cell(run, column);
    key.rank = key.text.isEmpty() ? 2 : 0;
    return key;
  }
  const auto value = registry::field(run, column);
  if (std::holds_alternative<std::monostate>(value)) return key;
  key.rank = 0;
  if (const auto* flag = std::get_if<bool>(&value)) key.number = *flag ? 1 : 0;
  if (const auto* text = std::get_if<std::string>(&value)) key.text = QString::fromStdString(*text);
  if (const auto* number = std::get_if<double>(&value)) {
    key.rank = std::isnan(*number) ? 1 : 0;
    key.number = key.rank == 1 ? 0 : *number;
  }
  return key;
}

bool before(const Key& a, const Key& b, bool descending) {
  if (a.pinned != b.pinned) return a.pinned;
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.number != b.number) return descending ? b.number < a.number : a.number < b.number;
  const int order = QString::compare(a.text, b.text, Qt::CaseInsensitive);
  return descending ? order > 0 : order < 0;
}

}  // namespace

RunsListModel::RunsListModel(const Theme& theme, const RunTexts& texts, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_texts(texts), m_columns(RunTexts::defaultColumns()) {}

void RunsListModel::arrange() {
  m_rows.clear();
  for (std::size_t i = 0; i < m_runs.size(); ++i)
    if (m_query.matches(*m_runs[i])) m_rows.push_back(i);
  std::vector<Key> keys(m_runs.size());
  const auto column = m_sortColumn.toStdString();
  for (const auto at : m_rows) keys[at] = keyOf(*m_runs[at], column, m_texts);
  const bool descending = m_sortOrder == Qt::DescendingOrder;
  // The library's order, newest first, decides between equals.
  std::stable_sort(m_rows.begin(), m_rows.end(),
                   [&](std::size_t a, std::size_t b) { return before(keys[a], keys[b], descending); });
  m_places.clear();
  m_places.reserve(static_cast<qsizetype>(m_rows.size()));
  for (std::size_t row = 0; row < m_rows.size(); ++row)
    m_places.insert(QString::fromStdString(m_runs[m_rows[row]]->id), static_cast<int>(row));
}

void RunsListModel::forgetTexts() {
  m_cells.assign(m_runs.size(), {});
}

void RunsListModel::setRuns(std::vector<RunPtr> runs) {
  beginResetModel();
  m_runs = std::move(runs);
  forgetTexts();
  arrange();
  endResetModel();
}

void RunsListModel::replace(const RunPtr& run) {
  const auto found = std::find_if(m_runs.begin(), m_runs.end(), [&run](const RunPtr& other) { return other->id == run->id; });
  if (found == m_runs.end()) return;
  const auto old = std::exchange(*found, run);
  m_cells[static_cast<std::size_t>(found - m_runs.begin())].clear();
  if (old->labels.pinned != run->labels.pinned) {
    beginResetModel();
    arrange();
    endResetModel();
  } else if (const int row = rowOf(QString::fromStdString(run->id)); row >= 0) {
    Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
  }
}

void RunsListModel::setQuery(registry::Query query) {
  beginResetModel();
  m_query = std::move(query);
  arrange();
  endResetModel();
}

void RunsListModel::setColumns(const QStringList& columns) {
  if (columns == m_columns || columns.isEmpty()) return;
  beginResetModel();
  m_columns = columns;
  forgetTexts();
  endResetModel();
}

void RunsListModel::setOrders(const QHash<QString, int>& orders) {
  if (orders == m_orders) return;
  auto touched = orders;
  touched.insert(std::exchange(m_orders, orders));
  for (auto at = touched.keyBegin(); at != touched.keyEnd(); ++at) {
    const int row = rowOf(*at);
    if (row < 0) continue;
    m_cells[m_rows[static_cast<std::size_t>(row)]].clear();
    Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
  }
}

void RunsListModel::retext() {
  forgetTexts();
  m_pin = QPixmap();
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

RunPtr RunsListModel::run(int row) const {
  return row >= 0 && row < rowCount() ? m_runs[m_rows[static_cast<std::size_t>(row)]] : nullptr;
}

int RunsListModel::rowOf(const QString& id) const {
  return m_places.value(id, -1);
}

void RunsListModel::sort(int section, Qt::SortOrder order) {
  if (section >= 0 && section < columnCount()) sortBy(m_columns[section], order);
}

void RunsListModel::sortBy(const QString& column, Qt::SortOrder order) {
  if (column == m_sortColumn && order == m_sortOrder) return;
  beginResetModel();
  m_sortColumn = column;
  m_sortOrder = order;
  arrange();
  endResetModel();
}

int RunsListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunsListModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

const QString& RunsListModel::text(std::size_t run, int section) const {
  auto& cells = m_cells[run];
  if (cells.empty()) cells.resize(static_cast<std::size_t>(m_columns.size()));
  auto& cell = cells[static_cast<std::size_t>(section)];
  if (!cell.isNull()) return cell;
  const auto& record = *m_runs[run];
  const auto name = column(section);
  cell = m_texts.cell(record, name);
  if (name == RunTexts::kRun) {
    const auto order = m_orders.constFind(QString::fromStdString(record.id));
    if (order != m_orders.constEnd()) cell = Theme::seriesMarker(*order) + QLatin1Char(' ') + cell;
  }
  if (cell.isNull()) cell = QLatin1String("");
  return cell;
}

QVariant RunsListModel::color(const registry::RunRecord& run, const std::string& column) const {
  if (column == RunTexts::kRun) {
    const auto order = m_orders.constFind(QString::fromStdString(run.id));
    return order == m_orders.constEnd() ? QVariant() : QVariant(m_theme.seriesColor(*order));
  }
  const auto& tokens = m_theme.tokens();
  if (column != "status") return column == RunTexts::kDiffers || column == "created" ? QVariant(tokens.soft) : QVariant();
  const auto tone = RunTexts::tone(run.summary.status);
  if (tone == QLatin1String("good")) return tokens.good;
  if (tone == QLatin1String("bad")) return tokens.bad;
  return tone == QLatin1String("accent") ? tokens.accent : tokens.warn;
}

QVariant RunsListModel::value(const registry::RunRecord& run, const std::string& column) const {
  if (column == RunTexts::kRun || column == RunTexts::kDiffers) return m_texts.cell(run, column);
  const auto value = registry::field(run, column);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  const auto* text = std::get_if<std::string>(&value);
  return text ? QVariant(QString::fromStdString(*text)) : QVariant();
}

QVariant RunsListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto at = m_rows[static_cast<std::size_t>(index.row())];
  const auto& run = *m_runs[at];
  switch (role) {
    case Qt::DisplayRole:
      return text(at, index.column());
    case IdRole:
      return QString::fromStdString(run.id);
    case ValueRole:
      return value(run, column(index.column()));
    case Qt::TextAlignmentRole:
      return headerData(index.column(), Qt::Horizontal, role);
    case Qt::ForegroundRole:
      return color(run, column(index.column()));
    case Qt::FontRole:
      return RunTexts::numeric(column(index.column())) ? QVariant(m_theme.monospace(kFigure)) : QVariant();
    case Qt::DecorationRole:
      if (!run.labels.pinned || column(index.column()) != RunTexts::kRun) return {};
      if (m_pin.isNull()) m_pin = m_theme.pixmap(QStringLiteral("pin"), m_theme.tokens().accent, m_theme.px(kPin));
      return m_pin;
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
             text(at, index.column());
    default:
      return {};
  }
}

QVariant RunsListModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::DisplayRole) return m_texts.title(column(section));
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((RunTexts::numeric(column(section)) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

}  // namespace atelier::app
