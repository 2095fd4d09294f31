// MemoryPage: live memory over the profiled steps by what it is for, its peak, the tensors that were alive then, and what a
// step allocates. GUI thread.
#pragma once

#include "app/plots/linked_cursor.h"
#include "profile_page.h"

class QLabel;
class QSplitter;
class QStackedWidget;

namespace atelier::app {

class EmptyState;
class TimePlot;
class TraceTableView;

class MemoryPage : public ProfilePage {
  Q_OBJECT
 public:
  MemoryPage(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  TimePlot& plot() { return *m_plot; }
  TraceTableView& tensors() { return *m_tensors; }
  QString figures() const;  // the sentence below the plot
  std::vector<Picture> pictures() override;

 protected:
  void fill() override;

 private:
  void build();
  void showPlot();
  void showFigures();

  LinkedCursor m_cursor;
  TraceDocument::ContentPtr m_shown;
  QStackedWidget* m_pages = nullptr;
  QSplitter* m_split = nullptr;
  TimePlot* m_plot = nullptr;
  QLabel *m_legend = nullptr, *m_figures = nullptr, *m_title = nullptr;
  TraceTableView* m_tensors = nullptr;
  EmptyState* m_empty = nullptr;
};

}  // namespace atelier::app
