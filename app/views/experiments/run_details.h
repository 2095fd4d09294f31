// RunDetails: the chosen runs in four pages: their curves over one another, their figures side by side, what differs between
// them, and the notes of the one that the keyboard is at. It only shows: RunOverlay holds the curves, RunCompare words the
// tables. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/run_compare.h"
#include "app/models/run_overlay.h"
#include "app/models/text_table.h"
#include "app/shell/view.h"

class QLabel;
class QStackedWidget;
class QTableView;

namespace atelier::app {

class EmptyState;
class NotesEditor;
class PlotColumn;
class SegmentSwitch;

class RunDetails : public QWidget {
  Q_OBJECT
 public:
  enum Page { Curves, Figures, Differences, Notes };
  static constexpr int kTwoColumnsAbove = 1100;  // pixels of the look

  RunDetails(const Desktop& desktop, RunLibrary& library, RunOverlay& overlay, const RunTexts& texts,
             QWidget* parent = nullptr);

  // The chosen runs or their curves changed; `current`: the one whose notes are shown, null: none.
  void showRuns(const RunPtr& current);
  void tick();  // a live run went on
  void setPage(Page page);
  Page page() const;
  void takeNotesFocus();
  PlotColumn& plots() { return *m_plots; }
  const TextTable& figures() const { return m_figures; }
  const TextTable& differences() const { return m_differences; }
  QString differencesNote() const;

 Q_SIGNALS:
  void saveFailed(const QString& file);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildCurves();
  QTableView* makeTable(TextTable& model);
  void showTables();
  void spanHeadings(QTableView& table, const TextTable& model);
  void showState();  // how many curves there are, and are to come
  void showPage();
  void retext();
  void restyle();

  const Desktop& m_desktop;
  RunOverlay& m_overlay;
  RunCompare m_compare;
  TextTable m_figures, m_differences;
  RunPtr m_current;
  SegmentSwitch* m_switch = nullptr;
  QStackedWidget* m_pages = nullptr;
  EmptyState* m_empty = nullptr;
  QWidget *m_curves = nullptr, *m_figurePage = nullptr, *m_differencePage = nullptr;
  QLabel *m_state = nullptr, *m_note = nullptr;
  PlotColumn* m_plots = nullptr;
  QTableView *m_figureTable = nullptr, *m_differenceTable = nullptr;
  NotesEditor* m_notes = nullptr;
};

}  // namespace atelier::app
