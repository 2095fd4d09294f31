// RunControls: starts the present step's experiment; while it goes, how it goes and the bar to pause and stop it instead of the
// button. GUI thread.
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace atelier::app {

class LearnModel;
class RunBar;
class Theme;

class RunControls : public QWidget {
  Q_OBJECT
 public:
  RunControls(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  void tick();  // progress only; cheap
  QPushButton* runButton() const { return m_run; }
  // Beside the button: what else can be done with the step's experiment.
  void offer(QAction* action);
  // What the button says for the present step. REQUIRES: it has an experiment.
  static QString verb(const LearnModel& model);

 private:
  bool runsHere() const;
  void swap(bool running);
  QString waiting() const;
  QString going() const;

  LearnModel& m_model;
  QPushButton* m_run = nullptr;
  RunBar* m_bar = nullptr;
  QLabel* m_state = nullptr;
};

}  // namespace atelier::app
