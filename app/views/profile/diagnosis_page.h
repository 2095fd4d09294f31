// DiagnosisPage: where the steps' time went and what holds the run back, as cards, the worst first; on the right the plan,
// whose changes are raced one by one. GUI thread.
#pragma once

#include <vector>

#include "app/models/plan_model.h"
#include "profile_page.h"

class QLabel;
class QSplitter;
class QVBoxLayout;

namespace atelier::app {

class FindingCard;
class PlanPanel;
class ShareBar;

class DiagnosisPage : public ProfilePage {
  Q_OBJECT
 public:
  DiagnosisPage(const Desktop& desktop, TraceSelection& selection, PlanModel& plan, QWidget* parent = nullptr);

  const std::vector<FindingCard*>& cards() const { return m_cards; }
  PlanPanel& panel() { return *m_panel; }

 protected:
  void fill() override;

 private:
  QWidget* buildLeft();
  void fillStages();
  void fillCards();
  void connectCard(FindingCard& card);
  void showState();  // what the cards can do now

  PlanModel& m_plan;
  std::vector<FindingCard*> m_cards;
  QSplitter* m_split = nullptr;
  QWidget* m_list = nullptr;
  QVBoxLayout* m_column = nullptr;
  QLabel *m_step = nullptr, *m_stages = nullptr, *m_none = nullptr;
  ShareBar* m_bar = nullptr;
  PlanPanel* m_panel = nullptr;
};

}  // namespace atelier::app
