// JobWatch: one job of the desk, followed by whoever submitted it: its events, how far it is, and when to look again (paced, so
// that looking does not disturb what is measured). Invariants: it follows one job at a time; each submit() ends with exactly
// one ended(), also when the job was taken out of the queue before it began. GUI thread.
#pragma once

#include <QObject>

#include "live_tick.h"
#include "run_desk.h"
#include "run_progress.h"

namespace atelier::app {

class JobWatch : public QObject {
  Q_OBJECT
 public:
  enum class State { Idle, Waiting, Starting, Running, Paused, Stopping };

  explicit JobWatch(RunDesk& desk, QObject* parent = nullptr);

  // `seconds`: about how long it takes; 0: not known. REQUIRES: idle().
  void submit(Job job, int seconds = 0);
  // Takes a waiting job out; stops the one that goes, and what it measured is kept.
  void stop();
  void togglePause();
  bool canPause() const;

  State state() const { return m_state; }
  bool idle() const { return m_state == State::Idle; }
  const RunProgress& progress() const { return m_progress; }

 Q_SIGNALS:
  void event(const atelier::wire::RunEvent& event);
  void stateChanged();
  void tick();  // there were events since the last one
  void ended();

 private:
  void take(const wire::RunEvent& told);
  void follow();  // what the desk makes of the job
  void finish();
  void setState(State state);

  RunDesk& m_desk;
  RunProgress m_progress;
  LiveTick m_live;
  State m_state = State::Idle;
  int m_job = 0;
  bool m_submitting = false;
};

}  // namespace atelier::app
