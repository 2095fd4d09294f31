// HeadlessLab: takes a whole lab without a display: every experiment step in order through the engine, a progress bar, a
// table of results, the checks, and at the end DIR/report.pdf and DIR/checks.json. What was measured before a failure or an
// interruption is kept and reported; a step that was interrupted is shown and counts for no check. It neither reads nor changes
// the learner's saved progress. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>

#include <optional>

#include "app/models/run_progress.h"
#include "app/run/engine_client.h"
#include "core/wire/catalog.h"
#include "core/wire/format.h"
#include "core/wire/option.h"
#include "labs/event_notes.h"
#include "labs/outcome.h"
#include "labs/session.h"
#include "terminal.h"

namespace atelier::app {

class HeadlessLab : public QObject {
  Q_OBJECT
 public:
  struct Job {
    lab::LabSession session;             // with its answers taken
    QString folder, learner, home;       // folder: where the report and the checks go
    QString results;                     // folder of a class, where the learner's results go; or ""
    std::optional<wire::Schema> schema;  // shortens the report's commands
  };
  HeadlessLab(EngineClient& engine, const wire::Catalog& catalog, Terminal& terminal, Job job, QObject* parent = nullptr);

  void start();
  // Stops the engine; the report is still written. A second call does not wait.
  void interrupt();
  const lab::LabSession& session() const { return m_job.session; }

 Q_SIGNALS:
  // As wire::ExitCode: done, interrupted, or what the engine's failure means (usage, failed, out of memory, no device).
  void finished(int exitCode);

 private:
  void next();
  void tellStep(const lab::Step& step);
  void begin(const lab::Step& step);
  void take(const wire::RunEvent& event);
  void takeSummary(const wire::RunSummary& summary, const std::string& variant);
  void tellNotices(const std::vector<wire::Message>& notices);
  void endStep(int exitCode);
  void conclude(wire::ExitCode code);
  bool writeFiles();
  bool putResults(const QString& report);
  void showProgress();
  QString phaseText() const;
  void showResult(const lab::Step& step);
  void showRuns(const std::vector<wire::RunSummary>& runs);
  void showFindings();
  void showLadder(const lab::Step& step);
  void showChecks(const lab::Step& step);
  void tellFailure(const std::vector<wire::Message>& messages);
  QString text(const wire::Message& message) const { return QString::fromStdString(m_catalog.text(message)); }
  QString text(const char* id) const { return QString::fromStdString(m_catalog.text(std::string(id))); }

  EngineClient& m_engine;
  const wire::Catalog& m_catalog;
  wire::Format m_format;
  Terminal& m_terminal;
  Job m_job;
  std::size_t m_index = 0;  // of the step that runs, or is looked at next
  RunProgress m_progress;
  QElapsedTimer m_shown;
  std::string m_verb;                   // of the step that runs
  std::optional<wire::Health> m_origin;  // where its first value that is not finite was born
  lab::EventNotes m_notes;               // what else a lab reads of its events
  std::optional<lab::Outcome> m_outcome;
  std::vector<wire::RunSummary> m_variants;
  nlohmann::json m_machine;  // environment of the runs
  QStringList m_told;        // notices of this step
  double m_rate = 0;
  std::optional<wire::ExitCode> m_failure;
  bool m_interrupted = false;
};

}  // namespace atelier::app
