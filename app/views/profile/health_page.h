// HealthPage: what flows through the model: statistics of each module's output, of the gradients that reach it and of each
// parameter's gradient, the gradient's norm layer by layer, and where the first value that is not finite was born. Of the
// opened profile, or live of the run that goes. GUI thread.
#pragma once

#include "app/models/health_watch.h"
#include "core/wire/health.h"
#include "profile_page.h"

class QLabel;
class QSplitter;
class QStackedWidget;

namespace atelier::app {

class BreakPanel;
class EmptyState;
class FigurePlot;
class SegmentSwitch;
class TraceTableView;

class HealthPage : public ProfilePage {
  Q_OBJECT
 public:
  HealthPage(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  const wire::Health& health() const;        // that is shown
  const wire::Gradients& gradients() const;  // of the run that goes, or went last; of a profile none are kept
  QString state() const;                     // the sentence above the table
  QString problem() const;                   // the first bad value, or ""
  FigurePlot& flow() { return *m_flow; }
  TraceTableView& table() { return *m_table; }
  BreakPanel& breaker() { return *m_break; }
  std::vector<Picture> pictures() override;

 protected:
  void fill() override;

 private:
  void build();
  QWidget* buildLeft();
  QWidget* buildRight();
  bool isLive() const;  // of a run rather than of the opened profile
  void showState();
  void showTable();

  HealthWatch m_watch;
  QSplitter* m_split = nullptr;
  QStackedWidget* m_pages = nullptr;
  QWidget *m_full = nullptr, *m_problemPanel = nullptr;
  QLabel *m_state = nullptr, *m_problem = nullptr;
  SegmentSwitch* m_switch = nullptr;
  TraceTableView* m_table = nullptr;
  FigurePlot* m_flow = nullptr;
  BreakPanel* m_break = nullptr;
  EmptyState* m_empty = nullptr;
};

}  // namespace atelier::app
