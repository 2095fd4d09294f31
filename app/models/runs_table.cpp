#include "runs_table.h"

#include <array>
#include <cmath>
#include <utility>

#include "app/shell/theme.h"
#include "core/wire/catalog.h"
#include "core/wire/format.h"

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;
constexpr std::array<const char*, RunsTable::ColumnCount> kHeaders{"app.table.run", "app.table.rate", "app.table.batch",
                                                                   "app.table.memory", "app.table.accuracy"};

// What a row says beside its label: the keys that tell two runs apart are few, and these are the ones that the labs change.
QString describe(const RunSeries& run) {
  QStringList parts;
  const auto& spec = run.spec();
  if (!spec.is_object()) return QString();
  const auto model = spec.find("model");
  if (model != spec.end() && model->is_string()) parts << QString::fromStdString(model->get<std::string>());
  const auto precision = spec.find("precision");
  if (precision != spec.end() && precision->is_string()) parts << QString::fromStdString(precision->get<std::string>());
  for (const char* key : {"channels_last", "fused"}) {
    const auto flag = spec.find(key);
    if (flag != spec.end() && flag->is_boolean() && flag->get<bool>()) parts << QLatin1String(key);
  }
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

RunsTable::RunsTable(const Theme& theme, const wire::Catalog& catalog, const wire::Format& format, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_catalog(catalog), m_format(format) {}

void RunsTable::setSeries(const QVector<const RunSeries*>& runs) {
  beginResetModel();
  m_runs = runs;
  endResetModel();
}

bool RunsTable::refresh() {
  QStringList cells;
  for (const auto* run : m_runs)
    for (int column = 0; column < ColumnCount; ++column) cells << display(*run, column).toString();
  const auto before = std::exchange(m_shown, cells);
  bool changed = false;
  for (int i = 0; i < m_shown.size(); ++i) {
    if (m_shown[i] == before.value(i)) continue;
    const auto cell = index(i / ColumnCount, i % ColumnCount);
    Q_EMIT dataChanged(cell, cell);
    changed = true;
  }
  return changed;
}

void RunsTable::retext() {
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
  m_shown.clear();
  refresh();
}

int RunsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}
int RunsTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunsTable::number(const RunSeries& run, int column) const {
  const auto& summary = run.summary();
  if (column == Rate && summary && summary->samples_per_second) return summary->samples_per_second->median;
  if (column == Rate && !summary && !run.samplesPerSecond().y.isEmpty()) return run.samplesPerSecond().y.last();
  if (column == Batch && summary && summary->step_p50) return *summary->step_p50;
  if (column == Memory && summary) return static_cast<double>(summary->peak_memory_bytes.total) / kMebi;
  if (column == Memory && !run.memoryTotal().y.isEmpty()) return run.memoryTotal().y.last() / kMebi;
  if (column == Accuracy && summary && summary->accuracy) return *summary->accuracy;
  if (column == Accuracy && !run.accuracy().y.isEmpty()) return run.accuracy().y.last();
  return {};
}

QVariant RunsTable::display(const RunSeries& run, int column) const {
  if (column == Run) {
    const auto about = describe(run);
    const auto name = Theme::seriesMarker(run.order()) + QLatin1Char(' ') + run.label();
    return about.isEmpty() ? name : name + QStringLiteral("  ") + about;
  }
  const auto value = number(run, column);
  if (!value.isValid()) return QStringLiteral("—");
  const double figure = value.toDouble();
  if (column == Accuracy) return QString::fromStdString(m_format.percent(figure));
  auto text = QString::fromStdString(m_format.number(figure));
  if (column == Rate && run.summary() && run.summary()->samples_per_second)
    text += QLatin1Char(' ') + QString::fromStdString(m_format.interval(*run.summary()->samples_per_second));
  return text;
}

QVariant RunsTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& run = *m_runs[index.row()];
  switch (role) {
    case Qt::DisplayRole:
      return display(run, index.column());
    case NumberRole:
      return number(run, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>((index.column() == Run ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      return index.column() == Run ? QVariant(m_theme.seriesColor(run.order())) : QVariant();
    case Qt::FontRole:
      return index.column() == Run ? QVariant() : QVariant(m_theme.monospace(12));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
             display(run, index.column()).toString();
    default:
      return {};
  }
}

QVariant RunsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const char* header = kHeaders[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return QString::fromStdString(m_catalog.text(std::string(header)));
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((section == Run ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

}  // namespace atelier::app
