// LearnView: the course in three panels: course tree, step card, live plots. Where the window is narrow, and in presenter mode,
// the course becomes a drawer opened by a menu button. It only shows: the model holds all logic. GUI thread.
#pragma once

#include "app/shell/view.h"

class QHBoxLayout;

namespace atelier::app {

class CoursePanel;
class LearnModel;
class LivePanel;
class StepCard;
class Theme;

class LearnView : public View {
  Q_OBJECT
 public:
  static constexpr int kDrawerBelow = 1360, kTwoColumnsAbove = 2200;  // pixels of the look, at scale 1

  LearnView(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void setPresenting(bool presenting) override;
  void page(int direction) override;
  // Shows all texts anew in the model's language, after LearnModel::setLanguage.
  void setLanguage();
  bool drawer() const { return m_drawer; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void restyle();
  void arrange();
  void openDrawer(bool open);
  void tellSaveFailed(const QString& file);

  const Theme& m_theme;
  LearnModel& m_model;
  QHBoxLayout* m_row = nullptr;
  CoursePanel* m_course = nullptr;
  StepCard* m_step = nullptr;
  LivePanel* m_live = nullptr;
  bool m_presenting = false, m_drawer = false;
};

}  // namespace atelier::app
