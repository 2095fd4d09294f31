// TraceTable: figures of a trace as a table: finished texts with the values behind them, so that it sorts by value, and bars in
// cells. TraceSift stands before it: sorted by a column, sifted by words. Ids in a row are those of the trace's tables; −1:
// none. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>
#include <QVector>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace atelier::app {

class Theme;

struct TraceCell {
  QString text;
  double value = NAN;  // what it is sorted by; NaN: a text, or not known and after all that is
  // A bar below the text, in shares of the cell's width; to < from: none. mark: a point on it; < 0: none.
  double from = 0, to = -1, mark = -1;
  bool warning = false;
};

struct TraceColumn {
  QString title;
  bool figure = true;  // aligned right; else a text, which is looked through when the table is sifted
};

struct TraceRow {
  QVector<TraceCell> cells;  // one a column
  std::int32_t event = -1, name = -1, module = -1;
};

struct TraceRows {
  QVector<TraceColumn> columns{};
  std::vector<TraceRow> rows{};
  std::size_t leftOut = 0;  // rows that there would be more
};

class TraceTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  explicit TraceTable(const Theme& theme, QObject* parent = nullptr) : QAbstractTableModel(parent), m_theme(theme) {}

  void setRows(TraceRows rows);
  const TraceRows& content() const { return m_content; }
  // The texts of a row, folded for a search.
  const QString& searched(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  bool isFigure(int column) const { return m_content.columns[column].figure; }

  const Theme& m_theme;
  TraceRows m_content;
  mutable std::vector<QString> m_searched;  // made when first asked for
};

class TraceSift : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit TraceSift(TraceTable& table, QObject* parent = nullptr);

  // Only rows that hold all of the words, whatever their case and accents; "" shows all.
  void setWords(const QString& words);
  // REQUIRES: a row, an index of this model.
  const TraceRow& rowAt(int row) const;
  TraceCell cellAt(const QModelIndex& index) const;
  // The first row for which it holds; −1: none.
  int find(const std::function<bool(const TraceRow&)>& wanted) const;

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  TraceTable& m_table;
  QStringList m_words;
};

}  // namespace atelier::app
