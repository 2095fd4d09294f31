// EngineClient: one atelier-engine process at a time. Starts it with --events, decodes its lines, and reports every event
// through one signal, in their order; a flood of them is taken in slices between which the event loop turns. Of a verb that
// answers with one object this is one event, Answered. A crash, a kill or a garbled line becomes a RunFailed event: the
// window never goes down with the engine. GUI thread; the engine runs in its own process, in a process group of its own (so
// that its ranks end with it and a Ctrl-C in the terminal reaches only this program). Destroying the client stops the
// process and leaves none behind.
#pragma once

#include <QByteArray>
#include <QDeadlineTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/wire/result.h"
#include "core/wire/run_event.h"
#include "engine_command.h"

namespace atelier::app {

class EngineClient : public QObject {
  Q_OBJECT
 public:
  // `engine`: path of atelier-engine; `home`: $ATELIER_HOME for it.
  EngineClient(QString engine, QString home, QObject* parent = nullptr);
  ~EngineClient() override;

  // The spec goes in through stdin. REQUIRES: !running().
  void start(const EngineCommand& command);
  bool running() const { return m_active; }
  void pause();
  void resume();
  void stop();  // asks; what was measured is kept; killed after a grace
  void set(const QString& key, double value);
  // How long stop() waits before it kills; 10 s unless set.
  void setGrace(int milliseconds) { m_grace.setInterval(milliseconds); }

  // Runs `engine ARGS --json` and hands over its object, or the error; GUI thread, asynchronous.
  using Answer = std::function<void(const wire::Result<nlohmann::json>&)>;
  void ask(const QStringList& arguments, Answer answer);

  // atelier-engine beside this program, else on PATH; "" when there is none.
  static QString locate();

 Q_SIGNALS:
  // Everything the run says, RunFailed included. After it `ended` comes exactly once.
  void event(const atelier::wire::RunEvent& event);
  void ended(int exitCode);

 private:
  void readLines();
  void takeLines(QDeadlineTimer until);
  void takeLine(const QByteArray& line);
  void takeAnswer(int exitCode, bool crashed);
  void readErrors();
  void finish(int exitCode, QProcess::ExitStatus status);
  void refuse();  // could not be started
  void conclude(int exitCode);
  void fail(wire::ExitCode code, std::vector<wire::Message> messages);
  void write(const nlohmann::json& object);
  void kill();
  bool concluded(int exitCode) const;

  QString m_engine, m_home;
  QProcess m_process;
  QTimer m_grace;
  QTimer m_rest;  // brings us back to the lines that a slice left
  QByteArray m_buffer, m_errors;
  qsizetype m_taken = 0;    // bytes of the buffer whose lines were told
  bool m_active = false;    // between start() and ended
  bool m_failed = false;    // RunFailed was told: nothing the engine still says counts
  bool m_sweep = false;     // what goes is a sweep: its points end one by one
  std::string m_answering;  // the verb that goes, when it answers with one object; else ""
  bool m_finished = false;  // the run's, the race's or the sweep's last event came
  bool m_variant = false;   // a race's variant finished; enough for an interrupted race
  bool m_killed = false;    // by us, after the grace
};

}  // namespace atelier::app
