#include "step_finder.h"

#include <QStringList>

#include <algorithm>

#include "fuzzy.h"

namespace atelier::app {

void StepFinder::setCourse(const lab::Course& course) {
  beginResetModel();
  m_entries.clear();
  for (const auto& half : course.half_days)
    for (const auto& lab : half.labs)
      for (std::size_t i = 0; i < lab.steps.size(); ++i) {
        Entry entry;
        entry.lab = QString::fromStdString(lab.id);
        entry.step = static_cast<int>(i);
        entry.detail = QString::fromStdString(lab.number + " " + lab.title);
        entry.text = QString::fromStdString(lab.number) + QStringLiteral(" · ") + QString::number(i + 1) +
                     QStringLiteral("  ") + QString::fromStdString(lab.steps[i].title);
        entry.searched = folded(entry.text + QLatin1Char(' ') + entry.detail + QLatin1Char(' ') + entry.lab + QLatin1Char(' ') +
                                QString::fromStdString(lab.steps[i].id));
        m_entries.push_back(std::move(entry));
      }
  filter();
  endResetModel();
}

void StepFinder::setQuery(const QString& query) {
  const auto wanted = folded(query.trimmed());
  if (wanted == m_query) return;
  beginResetModel();
  m_query = wanted;
  filter();
  endResetModel();
}

// In the course's order: a trainer knows where things stand.
void StepFinder::filter() {
  m_found.clear();
  const auto words = m_query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const auto& searched = m_entries[i].searched;
    if (std::all_of(words.begin(), words.end(), [&](const QString& word) { return searched.contains(word); }))
      m_found.push_back(i);
  }
}

int StepFinder::rowOf(const std::string& lab, int step) const {
  const auto wanted = QString::fromStdString(lab);
  for (std::size_t row = 0; row < m_found.size(); ++row) {
    const auto& entry = m_entries[m_found[row]];
    if (entry.lab == wanted && entry.step == step) return static_cast<int>(row);
  }
  return -1;
}

int StepFinder::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_found.size());
}

QVariant StepFinder::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& entry = m_entries[m_found[static_cast<std::size_t>(index.row())]];
  switch (role) {
    case Qt::DisplayRole:
      return entry.text;
    case Qt::ToolTipRole:
    case DetailRole:
      return entry.detail;
    case Qt::AccessibleTextRole:
      return entry.text + QStringLiteral(", ") + entry.detail;
    case LabRole:
      return entry.lab;
    case StepRole:
      return entry.step;
    default:
      return {};
  }
}

}  // namespace atelier::app
