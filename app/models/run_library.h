// RunLibrary: the runs of one home, for the window. All that touches the disk is done by one thread that holds the registry, in
// the order in which it was asked for; the window is told through signals and never waits. It looks again when a job of the
// desk ends, when it is asked to, and when the runs' folder changes, though not while this window measures. Invariants: runs()
// is what the registry told last, newest first, with the labels that are still being written; a RunPtr never changes, an edited
// run is another one. Labels that were asked for are written before the destructor returns. GUI thread.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <QUndoStack>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/registry/registry.h"
#include "run_series.h"

namespace atelier::app {

class RunDesk;

using RunPtr = std::shared_ptr<const registry::RunRecord>;

class RunLibrary : public QObject {
  Q_OBJECT
 public:
  using Series = std::shared_ptr<const RunSeries>;
  // Work is done in the registry's thread; what it returns is called in the GUI thread, unless this object is gone by then.
  using Then = std::function<void()>;
  using Work = std::function<Then(registry::Registry& registry)>;

  static constexpr int kMostRuns = 200'000;
  static constexpr qsizetype kKeptPoints = 6'000'000;  // of curves at hand: some 100 MB

  RunLibrary(std::filesystem::path home, RunDesk& desk, QObject* parent = nullptr);
  ~RunLibrary() override;

  void refresh();
  bool loaded() const { return m_loaded; }  // the first answer is there, be it an error
  bool loading() const { return m_loading; }
  const std::vector<RunPtr>& runs() const { return m_runs; }
  RunPtr find(const std::string& id) const;  // null when there is none
  const std::filesystem::path& home() const { return m_home; }

  // Shown at once, written a moment later.
  void label(const std::string& id, const registry::Labels& labels);
  // To the trash; undo() takes them back. A run that goes on stays, and failed() says so.
  void remove(const std::vector<std::string>& ids);
  QUndoStack& undo() { return m_undo; }

  // The curves of a run; null while they are read, seriesLoaded() tells. A run that still goes is read anew each time.
  Series series(const std::string& id);
  // Its curves are not wanted any more: what was not begun is not read.
  void forget(const std::string& id);

  // Any other work on the registry; orElse in the GUI thread when it can't be opened (default: failed() tells).
  void background(Work work, std::function<void(const wire::Error&)> orElse = {});

 Q_SIGNALS:
  void changed();                  // the set of runs
  void edited(const QString& id);  // labels of one
  void loadingChanged();           // a list is being read, or was
  void seriesLoaded(const QString& id);
  void removed(int count);
  void failed(const std::vector<atelier::wire::Message>& messages);

 private:
  friend class Deletion;
  struct Edit {
    registry::Labels labels;
    int version = 0;
    bool posted = false;
  };
  using Flag = std::shared_ptr<std::atomic<bool>>;

  void take(std::vector<registry::RunRecord> records);
  void replace(std::vector<RunPtr> runs);
  void index();
  void watch();
  void stale();
  void writeLabels();
  void written(const std::string& id, int version, const wire::Status& status);
  void trash(const std::vector<std::string>& ids, bool remember);
  void restore(const std::vector<std::string>& ids);
  void keep(const std::string& id, Series series);
  void tell(const std::vector<wire::Message>& messages);

  std::filesystem::path m_home;
  RunDesk& m_desk;
  std::vector<RunPtr> m_runs;
  std::unordered_map<std::string, std::size_t> m_places;
  std::map<std::string, Edit> m_edits;                   // not known to be on the disk
  std::map<std::string, Flag> m_asked;                   // curves being read: true when they are not wanted any more
  std::vector<std::pair<std::string, Series>> m_series;  // the last used at the end
  QUndoStack m_undo;
  QFileSystemWatcher m_watcher;
  QTimer m_debounce, m_writing;
  int m_version = 0;
  bool m_loaded = false, m_loading = false, m_again = false;

  // The registry's thread.
  QThread m_thread;
  std::unique_ptr<QObject> m_worker;               // lives there
  std::unique_ptr<registry::Registry> m_registry;  // used there only
  std::atomic<bool> m_leaving = false;
};

}  // namespace atelier::app
