// HistogramSource: whose values are laid over the formats: the run that goes, while it is looked at, or a recorded one. Runs
// that counted magnitudes are looked for in a thread of its own: when asked to, and when a job of the desk has ended. Until one
// is chosen it is the run that goes, else the newest. GUI thread, but for find() and read().
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/value_histogram.h"
#include "health_watch.h"
#include "job_watch.h"
#include "profiled_runs.h"

namespace atelier::app {

struct CountedRun {
  ProfiledRun run{};
  std::int64_t step = 0;  // that was looked at last
  wire::ValueHistograms histograms{};
};

class HistogramSource : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t kMost = 20;
  // What a run needs so that it counts: the same as a command and as a job.
  static constexpr int kSteps = 60, kEvery = 20;

  HistogramSource(std::filesystem::path home, RunDesk& desk, QObject* parent = nullptr);

  void refresh();
  bool loaded() const { return m_loaded; }
  const std::vector<CountedRun>& runs() const { return m_runs; }
  // The run that goes and has been looked at.
  bool live() const;
  const QString& liveLabel() const { return m_watch.label(); }

  // "": the run that goes, else the newest.
  void choose(const QString& run);
  // Also a run that the list does not hold; false when it counted nothing.
  bool show(const QString& run);
  // Null: there is none.
  const wire::ValueHistograms* histograms() const;
  std::int64_t step() const;
  bool showsLive() const { return m_chosen.empty() && live(); }
  const CountedRun* shown() const;  // null when it is the run that goes, or none

  // `base`: keys that a person chose for all runs. REQUIRES: idle().
  void count(nlohmann::json base, const QString& label);
  bool idle() const { return m_job.idle(); }
  static QString command();  // as one types it

  // Any thread.
  static std::vector<CountedRun> find(const std::filesystem::path& home, std::size_t most = kMost);
  static std::optional<CountedRun> read(const std::filesystem::path& folder, const std::string& id);

 Q_SIGNALS:
  void changed();     // what is shown, or which runs there are
  void jobChanged();  // idle()

 private:
  const CountedRun* known(const std::string& id) const;

  std::filesystem::path m_home;
  RunDesk& m_desk;
  HealthWatch m_watch;
  JobWatch m_job;
  std::vector<CountedRun> m_runs;
  std::string m_chosen;
  bool m_loaded = false, m_looking = false, m_again = false;
};

}  // namespace atelier::app
