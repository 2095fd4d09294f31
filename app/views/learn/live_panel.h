// LivePanel: the plots of the present step's runs and the table of them side by side; before anything was run, what to do.
// GUI thread.
#pragma once

#include <QWidget>

#include "app/models/runs_table.h"

class QLabel;
class QScrollArea;
class QStackedLayout;
class QTableView;

namespace atelier::app {

class EmptyState;
class LearnModel;
class PlotColumn;
class Theme;

class LivePanel : public QWidget {
  Q_OBJECT
 public:
  LivePanel(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void showRuns();  // another set of runs
  void tick();      // the runs went on
  void retext();
  void restyle();
  void setTwoColumns(bool two);

 Q_SIGNALS:
  void saveFailed(const QString& file);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildEmpty();
  void buildTable();
  void showEmpty();
  void showMark();
  void fitTable();
  void fitColumns();  // leaves out what there is no room for, the least telling first

  const Theme& m_theme;
  LearnModel& m_model;
  RunsTable m_runs;
  PlotColumn* m_plots = nullptr;
  QTableView* m_table = nullptr;
  QLabel* m_mark = nullptr;
  EmptyState* m_empty = nullptr;
  QWidget* m_full = nullptr;
  QLabel* m_emptyKey = nullptr;
  QStackedLayout* m_stack = nullptr;
  int m_ticks = 0;
};

}  // namespace atelier::app
