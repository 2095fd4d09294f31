// RunsTable: the runs at hand side by side, one a row: label (in its colour), samples/s with its interval, ms per batch, peak
// memory, accuracy. Figures are the summary's once there is one, and what is known so far before. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QVector>

#include "run_series.h"

namespace atelier::wire {
class Catalog;
class Format;
}  // namespace atelier::wire

namespace atelier::app {

class Theme;

class RunsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Run, Rate, Batch, Memory, Accuracy, ColumnCount };
  // Role of the raw number behind a cell, for sorting and tests; invalid where there is none.
  static constexpr int NumberRole = Qt::UserRole;

  RunsTable(const Theme& theme, const wire::Catalog& catalog, const wire::Format& format, QObject* parent = nullptr);

  // The runs are not owned: call again, with what is left, before one of them goes.
  void setSeries(const QVector<const RunSeries*>& runs);
  // The figures may have changed; true when one that is shown did.
  bool refresh();
  void retext();  // the language or the theme changed

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant display(const RunSeries& run, int column) const;
  QVariant number(const RunSeries& run, int column) const;

  const Theme& m_theme;
  const wire::Catalog& m_catalog;
  const wire::Format& m_format;
  QVector<const RunSeries*> m_runs;
  QStringList m_shown;  // cells as last told, row by row
};

}  // namespace atelier::app
