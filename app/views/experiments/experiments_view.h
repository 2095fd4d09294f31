// ExperimentsView: the free laboratory, in three pages: every run that was made, a race of variants, a sweep over a grid. A
// switch at the top and keys move between them; runs that are chosen in the list go from there into a race. GUI thread.
#pragma once

#include "app/shell/view.h"

class QStackedWidget;

namespace atelier::app {

class RacePage;
class RunsPage;
class SegmentSwitch;
class SweepPage;

class ExperimentsView : public View {
  Q_OBJECT
 public:
  enum Page { Runs, Race, Sweep };

  explicit ExperimentsView(const Desktop& desktop, QWidget* parent = nullptr);

  void setPage(Page page);
  Page page() const;
  void page(int direction) override;                // a presenter's next and previous: from page to page
  bool showRun(const QString& id) override;         // a race's id leads to its page
  bool showPage(const std::string& name) override;  // runs, race, sweep
  RunsPage& runs() { return *m_runs; }
  RacePage& race() { return *m_race; }

 private:
  bool isRace(const QString& id) const;
  void retext();

  const Desktop& m_desktop;
  SegmentSwitch* m_switch = nullptr;
  QStackedWidget* m_pages = nullptr;
  RunsPage* m_runs = nullptr;
  RacePage* m_race = nullptr;
  SweepPage* m_sweep = nullptr;
};

}  // namespace atelier::app
