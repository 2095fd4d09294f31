// CoursePanel: the course as a tree with what is done and what is open. A single click or Enter opens a lab; a half-day
// folds. The reader's place in the tree and what is unfolded stay as they are until another lab opens. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/course_model.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTreeView;

namespace atelier::app {

class LearnModel;
class Theme;

class CoursePanel : public QWidget {
  Q_OBJECT
 public:
  CoursePanel(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  void retext();
  void restyle();
  void takeFocus();

 Q_SIGNALS:
  void chosen();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void open(const QModelIndex& index);
  void select();  // the open lab's row, once for each lab opened
  void askReset();

  const Theme& m_theme;
  LearnModel& m_model;
  CourseModel m_course;
  QLabel* m_title = nullptr;
  QTreeView* m_tree = nullptr;
  QProgressBar* m_bar = nullptr;
  QPushButton* m_reset = nullptr;
  std::string m_selected;
};

}  // namespace atelier::app
