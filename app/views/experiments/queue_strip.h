// QueueStrip: what is measured now, with its progress, pause and stop, and what waits after it: moved, taken out, or held back.
// Hidden when nothing goes and nothing waits. It looks at the run only at the pace that DeskWatch allows. GUI thread.
#pragma once

#include <QVector>
#include <QWidget>

#include "app/shell/view.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace atelier::app {

class DeskWatch;

class QueueStrip : public QWidget {
  Q_OBJECT
 public:
  QueueStrip(const Desktop& desktop, DeskWatch& watch, QWidget* parent = nullptr);

  // The waiting job that is chosen in the list; 0: none.
  int chosenJob() const;
  void moveChosen(int by);
  void removeChosen();

 private:
  void build();
  void refresh();  // the queue or the state changed
  void tick();
  void showWaiting();
  void retext();
  void restyle();
  QString phase() const;

  const Desktop& m_desktop;
  DeskWatch& m_watch;
  QWidget *m_now = nullptr, *m_later = nullptr;
  QLabel *m_title = nullptr, *m_phase = nullptr, *m_left = nullptr, *m_waiting = nullptr;
  QProgressBar* m_bar = nullptr;
  QPushButton *m_pause = nullptr, *m_stop = nullptr, *m_hold = nullptr;
  QListWidget* m_list = nullptr;
  QToolButton *m_up = nullptr, *m_down = nullptr, *m_remove = nullptr;
};

}  // namespace atelier::app
