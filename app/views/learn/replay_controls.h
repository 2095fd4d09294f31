// ReplayControls: offers the recorded run of the present step's experiment, the lab's own or the learner's last, and plays it.
// What it shows is marked: it is no measurement. Hidden where there is nothing to replay. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace atelier::app {

class LearnModel;
class ReplayBar;
class Theme;

class ReplayControls : public QWidget {
  Q_OBJECT
 public:
  ReplayControls(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();

 private:
  LearnModel& m_model;
  QPushButton *m_lab = nullptr, *m_own = nullptr, *m_close = nullptr;
  QWidget* m_offers = nullptr;
  QWidget* m_player = nullptr;
  QLabel *m_mark = nullptr, *m_recorded = nullptr;
  ReplayBar* m_bar = nullptr;
};

}  // namespace atelier::app
