// FormatsView: the number formats: a value and its bits in each of them, what they reach, and what they would lose of a run's
// weights, activations and gradients. GUI thread.
#pragma once

#include "app/models/formats_model.h"
#include "app/models/histogram_source.h"
#include "app/models/text_table.h"
#include "app/shell/view.h"

class QLabel;
class QTableView;
class QVBoxLayout;

namespace atelier::app {

class BitsPanel;
class HistogramPanel;
class NoticeBar;
class RangePlot;

class FormatsView : public View {
  Q_OBJECT
 public:
  explicit FormatsView(const Desktop& desktop, QWidget* parent = nullptr);

  void shown() override;
  // A recorded run whose magnitudes were counted.
  bool showRun(const QString& id) override;

  FormatsModel& model() { return m_model; }
  HistogramSource& source() { return m_source; }
  BitsPanel& bits() { return *m_bits; }
  HistogramPanel& histograms() { return *m_histograms; }
  RangePlot& ranges() { return *m_ranges; }
  TextTable& facts() { return m_facts; }
  // As CSV (see formatsCsv); told in the view when it can't be written.
  bool saveTable(const QString& file);

 private:
  void buildHead(QVBoxLayout& column);
  void buildBody(QVBoxLayout& column);
  void buildActions();
  void askAndSave();
  void tellUnsaved(const QString& file);
  void refresh();
  void retext();
  void restyle();

  const Desktop& m_desktop;
  FormatsModel m_model;
  HistogramSource m_source;
  TextTable m_facts;
  QWidget* m_inner = nullptr;
  QLabel *m_title = nullptr, *m_intro = nullptr, *m_factsTitle = nullptr;
  NoticeBar* m_notice = nullptr;
  BitsPanel* m_bits = nullptr;
  RangePlot* m_ranges = nullptr;
  QTableView* m_factsTable = nullptr;
  HistogramPanel* m_histograms = nullptr;
};

}  // namespace atelier::app
