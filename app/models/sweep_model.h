// SweepModel: a sweep over one to three keys, from its set-up to the last point: what is typed as the axes, the base spec, the
// job at the desk, and the points as they are measured. Also a past sweep, read from the registry. Invariant: what is shown
// belongs to the sweep that was last run or opened, whatever is set up meanwhile. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/option.h"
#include "core/wire/sweep.h"
#include "job_watch.h"

namespace atelier::app {

// The figures that a sweep can be looked at by.
enum class SweepFigure { Rate, Memory, StepTime, Accuracy, Loss };
inline constexpr int kSweepFigures = 5;
// As it is shown: samples/s, MiB, ms, per cent, loss. nullopt: not measured, or not finite.
std::optional<double> figureOf(const wire::RunSummary& run, SweepFigure figure);
// "rate", "memory", "step", "accuracy", "loss": ends the catalog's ids.
const char* figureId(SweepFigure figure);
// "batch = 64 · precision = bf16".
std::string pointWords(const nlohmann::json& values);
std::string valueWords(const nlohmann::json& value);

struct AxisEdit {
  std::string key;
  std::string typed;  // see axisValues()
  bool operator==(const AxisEdit&) const = default;
};

class SweepModel : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t kMostAxes = 3;

  SweepModel(RunDesk& desk, std::filesystem::path home, QObject* parent = nullptr);

  // The set-up.
  void setSchema(const wire::Schema& schema) { m_schema = schema; }
  const wire::Schema& schema() const { return m_schema; }
  void setAxes(std::vector<AxisEdit> axes);
  const std::vector<AxisEdit>& axes() const { return m_axes; }
  void setSpec(const nlohmann::json& spec);
  const nlohmann::json& spec() const { return m_spec; }
  void setName(const QString& name) { m_name = name; }
  std::vector<wire::Message> mistakes() const;
  std::size_t points() const;  // 0 while there are mistakes
  // From what the runs on record took; nullopt when one of the models was never run here.
  std::optional<double> secondsExpected() const;
  void learnPace();  // reads the runs on record

  EngineCommand command() const;
  bool canRun() const;
  void run(const QString& label);
  JobWatch& job() { return m_job; }
  const JobWatch& job() const { return m_job; }

  // What came of it.
  const std::optional<wire::SweepSummary>& sweep() const { return m_sweep; }
  const std::optional<wire::RunFailed>& failure() const { return m_failure; }
  const std::vector<wire::Message>& notices() const { return m_notices; }
  std::size_t measured() const;  // points that are over
  bool past() const { return m_past; }
  nlohmann::json specOf(std::size_t point) const;  // the point's own, as it was asked for or recorded

  // Sweeps on record, the newest first.
  std::vector<std::string> pastSweeps(std::size_t most = 20) const;
  wire::Result<wire::SweepSummary> look(const std::string& id) const;
  wire::Status open(const std::string& id);

 Q_SIGNALS:
  void setupChanged();
  void changed();       // another sweep, or the job's state
  void pointChanged();  // a point began or ended

 private:
  struct Pace {
    double samples_per_second = 0, startup = 0;  // seconds
  };
  void begin();
  void take(const wire::RunEvent& event);
  void start(const wire::SweepStarted& started);
  wire::SweepPoint* pointOf(const std::string& variant);
  wire::Result<std::vector<wire::SweepAxis>> readAxes() const;

  std::filesystem::path m_home;
  wire::Schema m_schema;
  std::vector<AxisEdit> m_axes;
  nlohmann::json m_spec = nlohmann::json::object(), m_ranSpec = nlohmann::json::object();
  QString m_name;
  std::map<std::string, Pace> m_pace;  // by model
  JobWatch m_job;
  std::optional<wire::SweepSummary> m_sweep;
  std::optional<wire::RunFailed> m_failure;
  std::vector<wire::Message> m_notices;
  bool m_past = false;
};

}  // namespace atelier::app
