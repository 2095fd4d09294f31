#include "sweep_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/shell/theme.h"
#include "save_file.h"

namespace atelier::app {

namespace {

constexpr std::array<SweepFigure, SweepTable::Status> kFigures{SweepFigure::Rate, SweepFigure::StepTime, SweepFigure::Memory,
                                                               SweepFigure::Loss, SweepFigure::Accuracy};

QByteArray number(std::optional<double> value) {
  return csvNumber(value && std::isfinite(*value) ? value : std::nullopt);
}

}  // namespace

SweepTable::SweepTable(const Theme& theme, const Words& words, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_words(words) {}

void SweepTable::setSweep(const std::optional<wire::SweepSummary>& sweep) {
  const auto next = sweep.value_or(wire::SweepSummary());
  // The same points going on keep the selection and the place in the list.
  const bool same =
      next.id == m_sweep.id && next.points.size() == m_sweep.points.size() && next.axes.size() == m_sweep.axes.size();
  if (same && !next.points.empty()) {
    m_sweep = next;
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    return;
  }
  beginResetModel();
  m_sweep = next;
  endResetModel();
}

void SweepTable::retext() {
  if (columnCount() > 0) Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int SweepTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_sweep.points.size());
}

int SweepTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || m_sweep.axes.empty() ? 0 : axes() + FigureCount;
}

QString SweepTable::status(const wire::SweepPoint& point) const {
  const auto word = m_words.text("status." + point.summary.status);
  if (point.pareto) return QStringLiteral("◆ ") + m_words.text("sweepview.table.front");
  if (point.summary.status == "done") return QStringLiteral("✓ ") + word;
  if (point.summary.status == "failed") return QStringLiteral("✗ ") + word;
  return word;
}

QString SweepTable::shown(const wire::SweepPoint& point, int column) const {
  if (column < axes()) {
    const auto& key = m_sweep.axes[static_cast<std::size_t>(column)].key;
    return point.values.contains(key) ? QString::fromStdString(valueWords(point.values[key])) : QStringLiteral("—");
  }
  const int figure = column - axes();
  if (figure == Status) return status(point);
  const auto value = figureOf(point.summary, kFigures[static_cast<std::size_t>(figure)]);
  if (!value) return QStringLiteral("—");
  const auto& format = m_words.format();
  if (figure == Accuracy) return QString::fromStdString(format.percent(*value / 100));
  auto text = format.number(*value);
  if (figure == Rate) text += " " + format.interval(*point.summary.samples_per_second);
  return QString::fromStdString(text);
}

QVariant SweepTable::sorted(const wire::SweepPoint& point, int column) const {
  if (column < axes()) {
    const auto& axis = m_sweep.axes[static_cast<std::size_t>(column)];
    const auto value = point.values.contains(axis.key) ? point.values[axis.key] : nlohmann::json();
    return static_cast<int>(std::find(axis.values.begin(), axis.values.end(), value) - axis.values.begin());
  }
  const int figure = column - axes();
  if (figure == Status) return status(point);
  const auto value = figureOf(point.summary, kFigures[static_cast<std::size_t>(figure)]);
  return value ? QVariant(*value) : QVariant();
}

QVariant SweepTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& point = m_sweep.points[static_cast<std::size_t>(index.row())];
  const int figure = index.column() - axes();
  switch (role) {
    case Qt::DisplayRole:
      return shown(point, index.column());
    case SortRole:
      return sorted(point, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>((figure >= 0 && figure < Status ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole:
      return figure == Status ? QVariant() : QVariant(m_theme.monospace(12));
    case Qt::ForegroundRole:
      return figure == Status && point.summary.status == "failed" ? QVariant(m_theme.tokens().bad) : QVariant();
    case Qt::ToolTipRole:
      return point.summary.failure.empty() ? shown(point, index.column()) : m_words.text(point.summary.failure);
    case Qt::AccessibleTextRole:
      return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
             shown(point, index.column());
    default:
      return {};
  }
}

QVariant SweepTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const int figure = section - axes();
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((figure >= 0 && figure < Status ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  if (figure < 0) return QString::fromStdString(m_sweep.axes[static_cast<std::size_t>(section)].key);
  if (figure == Status) return m_words.text("sweepview.table.status");
  return m_words.text(std::string("sweepview.column.") + figureId(kFigures[static_cast<std::size_t>(figure)]));
}

QByteArray sweepCsv(const wire::SweepSummary& sweep) {
  QByteArray text;
  for (const auto& axis : sweep.axes) text += csvQuoted(QString::fromStdString(axis.key)) + ',';
  text += "run,status,samples_per_second,low,high,ms_per_step_p50,peak_memory_bytes,loss,accuracy,pareto\n";
  for (const auto& point : sweep.points) {
    const auto& run = point.summary;
    for (const auto& axis : sweep.axes)
      text += (point.values.contains(axis.key) ? csvQuoted(QString::fromStdString(valueWords(point.values[axis.key])))
                                               : QByteArray()) +
              ',';
    const auto& rate = run.samples_per_second;
    text += csvQuoted(QString::fromStdString(run.id)) + ',' + csvQuoted(QString::fromStdString(run.status)) + ',';
    text += number(rate ? std::optional(rate->median) : std::nullopt) + ',';
    text += number(rate ? std::optional(rate->low) : std::nullopt) + ',';
    text += number(rate ? std::optional(rate->high) : std::nullopt) + ',';
    text += number(run.step_p50) + ',';
    if (run.peak_memory_bytes.total > 0) text += QByteArray::number(static_cast<qlonglong>(run.peak_memory_bytes.total));
    text += ',' + number(run.loss) + ',' + number(run.accuracy) + ',' + (point.pareto ? "true" : "false") + '\n';
  }
  return text;
}

}  // namespace atelier::app
