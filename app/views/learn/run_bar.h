// RunBar: pause and stop the run that goes, how far it is and how long it will take. In one row, or with the bar below the
// buttons where there is no room and in presenter mode. GUI thread.
#pragma once

#include <QWidget>

class QBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace atelier::app {

class LearnModel;
class Theme;

class RunBar : public QWidget {
  Q_OBJECT
 public:
  RunBar(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  void tick();  // progress only; cheap
  QPushButton* stopButton() const { return m_stop; }
  bool holdsFocus() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();

  const Theme& m_theme;
  LearnModel& m_model;
  QBoxLayout* m_rows = nullptr;
  QPushButton *m_pause = nullptr, *m_stop = nullptr;
  QProgressBar* m_bar = nullptr;
  QLabel* m_left = nullptr;
};

}  // namespace atelier::app
