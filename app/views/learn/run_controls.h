// RunControls: start, pause and stop the step's experiment; how far it is and how long it will take. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace atelier::app {

class LearnModel;
class Theme;

class RunControls : public QWidget {
  Q_OBJECT
 public:
  RunControls(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  void tick();  // progress only; cheap
  QPushButton* runButton() const { return m_run; }

 private:
  QString waiting() const;

  const Theme& m_theme;
  LearnModel& m_model;
  QPushButton *m_run = nullptr, *m_pause = nullptr, *m_stop = nullptr;
  QProgressBar* m_bar = nullptr;
  QLabel *m_left = nullptr, *m_state = nullptr;
};

}  // namespace atelier::app
