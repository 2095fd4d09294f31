// HistogramPanel: a run's weights, activations and gradients over what the formats reach, and what each format would lose of
// them: as they are, and with the power of two that saves most (loss scaling). Without such a run it says how to get one, and
// starts it. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/formats_model.h"
#include "app/models/histogram_source.h"
#include "app/models/text_table.h"
#include "app/plots/format_ranges.h"
#include "app/shell/view.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace atelier::app {

class EmptyState;
class SegmentSwitch;

class HistogramPanel : public QWidget {
  Q_OBJECT
 public:
  HistogramPanel(const Desktop& desktop, FormatsModel& model, HistogramSource& source, QWidget* parent = nullptr);

  RangePlot& plot() { return *m_plot; }
  QTableView& table() { return *m_table; }
  TextTable& shares() { return m_shares; }
  QComboBox& chooser() { return *m_runs; }
  QPushButton& countButton() { return *m_count; }
  CountedKind kind() const;
  void setKind(CountedKind kind);
  bool isEmpty() const;
  void countRun();

 private:
  QWidget* buildFull();
  void buildEmpty();
  void refresh();
  void showRuns();
  void showCounted();
  void showJob();
  void retext();
  void restyle();

  const Desktop& m_desktop;
  FormatsModel& m_model;
  HistogramSource& m_source;
  TextTable m_shares;
  QWidget* m_full = nullptr;
  EmptyState* m_empty = nullptr;
  QLabel *m_title = nullptr, *m_state = nullptr, *m_note = nullptr, *m_command = nullptr;
  QComboBox* m_runs = nullptr;
  SegmentSwitch* m_switch = nullptr;
  RangePlot* m_plot = nullptr;
  QTableView* m_table = nullptr;
  QPushButton *m_count = nullptr, *m_again = nullptr;
};

}  // namespace atelier::app
