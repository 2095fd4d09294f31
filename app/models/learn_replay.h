// LearnReplay: the recorded run of a step's experiment, played in place of a measurement: the lab's own record (for a machine
// that can't run it), or what the learner measured before. Invariants: its figures are nobody's measurement: nothing of it is
// written into the session, counted as progress or judged; what the checks would say is said by a copy of the session that is
// thrown away. It belongs to one step of one visit to a lab and pauses when another is shown. GUI thread.
#pragma once

#include <QObject>
#include <QThread>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labs/check.h"
#include "redraw_pacer.h"
#include "replay.h"

namespace atelier::app {

class LearnModel;
class RunDesk;

class LearnReplay : public QObject {
  Q_OBJECT
 public:
  enum class Record { Lab, Own };
  using Played = std::map<std::string, std::shared_ptr<const Recording>>;  // by step

  // REQUIRES: both outlive it; the model's session may be asked for at any time.
  LearnReplay(const LearnModel& model, RunDesk& desk, QObject* parent = nullptr);

  // Of the present step. A run that goes there shows its own curves: then nothing is offered.
  bool offers(Record record) const;
  void start(Record record);  // reads it, then plays
  void close();               // back to what was measured
  bool shown() const;         // its curves stand in the present step's plots
  bool loading() const { return m_loading && ofStep(); }
  Record record() const { return m_record; }
  // What it has loaded belongs to the present step only while shown().
  Replay& player() { return m_player; }
  const Replay& player() const { return m_player; }

  // What the record came to, once it has been played to its end; and what the step's checks would say to that.
  std::optional<lab::Outcome> outcome() const;
  std::vector<lab::CheckResult> checks() const;
  // Steps of this visit to the lab whose record was played to its end.
  const Played& played() const { return m_played; }

  // After the place, or the visit, has changed.
  void follow();

 Q_SIGNALS:
  void changed();   // shown or not, its state
  void advanced();  // its curves
  void failed(const atelier::wire::Error& why);

 private:
  std::function<wire::Result<Recording>()> readerOf(Record record) const;
  void take(wire::Result<Recording> read);
  void tellState();
  bool ofStep() const;
  bool fits(const Recording& recording) const;

  const LearnModel& m_model;
  RunDesk& m_desk;
  Replay m_player;
  RedrawPacer m_pacer{QThread::idealThreadCount()};
  Record m_record = Record::Lab;
  std::string m_step;  // "": none
  int m_visit = 0, m_reading = 0;
  bool m_loading = false;
  Played m_played;
};

}  // namespace atelier::app
