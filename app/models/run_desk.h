// RunDesk: all that this window asks the engine to measure, one job after the other: two runs at once would disturb each
// other. A job that is submitted while another goes waits in a queue. Views submit jobs and listen to the events of theirs.
// Invariants: every job that was started ends with exactly one ended(); a cancelled waiting job ends with none. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <vector>

#include "app/run/engine_command.h"
#include "core/wire/result.h"
#include "core/wire/run_event.h"

namespace atelier::app {

class EngineClient;

struct Job {
  EngineCommand command;
  QString label;   // what the queue shows
  QString origin;  // id of the view that asked: "learn", "experiments"
};

class RunDesk : public QObject {
  Q_OBJECT
 public:
  enum class State { Idle, Starting, Running, Paused, Stopping };
  struct Entry {
    int id = 0;
    Job job;
  };

  explicit RunDesk(EngineClient& engine, QObject* parent = nullptr);

  // The job's number. It starts at once when nothing goes, waits or holds the queue.
  int submit(Job job);
  // A waiting job is taken out; the one that goes is stopped, and what it measured is kept.
  void cancel(int id);
  void move(int id, int place);  // among the waiting, from 0
  void clear();                  // takes out all that wait
  // A held queue starts nothing; what goes goes on.
  void setHeld(bool held);
  bool held() const { return m_held; }

  bool busy() const { return m_state != State::Idle; }
  State state() const { return m_state; }
  const Entry* current() const { return busy() ? &m_current : nullptr; }
  const std::vector<Entry>& waiting() const { return m_waiting; }

  // Of the job that goes; harmless when none does.
  void pause();
  void resume();
  void stop();
  void set(const QString& key, double value);

  // Asks the engine something that is no measurement ("describe", "script"): its JSON object, or the error. Asynchronous.
  using Answer = std::function<void(const wire::Result<nlohmann::json>&)>;
  void ask(const QStringList& arguments, Answer answer);

 Q_SIGNALS:
  void started(int job);
  void event(int job, const atelier::wire::RunEvent& event);
  void ended(int job, int exitCode);
  void changed();  // the state or the queue

 private:
  void startNext();
  void take(const wire::RunEvent& event);
  void finish(int exitCode);
  void setState(State state);

  EngineClient& m_engine;
  std::vector<Entry> m_waiting;
  Entry m_current;
  State m_state = State::Idle;
  bool m_held = false;
  int m_last = 0;
};

}  // namespace atelier::app
