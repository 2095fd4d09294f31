// ChecklistPanel: one item of the check-list: what it brings, what was measured of it, what to do next, and the buttons that do
// it. It only shows: what its buttons do is the view's. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/checklist_texts.h"
#include "app/models/job_watch.h"
#include "app/shell/view.h"

class QLabel;
class QPushButton;

namespace atelier::app {

class JobBar;

class ChecklistPanel : public QWidget {
  Q_OBJECT
 public:
  // What can be done about the item now.
  struct Means {
    bool race = false, fork = false, lab = false, evidence = false, profile = false;
    bool busy = false;  // a race asked for here goes or waits
  };

  ChecklistPanel(const Desktop& desktop, JobWatch& job, QWidget* parent = nullptr);

  void fill(const lab::ChecklistEntry& entry, const ChecklistTexts& texts, const Means& means);

  QPushButton& raceButton() { return *m_race; }
  QPushButton& forkButton() { return *m_fork; }
  QPushButton& labButton() { return *m_lab; }
  QPushButton& evidenceButton() { return *m_evidence; }
  QPushButton& profileButton() { return *m_profile; }
  QString evidence() const;
  QString next() const;

 private:
  void retext();
  void restyle();

  const Desktop& m_desktop;
  QLabel *m_title = nullptr, *m_brings = nullptr, *m_state = nullptr, *m_measuredTitle = nullptr, *m_measured = nullptr,
         *m_nextTitle = nullptr, *m_next = nullptr, *m_offer = nullptr;
  QPushButton *m_race = nullptr, *m_profile = nullptr, *m_fork = nullptr, *m_lab = nullptr, *m_evidence = nullptr;
  JobBar* m_bar = nullptr;
};

}  // namespace atelier::app
