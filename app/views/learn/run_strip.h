// RunStrip: the run of another step than the one shown: its title, how far it is, pause and stop, and the way back to it. It
// stands outside of what scrolls, and only while such a run goes. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace atelier::app {

class LearnModel;
class RunBar;
class Theme;

class RunStrip : public QWidget {
  Q_OBJECT
 public:
  RunStrip(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  void tick();

 private:
  void goThere();

  LearnModel& m_model;
  QLabel* m_title = nullptr;
  QPushButton* m_show = nullptr;
  RunBar* m_bar = nullptr;
};

}  // namespace atelier::app
