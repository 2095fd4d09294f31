#include "course_model.h"

#include <QFont>

#include <algorithm>

namespace atelier::app {

namespace {

// A half-day's index carries this; a lab's carries its half-day's row.
constexpr quintptr kHalfDay = ~quintptr(0);

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

// "2.10" comes after "2.9".
int place(const QString& number) {
  constexpr int kMany = 1000;
  return number.section(QLatin1Char('.'), 0, 0).toInt() * kMany + number.section(QLatin1Char('.'), 1, 1).toInt();
}

}  // namespace

void CourseModel::setCourse(const lab::Course& course) {
  beginResetModel();
  m_halves.clear();
  for (const auto& half : course.half_days) {
    Half copy{qt(half.title), {}};
    for (const auto& lab : half.labs)
      copy.labs.push_back({lab.id, qt(lab.number), qt(lab.title), qt(lab.question), lab.minutes});
    for (const auto& planned : half.planned) copy.labs.push_back({"", qt(planned.number), qt(planned.title), QString(), 0});
    std::stable_sort(copy.labs.begin(), copy.labs.end(),
                     [](const Entry& a, const Entry& b) { return place(a.number) < place(b.number); });
    m_halves.push_back(std::move(copy));
  }
  endResetModel();
}

void CourseModel::setProgress(const std::set<std::string>& done, const std::string& current) {
  if (done == m_done && current == m_current) return;
  m_done = done;
  m_current = current;
  for (int half = 0; half < rowCount(); ++half) {
    const auto parent = index(half, 0);
    if (rowCount(parent) > 0) Q_EMIT dataChanged(index(0, 0, parent), index(rowCount(parent) - 1, 0, parent));
  }
}

void CourseModel::setPlannedText(const QString& text) {
  m_plannedText = text;
}

int CourseModel::labCount() const {
  int count = 0;
  for (const auto& half : m_halves) count += static_cast<int>(half.labs.size());
  return count;
}

QModelIndex CourseModel::indexOf(const std::string& lab) const {
  for (std::size_t half = 0; half < m_halves.size(); ++half)
    for (std::size_t row = 0; row < m_halves[half].labs.size(); ++row)
      if (m_halves[half].labs[row].id == lab && !lab.empty())
        return createIndex(static_cast<int>(row), 0, static_cast<quintptr>(half));
  return {};
}

QModelIndex CourseModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) : kHalfDay);
}

QModelIndex CourseModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kHalfDay) return {};
  return createIndex(static_cast<int>(index.internalId()), 0, kHalfDay);
}

int CourseModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_halves.size());
  if (parent.internalId() != kHalfDay || parent.column() != 0) return 0;
  return static_cast<int>(m_halves[static_cast<std::size_t>(parent.row())].labs.size());
}

const CourseModel::Entry& CourseModel::entry(const QModelIndex& index) const {
  return m_halves[static_cast<std::size_t>(index.internalId())].labs[static_cast<std::size_t>(index.row())];
}

CourseModel::State CourseModel::state(const QModelIndex& index) const {
  if (index.internalId() == kHalfDay) return HalfDay;
  const auto& lab = entry(index);
  if (lab.id.empty()) return Planned;
  if (m_done.contains(lab.id)) return Done;
  return lab.id == m_current ? Current : Open;
}

QVariant CourseModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto kind = state(index);
  if (role == StateRole) return static_cast<int>(kind);
  if (kind == HalfDay) {
    if (role == Qt::DisplayRole) return m_halves[static_cast<std::size_t>(index.row())].title;
    if (role != Qt::FontRole) return {};
    // Only the weight: family and size are the style sheet's, and an unset attribute leaves them to it.
    QFont bold;
    bold.setResolveMask(0);
    bold.setWeight(QFont::DemiBold);
    return bold;
  }
  const auto& lab = entry(index);
  switch (role) {
    case Qt::DisplayRole:
      return lab.number + QStringLiteral("  ") + lab.title;
    case Qt::ToolTipRole:
      return kind == Planned ? m_plannedText : lab.question;
    case LabRole:
      return qt(lab.id);
    case MinutesRole:
      return lab.minutes;
    case CurrentRole:
      return lab.id == m_current && !lab.id.empty();
    default:
      return {};
  }
}

Qt::ItemFlags CourseModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  switch (state(index)) {
    case HalfDay:
      return Qt::ItemIsEnabled;
    case Planned:
      return Qt::ItemNeverHasChildren;
    default:
      return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
  }
}

}  // namespace atelier::app
