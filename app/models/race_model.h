// RaceModel: a race of two to four variants, from its set-up to its verdict: the specs (a whole spec for each), the job at the
// desk, the curves of all variants on one time axis, and how the ratio of each to A grew certain. Also a past race, read from
// the registry. Invariants: two to four variants; what is shown belongs to the race that was last run or opened, whatever is
// set up meanwhile. GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QVector>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/option.h"
#include "job_watch.h"
#include "run_series.h"

namespace atelier::app {

// How the ratio of one variant to A came out after each pair of blocks.
struct RaceTrack {
  std::string variant;      // "b", "c", "d"
  Curve median;             // x: pairs measured so far, kept or not
  Band band;                // 95 % interval
  QVector<double> leftOut;  // the pairs in which a block was disturbed, by the same count
  wire::RaceUpdated last;
};

class RaceModel : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t kFewest = 2, kMost = 4;

  RaceModel(RunDesk& desk, std::filesystem::path home, QObject* parent = nullptr);

  // The set-up.
  void setSchema(const wire::Schema& schema) { m_schema = schema; }
  const wire::Schema& schema() const { return m_schema; }
  // The first is A. One alone races against itself; more than four: the first four.
  void setSpecs(std::vector<nlohmann::json> specs);
  const std::vector<nlohmann::json>& specs() const { return m_specs; }
  // A's takes the others along: they keep what they do otherwise.
  void setSpec(std::size_t variant, const nlohmann::json& spec);
  // What all variants must share: steps, blocks, stop_when_decided.
  void setShared(const std::string& key, const nlohmann::json& value);
  wire::Value shared(const std::string& key) const;      // REQUIRES: the schema has the key
  void add();                                            // as the last one is
  void remove(std::size_t variant);                      // never A
  nlohmann::json difference(std::size_t variant) const;  // from A
  std::vector<wire::Message> mistakes() const;

  EngineCommand command() const;
  bool canRun() const;
  void run(const QString& label);
  JobWatch& job() { return m_job; }
  const JobWatch& job() const { return m_job; }

  // What came of it.
  QVector<const RunSeries*> series() const;
  const std::vector<RaceTrack>& tracks() const { return m_tracks; }
  const std::optional<wire::RaceSummary>& result() const { return m_result; }
  const std::optional<wire::RunFailed>& failure() const { return m_failure; }
  const std::vector<wire::Message>& notices() const { return m_notices; }
  bool interrupted() const { return m_interrupted; }
  // Why blocks were left out, and how many for each reason.
  std::map<std::string, int> busyReasons() const;
  bool machineBusy() const;                      // a comparison is undecided for that reason
  std::vector<nlohmann::json> ranSpecs() const;  // of what is shown, as recorded
  QStringList runIds() const;
  bool past() const { return m_past; }

  // Races on record, the newest first.
  std::vector<std::string> pastRaces(std::size_t most = 20) const;
  // By the race's id, or that of a run of one.
  wire::Status open(const std::string& id);

 Q_SIGNALS:
  void setupChanged();
  void changed();  // another race, or its end: show everything again
  void tick();     // it went on

 private:
  void begin(std::size_t variants);
  void take(const wire::RunEvent& event);
  void takeRatio(const wire::RaceUpdated& updated);
  RunSeries* seriesOf(const std::string& variant);

  std::filesystem::path m_home;
  wire::Schema m_schema;
  std::vector<nlohmann::json> m_specs;
  JobWatch m_job;
  std::vector<std::unique_ptr<RunSeries>> m_runs;
  std::vector<RaceTrack> m_tracks;
  std::optional<wire::RaceSummary> m_result;
  std::optional<wire::RunFailed> m_failure;
  std::vector<wire::Message> m_notices;
  bool m_interrupted = false, m_past = false;
};

}  // namespace atelier::app
