#include "palette_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fuzzy.h"
#include "settings.h"

namespace atelier::app {

namespace {

constexpr auto kRecent = "palette/recent";
constexpr int kForTitle = 50, kForRecent = 20;

}  // namespace

PaletteModel::PaletteModel(Settings& settings, QObject* parent) : QAbstractListModel(parent), m_settings(settings) {}

QStringList PaletteModel::recent() const {
  return m_settings.value(QLatin1String(kRecent)).toStringList();
}

void PaletteModel::add(PaletteItem item) {
  Entry entry;
  entry.title = folded(item.title);
  entry.all = entry.title + QLatin1Char(' ') + folded(item.detail);
  entry.recent = static_cast<int>(recent().indexOf(item.id));
  entry.item = std::move(item);
  m_entries.append(std::move(entry));
}

void PaletteModel::setItems(const QVector<PaletteItem>& items) {
  m_entries.clear();
  addItems(items);
}

void PaletteModel::addItems(const QVector<PaletteItem>& items) {
  for (const auto& item : items) add(item);
  filter();
}

void PaletteModel::setQuery(const QString& query) {
  m_query = folded(query);
  filter();
}

QVector<int> PaletteModel::matching() const {
  struct Match {
    int entry = 0, score = 0;
  };
  std::vector<Match> matches;
  for (int i = 0; i < m_entries.size(); ++i) {
    const auto& entry = m_entries[i];
    const auto inTitle = fuzzyScore(m_query, entry.title);
    const auto anywhere = inTitle ? inTitle : fuzzyScore(m_query, entry.all);
    if (!anywhere) continue;
    const int recent = entry.recent < 0 ? 0 : kForRecent + kMostRecent - std::min(entry.recent, kMostRecent);
    matches.push_back({i, *anywhere + (inTitle ? kForTitle : 0) + recent});
  }
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.score > b.score; });
  QVector<int> shown;
  for (const auto& match : matches)
    if (shown.size() < kMostShown) shown.append(match.entry);
  return shown;
}

void PaletteModel::filter() {
  beginResetModel();
  m_shown = matching();
  endResetModel();
}

void PaletteModel::run(int row) {
  if (row < 0 || row >= m_shown.size()) return;
  const auto item = m_entries[m_shown[row]].item;
  auto used = recent();
  used.removeAll(item.id);
  used.prepend(item.id);
  m_settings.set(QLatin1String(kRecent), QStringList(used.mid(0, kMostRecent)));
  if (item.act) item.act();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& entry = m_entries[m_shown[index.row()]];
  switch (role) {
    case Qt::DisplayRole:
      return entry.item.title;
    case DetailRole:
      return entry.item.detail;
    case KeysRole:
      return entry.item.keys;
    case RecentRole:
      return entry.recent >= 0;
    case IdRole:
      return entry.item.id;
    case Qt::AccessibleTextRole:
      return QStringList{entry.item.title, entry.item.detail, entry.item.keys}.join(QStringLiteral(", "));
    default:
      return {};
  }
}

}  // namespace atelier::app
