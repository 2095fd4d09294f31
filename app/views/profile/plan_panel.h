// PlanPanel: the plan as a ladder, and the race of its rungs: what is chosen is raced against the best before it, on the same
// data; what was measured is filled in beside what was predicted. Where a race saw no gain it says why. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/plan_model.h"
#include "app/models/race_model.h"
#include "app/models/text_table.h"
#include "app/shell/view.h"

class QLabel;
class QPushButton;
class QTableView;
class QVBoxLayout;

namespace atelier::app {

class FigurePlot;
class JobBar;

class PlanPanel : public QWidget {
  Q_OBJECT
 public:
  PlanPanel(const Desktop& desktop, PlanModel& plan, QWidget* parent = nullptr);

  // Races that rung; what forbids it is said.
  void apply(std::size_t rung);
  void choose(std::size_t rung);
  std::optional<std::size_t> chosen() const;
  bool racing() const { return !m_race.job().idle(); }
  const RaceModel& race() const { return m_race; }
  const TextTable& table() const { return m_table; }
  QPushButton* applyButton() const { return m_apply; }
  QPushButton* whyButton() const { return m_why; }
  QPushButton* resetButton() const { return m_reset; }
  QString reasons() const;  // that are shown; "": none are
  void showAll();           // anew: another plan, language or look

 Q_SIGNALS:
  void said(const std::vector<atelier::wire::Message>& messages);

 private:
  void build(QVBoxLayout& column);
  void buildTable(QVBoxLayout& column);
  void buildButtons(QVBoxLayout& column);
  void settle();
  void showButtons();
  void showRace();
  void toggleReasons();
  QString sentence() const;

  const Desktop& m_desktop;
  PlanModel& m_plan;
  RaceModel m_race;
  TextTable m_table;
  bool m_showsReasons = false;
  QLabel *m_title = nullptr, *m_help = nullptr, *m_sum = nullptr, *m_sentence = nullptr, *m_reasons = nullptr;
  QTableView* m_view = nullptr;
  QPushButton *m_apply = nullptr, *m_why = nullptr, *m_reset = nullptr;
  JobBar* m_bar = nullptr;
  FigurePlot* m_verdict = nullptr;
};

}  // namespace atelier::app
