// DeskWatch: whatever the desk measures now, whoever asked for it: how far it is, what it said last, and when to look again
// (paced, so that looking doesn't disturb what is measured). GUI thread.
#pragma once

#include <QObject>
#include <QStringList>

#include <vector>

#include "live_tick.h"
#include "run_desk.h"
#include "run_progress.h"

namespace atelier::app {

class DeskWatch : public QObject {
  Q_OBJECT
 public:
  explicit DeskWatch(RunDesk& desk, QObject* parent = nullptr);

  const RunProgress& progress() const { return m_progress; }
  bool canPause() const;
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
  LiveTick m_live;
  QString m_label;
  QStringList m_runs;
  std::vector<wire::Message> m_failure;
};

}  // namespace atelier::app
