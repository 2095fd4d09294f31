// PaletteModel: what the command palette offers, filtered by what was typed: best match first, what was used lately before the
// rest. It knows nothing of windows: an item brings what it does. GUI thread.
#pragma once

#include <QAbstractListModel>
#include <QString>
#include <QStringList>
#include <QVector>

#include <functional>

namespace atelier::app {

class Settings;

struct PaletteItem {
  QString id;      // what it is remembered by: "action:quit", "step:measure-first/change", "run:20261130-…"
  QString title;   // what it does
  QString detail;  // where it belongs
  QString keys;    // its shortcut, or ""
  std::function<void()> act;
};

class PaletteModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { DetailRole = Qt::UserRole, KeysRole, RecentRole, IdRole };
  static constexpr int kMostShown = 100, kMostRecent = 8;

  explicit PaletteModel(Settings& settings, QObject* parent = nullptr);

  void setItems(const QVector<PaletteItem>& items);
  void addItems(const QVector<PaletteItem>& items);
  void setQuery(const QString& query);
  // Does what the row says, and remembers it. The model may be changed by what is done.
  void run(int row);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct Entry {
    PaletteItem item;
    QString title, all;  // folded
    int recent = -1;     // place among the recent ones, 0 the last; -1: none
  };
  void add(PaletteItem item);
  void filter();
  QVector<int> matching() const;
  QStringList recent() const;

  Settings& m_settings;
  QVector<Entry> m_entries;
  QVector<int> m_shown;
  QString m_query;
};

}  // namespace atelier::app
