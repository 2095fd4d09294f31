// DeskWatch: whatever the desk measures now, whoever asked for it: how far it is, what it said last, and when to look again
// (paced, so that looking doesn't disturb what is measured). GUI thread.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <vector>

#include "redraw_pacer.h"
#include "run_desk.h"
#include "run_progress.h"

namespace atelier::app {

class DeskWatch : public QObject {
  Q_OBJECT
 public:
  explicit DeskWatch(RunDesk& desk, QObject* parent = nullptr);

  const RunProgress& progress() const { return m_progress; }
  bool canPause() const;  // not while the naive stopwatch or the evaluation goes: neither waits
  void togglePause();
  // The label of the job that goes, or went last, the runs that it recorded, and why it failed (empty: it did not).
  const QString& label() const { return m_label; }
  const QStringList& runs() const { return m_runs; }
  const std::vector<wire::Message>& failure() const { return m_failure; }

 Q_SIGNALS:
  void tick();   // there were events since the last one
  void ended();  // before the next job starts

 private:
  void begin(int job);
  void take(const wire::RunEvent& event);
  void end();

  RunDesk& m_desk;
  RunProgress m_progress;
  RedrawPacer m_pacer{QThread::idealThreadCount()};
  QTimer m_tick;
  QString m_label;
  QStringList m_runs;
  std::vector<wire::Message> m_failure;
  bool m_fresh = false;
};

}  // namespace atelier::app
