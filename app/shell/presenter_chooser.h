// PresenterChooser: any step of any lab by a few letters. Arrows choose, Enter goes there, Esc leaves things as they are.
// GUI thread.
#pragma once

#include <QDialog>

#include "app/models/step_finder.h"

class QLabel;
class QLineEdit;
class QListView;

namespace atelier::app {

struct Desktop;

class PresenterChooser : public QDialog {
  Q_OBJECT
 public:
  PresenterChooser(const Desktop& desktop, QWidget* parent);

 Q_SIGNALS:
  void chosen(const QString& lab, int step);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void search(const QString& query);
  void choose();

  const Desktop& m_desktop;
  StepFinder m_steps;
  QLineEdit* m_query = nullptr;
  QListView* m_list = nullptr;
  QLabel* m_nothing = nullptr;
};

}  // namespace atelier::app
