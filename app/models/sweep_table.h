// SweepTable: the points of a sweep, one a row: the axes' values, the figures, the status in words. Raw numbers behind the
// cells for sorting. Also a sweep as CSV. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QByteArray>

#include "sweep_model.h"
#include "words.h"

namespace atelier::app {

class Theme;

class SweepTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  // After the axes' columns.
  enum Column { Rate, StepTime, Memory, Loss, Accuracy, Status, FigureCount };
  // What a column is sorted by: the number behind a figure; of an axis its place in the axis' values.
  static constexpr int SortRole = Qt::UserRole;

  SweepTable(const Theme& theme, const Words& words, QObject* parent = nullptr);

  void setSweep(const std::optional<wire::SweepSummary>& sweep);  // copied
  void retext();
  int axes() const { return static_cast<int>(m_sweep.axes.size()); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString shown(const wire::SweepPoint& point, int column) const;
  QVariant sorted(const wire::SweepPoint& point, int column) const;
  QString status(const wire::SweepPoint& point) const;

  const Theme& m_theme;
  const Words& m_words;
  wire::SweepSummary m_sweep;
};

// Every figure as measured, never through the locale: keys, run, status, samples_per_second, low, high, …
QByteArray sweepCsv(const wire::SweepSummary& sweep);

}  // namespace atelier::app
