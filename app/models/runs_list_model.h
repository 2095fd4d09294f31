// RunsListModel: the list of runs, one a row: columns as chosen, sorted by value, filtered by a query, pinned runs first. Cells
// are worded when they are first shown and kept; ten thousand rows cost one pass to filter and one to sort. Runs that lie over
// one another in the plots bear their colour and marker. Invariant: rows change only by a reset, or by data of one row; whoever
// keeps a place keeps the run's id. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QPixmap>
#include <QStringList>

#include <string>
#include <vector>

#include "core/registry/query.h"
#include "run_library.h"
#include "run_texts.h"

namespace atelier::app {

class Theme;

class RunsListModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  // IdRole: the run's id. ValueRole: the raw value behind a cell (number, text, flag), invalid where the run has none.
  enum Role { IdRole = Qt::UserRole, ValueRole };

  RunsListModel(const Theme& theme, const RunTexts& texts, QObject* parent = nullptr);

  void setRuns(std::vector<RunPtr> runs);
  // The same run with other labels. It keeps its row until the list is sorted anew, unless its pin changed.
  void replace(const RunPtr& run);
  void setQuery(registry::Query query);
  void setColumns(const QStringList& columns);
  const QStringList& columns() const { return m_columns; }
  // id → order of colour and marker.
  void setOrders(const QHash<QString, int>& orders);
  void retext();  // language, schema or theme changed

  RunPtr run(int row) const;
  int rowOf(const QString& id) const;  // −1: not there, or filtered out
  int total() const { return static_cast<int>(m_runs.size()); }
  QString sortColumn() const { return m_sortColumn; }
  Qt::SortOrder sortOrder() const { return m_sortOrder; }
  void sortBy(const QString& column, Qt::SortOrder order);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 private:
  std::string column(int section) const { return m_columns[section].toStdString(); }
  void arrange();  // which runs are shown, and in which order
  const QString& text(std::size_t run, int section) const;
  QVariant color(const registry::RunRecord& run, const std::string& column) const;
  QVariant value(const registry::RunRecord& run, const std::string& column) const;
  void forgetTexts();

  const Theme& m_theme;
  const RunTexts& m_texts;
  std::vector<RunPtr> m_runs;
  std::vector<std::size_t> m_rows;                    // places in m_runs, in the order shown
  mutable std::vector<std::vector<QString>> m_cells;  // by run and section; null: not yet worded
  mutable QPixmap m_pin;
  QHash<QString, int> m_places;  // id → row
  QHash<QString, int> m_orders;
  registry::Query m_query;
  QStringList m_columns;
  QString m_sortColumn = QStringLiteral("created");
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

}  // namespace atelier::app
