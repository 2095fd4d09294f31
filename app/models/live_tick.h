// LiveTick: when to look again at something that is measured: as often as RedrawPacer allows, and only when there was news. So
// that looking doesn't disturb what is measured. GUI thread.
#pragma once

#include <QObject>
#include <QThread>
#include <QTimer>

#include "redraw_pacer.h"

namespace atelier::app {

class LiveTick : public QObject {
  Q_OBJECT
 public:
  explicit LiveTick(QObject* parent = nullptr);

  void start();  // a new run: forgets what was measured and any news
  void note() { m_fresh = true; }
  // No more looks; true when there was news that nobody has looked at.
  bool stop();

 Q_SIGNALS:
  void look();

 private:
  RedrawPacer m_pacer{QThread::idealThreadCount()};
  QTimer m_timer;
  bool m_fresh = false;
};

}  // namespace atelier::app
