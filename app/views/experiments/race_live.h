// RaceLive: the race that goes, went, or was opened: how certain the verdict is, what kept the machine busy, the curves of all
// variants on one time axis, and at the end the figures side by side. GUI thread.
#pragma once

#include <QWidget>

#include <array>

#include "app/models/race_model.h"
#include "app/models/runs_table.h"
#include "app/shell/view.h"

class QLabel;
class QMenu;
class QPushButton;
class QStackedLayout;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace atelier::app {

class FigurePlot;
class NoticeBar;
class EmptyState;
class PlotColumn;

class RaceLive : public QWidget {
  Q_OBJECT
 public:
  RaceLive(const Desktop& desktop, RaceModel& model, QWidget* parent = nullptr);

  void setTwoColumns(bool two);
  // A race on record, by its id or that of one of its runs; false, and told, when that can't be.
  bool open(const std::string& race);
  FigurePlot& verdict() { return *m_verdict; }
  // The sentences on the verdicts, one a comparison; empty ones are hidden.
  QStringList sentences() const;
  QString busyText() const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void buildHead(QVBoxLayout& column);
  void buildTable(QVBoxLayout& column);
  void buildBusy(QVBoxLayout& column);
  void showAll();
  void tick();
  void showVerdict();
  void showBusy();
  void showNotices();
  void retext();
  void restyle();
  void fillPast();
  void fillFork();
  void writeReport();
  void saveFailed(const QString& file);

  const Desktop& m_desktop;
  RaceModel& m_model;
  RunsTable m_runs;
  QStackedLayout* m_stack = nullptr;
  EmptyState* m_empty = nullptr;
  QWidget *m_full = nullptr, *m_busy = nullptr;
  QLabel *m_title = nullptr, *m_busyText = nullptr, *m_failure = nullptr, *m_notices = nullptr;
  std::array<QLabel*, RaceModel::kMost - 1> m_sentences{};
  QToolButton *m_past = nullptr, *m_fork = nullptr;
  QMenu *m_pastMenu = nullptr, *m_forkMenu = nullptr;
  QPushButton* m_report = nullptr;
  NoticeBar* m_said = nullptr;
  FigurePlot* m_verdict = nullptr;
  PlotColumn* m_plots = nullptr;
  QTableView* m_table = nullptr;
  int m_ticks = 0;
};

}  // namespace atelier::app
