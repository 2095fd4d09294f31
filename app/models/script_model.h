// ScriptModel: the PyTorch form of a spec: asked from the engine, and run there, its figures beside those of the native run of
// the same spec (the newest on record, or one that is made now). The two are separate runs, one after the other: no race.
// GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>

#include <filesystem>
#include <memory>
#include <optional>

#include "core/wire/option.h"
#include "job_watch.h"
#include "run_series.h"

namespace atelier::app {

class ScriptModel : public QObject {
  Q_OBJECT
 public:
  ScriptModel(RunDesk& desk, const wire::Schema& schema, std::filesystem::path home, QObject* parent = nullptr);

  // Asks for the script and looks for a native run on record. Not while a run of this model goes.
  void setSpec(const nlohmann::json& spec);
  const nlohmann::json& spec() const { return m_spec; }
  const QString& script() const { return m_script; }
  const std::optional<wire::Error>& error() const { return m_error; }  // why there is no script
  bool asking() const { return m_asking; }

  // "script --set batch=64 …": without standard input, which asking leaves closed.
  static QStringList arguments(const nlohmann::json& spec);

  bool canRun() const;
  void runScript(const QString& label, const QString& series);
  void runNative(const QString& label, const QString& series);
  JobWatch& job() { return m_job; }
  const JobWatch& job() const { return m_job; }
  // What the native run's curve is called; known when a recorded one is read.
  void setNativeLabel(const QString& label) { m_nativeLabel = label; }

  QVector<const RunSeries*> series() const;  // the native run first, as far as there are any
  const RunSeries* native() const { return m_native.get(); }
  const RunSeries* python() const { return m_python.get(); }
  bool nativeRecorded() const { return m_recorded; }  // not made just now
  const std::optional<wire::RunFailed>& failure() const { return m_failure; }

 Q_SIGNALS:
  void scriptChanged();
  void runsChanged();  // another set of curves, or the job's state
  void tick();

 private:
  void take(const wire::RunEvent& event);
  void findNative();
  void submit(std::unique_ptr<RunSeries>& slot, RunSeries fresh, const std::string& verb, const QString& label);

  RunDesk& m_desk;
  const wire::Schema& m_schema;
  std::filesystem::path m_home;
  nlohmann::json m_spec = nlohmann::json::object();
  QString m_script, m_nativeLabel = QStringLiteral("Atelier");
  std::optional<wire::Error> m_error;
  bool m_asking = false, m_recorded = false;
  int m_question = 0;  // counts: an answer to an older question is dropped
  JobWatch m_job;
  std::unique_ptr<RunSeries> m_native, m_python;
  RunSeries* m_live = nullptr;  // of the two, the one that goes
  std::optional<wire::RunFailed> m_failure;
};

}  // namespace atelier::app
