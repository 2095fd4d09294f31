#include "class_table.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

#include "app/shell/theme.h"
#include "class_book.h"
#include "words.h"

namespace atelier::app {

namespace {

using lab::CheckState;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

ClassTable::ClassTable(const Theme& theme, const ClassBook& book, const Words& words, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_book(book), m_words(words) {
  reset();
}

void ClassTable::reset() {
  beginResetModel();
  m_labs.clear();
  for (const auto& lab : m_book.content().labs) m_labs.push_back(lab.lab);
  m_rows = static_cast<int>(m_book.content().learners.size());
  endResetModel();
}

int ClassTable::columnOf(const std::string& lab) const {
  const auto found = std::find(m_labs.begin(), m_labs.end(), lab);
  return found == m_labs.end() ? -1 : static_cast<int>(found - m_labs.begin()) + 1;
}

int ClassTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_rows;
}

int ClassTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_labs.size()) + 2;
}

const lab::LabResult* ClassTable::resultAt(const QModelIndex& index) const {
  if (!isLab(index.column())) return nullptr;
  const auto& learner = m_book.content().learners[static_cast<std::size_t>(index.row())];
  return learner.find(m_labs[static_cast<std::size_t>(index.column()) - 1]);
}

// "3 / 6 · 4 ✓ 1 ✗", and for who is stuck a sign and the word.
QString ClassTable::cell(const lab::LabResult& result) const {
  const auto& format = m_words.format();
  const auto number = [&](std::int64_t value) { return qt(format.integer(value)); };
  auto text = number(result.stepsDone()) + QStringLiteral(" / ") + number(static_cast<std::int64_t>(result.steps.size()));
  const int passed = result.count(CheckState::Passed), failed = result.count(CheckState::Failed);
  if (passed + failed > 0) text += QStringLiteral("  ✓ ") + number(passed);
  if (failed > 0) text += QStringLiteral("  ✗ ") + number(failed);
  if (result.stuck) text += QStringLiteral("  ▲ ") + m_words.text("class.stuck");
  return text;
}

QString ClassTable::activity(std::int64_t unix_ms) const {
  if (unix_ms <= 0) return QStringLiteral("—");
  return QLocale(qt(m_words.language())).toString(QDateTime::fromMSecsSinceEpoch(unix_ms), QLocale::ShortFormat);
}

QString ClassTable::details(const QModelIndex& index) const {
  const auto* result = resultAt(index);
  if (!result) return QString();
  const auto* at = result->at();
  return m_words.text(wire::Message{at ? "classview.cell_at" : "classview.cell_done",
                                    {{"lab", result->number + " " + result->title},
                                     {"step", at ? (at->title.empty() ? at->id : at->title) : std::string()},
                                     {"time", activity(result->last_activity_ms).toStdString()},
                                     {"machine", result->machine.cpu.empty() ? "—" : result->machine.cpu}}});
}

QVariant ClassTable::display(const QModelIndex& index) const {
  const auto row = static_cast<std::size_t>(index.row());
  if (index.column() == 0) return m_book.nameOf(row);
  if (!isLab(index.column())) return activity(m_book.content().learners[row].last_activity_ms);
  const auto* result = resultAt(index);
  return result ? cell(*result) : QStringLiteral("—");
}

QVariant ClassTable::sortKey(const QModelIndex& index) const {
  const auto row = static_cast<std::size_t>(index.row());
  if (index.column() == 0) return m_book.nameOf(row).toCaseFolded();
  if (!isLab(index.column())) return static_cast<qlonglong>(m_book.content().learners[row].last_activity_ms);
  const auto* result = resultAt(index);
  return result ? result->stepsDone() : -1;
}

QVariant ClassTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto* result = resultAt(index);
  switch (role) {
    case Qt::DisplayRole:
      return display(index);
    case Qt::ToolTipRole:
      return details(index);
    case Qt::AccessibleTextRole:
      return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
             display(index).toString();
    case Qt::ForegroundRole:
      return result && result->stuck ? QVariant(m_theme.tokens().warn) : QVariant();
    case ShareRole:
      if (!result || result->steps.empty()) return {};
      return static_cast<double>(result->stepsDone()) / static_cast<double>(result->steps.size());
    case StuckRole:
      return result && result->stuck;
    case LabRole:
      return isLab(index.column()) ? qt(m_labs[static_cast<std::size_t>(index.column()) - 1]) : QString();
    case SortRole:
      return sortKey(index);
    default:
      return {};
  }
}

QVariant ClassTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (section == 0) return m_words.text("classview.column.learner");
  if (!isLab(section)) return m_words.text("classview.column.activity");
  const auto* lab = m_book.find(m_labs[static_cast<std::size_t>(section) - 1]);
  if (!lab) return {};
  return qt(role == Qt::ToolTipRole ? lab->number + " " + lab->title : lab->number);
}

}  // namespace atelier::app
