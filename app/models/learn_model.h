// LearnModel: all logic of the Learn view. It holds the course, the open lab's session and the runs of its steps; it asks the
// engine to run a step's experiment, feeds the events into RunSeries, and records the outcome. Progress is saved after each
// change. Invariants: a session is always on a step; a run belongs to the step it was started from, wherever the learner has
// gone since; no other lab can be opened while a run goes. GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QVector>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/models/live_tick.h"
#include "app/models/run_progress.h"
#include "app/models/run_series.h"
#include "app/models/words.h"
#include "core/registry/registry.h"
#include "core/wire/option.h"
#include "core/wire/run_event.h"
#include "labs/event_notes.h"
#include "labs/outcome.h"
#include "labs/session.h"

namespace atelier::app {

class LearnReplay;
class RunDesk;

class LearnModel : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    RunDesk& desk;
    Words& words;
    std::filesystem::path course;  // folder of the labs
    std::filesystem::path home;    // $ATELIER_HOME
    QString learner;               // name on the report, or ""
  };
  enum class RunState { Idle, Starting, Running, Paused, Stopping };

  explicit LearnModel(Parts parts, QObject* parent = nullptr);
  ~LearnModel() override;

  // The engine's schema, as `describe` printed it; until then the knobs wait. An error says why there is none, and is kept
  // until the engine is asked again.
  void setSchema(const wire::Result<wire::Schema>& schema);
  void askSchema();
  const wire::Schema& schema() const { return m_schema; }
  const wire::Error* schemaError() const { return m_schemaError ? &*m_schemaError : nullptr; }
  // The environment that runs find here: of the newest recorded run, then of each run that starts.
  void setMachine(const nlohmann::json& environment);
  const nlohmann::json& machine() const { return m_machine; }

  // Language and texts. Progress is kept over a change of language.
  Words& words() const { return m_words; }
  const std::string& language() const { return m_words.language(); }
  const wire::Catalog& catalog() const { return m_words.catalog(); }
  const wire::Format& format() const { return m_words.format(); }
  QString text(const std::string& id) const { return m_words.text(id); }
  QString text(const wire::Message& message) const { return m_words.text(message); }

  // The course and the place in it.
  const lab::Course& course() const { return m_course; }
  const std::set<std::string>& doneLabs() const { return m_done; }
  bool open(const std::string& lab);  // by id or number; false when unknown, or while a run goes
  const lab::LabSession* session() const { return m_session ? &*m_session : nullptr; }
  bool canGo(int delta) const;
  void go(int delta);
  void goTo(int index);
  void resetLab();
  // Another number for every lab opened or begun anew: what a view kept from before no longer holds.
  int visit() const { return m_visit; }

  // What the learner does in the present step. REQUIRES: session().
  bool canPredict() const;  // open until the experiment it is about has a result
  void predict(std::optional<double> value);
  void setKnob(const std::string& key, const nlohmann::json& value, bool variantB);
  void nextHint();
  QStringList hintsShown() const;
  void showSolution();
  void answer(const std::string& question, int choice);

  // The experiment.
  bool canRun() const;         // the step has one, nothing stands in its way, a schema is there, nothing runs
  bool busyElsewhere() const;  // the machine measures for another view
  void run();
  void stop();
  void togglePause();
  bool canPause() const;  // not while the naive stopwatch or the evaluation goes: neither waits
  RunState runState() const { return m_state; }
  bool running() const { return m_state != RunState::Idle; }
  const RunProgress& progress() const { return m_progress; }
  const std::optional<wire::RaceUpdated>& raceSoFar() const { return m_race; }
  const lab::Step* runningStep() const;                                    // null when nothing runs
  QVector<const RunSeries*> runs() const;                                  // of the present step; a race gives two
  const wire::RunFailed* failure() const;                                  // of the present step's last try, or null
  const lab::Request* failedRequest() const;                               // what that try had asked for
  const std::vector<wire::Message>& notices() const { return m_notices; }  // what the reader should know, newest last
  void dismissNotices();
  // From elsewhere in the window: what the learner should know here.
  void inform(const std::vector<wire::Message>& messages);
  // Spec keys for the runs of steps that neither say nor offer anything about them.
  void setRunDefaults(const nlohmann::json& defaults) { m_runDefaults = defaults; }

  // A recorded run played in place of a measurement; shows its curves in runs() while it is shown.
  LearnReplay& replay() const { return *m_replays; }

  // Presenting, see learn_present.cpp. Leaving it drops the scratch session and goes back to where the learner was.
  void setPresenting(bool presenting);
  // Shows a step as a new learner finds it, in a session of which nothing is saved. False when there is no such step, when
  // nobody presents, or while a run goes.
  bool jump(const std::string& lab, int step);
  bool scratch() const { return m_kept.has_value(); }  // the session is one that leaves no trace
  bool canStart() const { return canRun() || fallsBack(); }
  // Runs the experiment; before an audience, where this machine can't, the lab's record takes its place.
  void start();

  // The PDF of the open lab; the number of pages. What was only replayed stands in it as such.
  wire::Result<int> writeReport(const QString& file) const;
  void setLearner(const QString& name);
  const QString& learner() const { return m_learner; }
  const std::filesystem::path& home() const { return m_home; }

  const std::filesystem::path& courseFolder() const { return m_courseFolder; }
  // Reads the course anew while its author writes it: the learner stays in the lab and, if it is still there, in the step. A
  // lab that got broken stays as it was, and why is told. Nothing while a run goes.
  void reloadCourse();

 Q_SIGNALS:
  void changed();          // place, progress, checks, notices: show everything again
  void runChanged();       // the run's state or the set of runs
  void liveTick();         // new events; at most 10 times a second
  void languageChanged();  // the course was read anew; followed by changed()
  void machineChanged();
  void learnerChanged();

 private:
  using Runs = std::vector<std::unique_ptr<RunSeries>>;
  struct Failure {
    wire::RunFailed why;
    lab::Request request;
  };
  struct Kept {
    std::optional<lab::LabSession> session;
  };

  const std::string& stepId() const { return m_session->step().id; }
  void take(const wire::RunEvent& event);
  void takeRace(const wire::RaceFinished& race);
  void takeSummary(const wire::RunFinished& finished);
  void takeAnswer(const wire::Answered& answered);
  void takeFailure(const wire::RunFailed& failed);
  void ended();
  void record(lab::Outcome outcome);
  void forgetRuns(const std::string& step);
  RunSeries& seriesOf(const wire::RunEvent& event);
  const Failure* lastFailure() const;
  void tell(const wire::Message& message);
  void tell(const std::vector<wire::Message>& messages);
  void tell(const wire::Status& status);
  void save();
  void restoreRuns();
  registry::Registry* openRegistry();  // null when there is none; told
  void findMachine();
  void readCourse();
  void translate();
  void findDone();
  void reopen();
  void enter();
  void leaveScratch();
  bool fallsBack() const;
  void fallBack();

  RunDesk& m_desk;
  Words& m_words;
  std::filesystem::path m_courseFolder, m_home;
  QString m_learner;
  lab::Course m_course;
  std::set<std::string> m_done;
  std::optional<lab::LabSession> m_session;
  std::optional<Kept> m_kept;  // the learner's own, while a trainer shows a scratch session
  std::unique_ptr<LearnReplay> m_replays;
  wire::Schema m_schema;
  std::optional<wire::Error> m_schemaError;
  nlohmann::json m_machine;
  std::unique_ptr<registry::Registry> m_registry;

  int m_job = 0;  // at the desk; 0: none
  RunState m_state = RunState::Idle;
  std::string m_runStep;
  nlohmann::json m_runDefaults;
  lab::Request m_request;                     // what the run that goes was asked for
  std::optional<wire::Health> m_origin;       // where its first value that is not finite was born
  lab::EventNotes m_notes;                    // what else a lab reads of its events
  std::map<std::string, Runs> m_runs;         // step → its last runs
  std::map<std::string, Failure> m_failures;  // step → why its last try failed
  std::set<std::string> m_restored;           // steps whose recorded runs were looked for
  RunProgress m_progress;
  std::optional<wire::RaceUpdated> m_race;
  std::vector<wire::Message> m_notices;
  LiveTick m_live;
  bool m_presenting = false;
  int m_visit = 0;
};

}  // namespace atelier::app
