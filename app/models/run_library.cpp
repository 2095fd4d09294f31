#include "run_library.h"

#include <algorithm>
#include <optional>
#include <set>

#include "recorded_series.h"
#include "run_desk.h"

namespace atelier::app {

namespace {

constexpr int kSettle = 1000, kTyping = 400;  // milliseconds
constexpr int kWatchedRuns = 16;              // that still go: their end shows in their own folders

QString pathOf(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

bool newerFirst(const RunPtr& a, const RunPtr& b) {
  return a->created_ms != b->created_ms ? a->created_ms > b->created_ms : a->id > b->id;
}

RunPtr labelled(const RunPtr& run, const registry::Labels& labels) {
  auto other = std::make_shared<registry::RunRecord>(*run);
  other->labels = labels;
  return other;
}

}  // namespace

RunLibrary::RunLibrary(std::filesystem::path home, RunDesk& desk, QObject* parent)
    : QObject(parent), m_home(std::move(home)), m_desk(desk), m_worker(std::make_unique<QObject>()) {
  m_worker->moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("registry"));
  m_thread.start();
  for (auto* timer : {&m_debounce, &m_writing}) timer->setSingleShot(true);
  connect(&m_debounce, &QTimer::timeout, this, [this] {
    if (!m_desk.busy()) refresh();
  });
  connect(&m_writing, &QTimer::timeout, this, &RunLibrary::writeLabels);
  connect(&m_desk, &RunDesk::ended, this, &RunLibrary::refresh);
  connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &RunLibrary::stale);
}

RunLibrary::~RunLibrary() {
  writeLabels();
  m_leaving = true;
  // After all that was asked for: the thread's work is done in order.
  QMetaObject::invokeMethod(
      m_worker.get(), [this] { m_thread.quit(); }, Qt::QueuedConnection);
  m_thread.wait();
}

void RunLibrary::background(Work work, std::function<void(const wire::Error&)> orElse) {
  const auto inThread = [this, work = std::move(work), orElse = std::move(orElse)] {
    Then then;
    if (!m_registry) {
      auto opened = registry::Registry::open(m_home);
      if (opened) m_registry = std::move(*opened);
      else if (orElse) then = [orElse, error = opened.error()] { orElse(error); };
      else then = [this, error = opened.error()] { tell(error.messages); };
    }
    if (m_registry) then = work(*m_registry);
    if (then) QMetaObject::invokeMethod(this, then, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker.get(), inThread, Qt::QueuedConnection);
}

void RunLibrary::tell(const std::vector<wire::Message>& messages) {
  if (!messages.empty()) Q_EMIT failed(messages);
}

// A look that is asked for while another goes is taken after it: what the first one sees may already be old.
void RunLibrary::refresh() {
  m_debounce.stop();
  if (m_loading) {
    m_again = true;
    return;
  }
  m_loading = true;
  Q_EMIT loadingChanged();
  background(
      [this](registry::Registry& registry) -> Then {
        if (m_leaving) return {};
        auto listed = std::make_shared<wire::Result<std::vector<registry::RunRecord>>>(registry.list(kMostRuns));
        return [this, listed] {
          if (*listed) take(std::move(**listed));
          else tell(listed->error().messages);
          m_loaded = true;
          m_loading = false;
          watch();
          Q_EMIT loadingChanged();
          if (std::exchange(m_again, false)) refresh();
        };
      },
      [this](const wire::Error& error) {
        m_loaded = true;
        m_loading = m_again = false;
        tell(error.messages);
        Q_EMIT loadingChanged();
      });
}

void RunLibrary::take(std::vector<registry::RunRecord> records) {
  std::vector<RunPtr> runs;
  runs.reserve(records.size());
  for (auto& record : records) {
    const auto edit = m_edits.find(record.id);
    if (edit != m_edits.end()) record.labels = edit->second.labels;
    runs.push_back(std::make_shared<const registry::RunRecord>(std::move(record)));
  }
  replace(std::move(runs));
}

void RunLibrary::replace(std::vector<RunPtr> runs) {
  auto old = std::make_shared<std::vector<RunPtr>>(std::exchange(m_runs, std::move(runs)));
  index();
  Q_EMIT changed();
  // Ten thousand records take a while to be freed: not in this thread. Whoever still shows one keeps it.
  QMetaObject::invokeMethod(
      m_worker.get(), [old] { old->clear(); }, Qt::QueuedConnection);
}

void RunLibrary::index() {
  m_places.clear();
  m_places.reserve(m_runs.size());
  for (std::size_t i = 0; i < m_runs.size(); ++i) m_places.emplace(m_runs[i]->id, i);
}

RunPtr RunLibrary::find(const std::string& id) const {
  const auto found = m_places.find(id);
  return found == m_places.end() ? nullptr : m_runs[found->second];
}

void RunLibrary::watch() {
  QStringList wanted{pathOf(m_home / "runs")};
  for (const auto& run : m_runs)
    if (run->summary.status == "running" && wanted.size() <= kWatchedRuns) wanted << pathOf(run->folder);
  QStringList gone, fresh;
  const auto watched = m_watcher.directories();
  for (const auto& folder : watched)
    if (!wanted.contains(folder)) gone << folder;
  for (const auto& folder : wanted)
    if (!watched.contains(folder)) fresh << folder;
  if (!gone.isEmpty()) m_watcher.removePaths(gone);
  // Where a folder can't be watched, the list is as old as the last look; nothing else suffers.
  if (!fresh.isEmpty()) m_watcher.addPaths(fresh);
}

void RunLibrary::stale() {
  if (!m_debounce.isActive()) m_debounce.start(kSettle);
}

void RunLibrary::label(const std::string& id, const registry::Labels& labels) {
  const auto place = m_places.find(id);
  if (place == m_places.end()) return;
  m_runs[place->second] = labelled(m_runs[place->second], labels);
  m_edits[id] = Edit{labels, ++m_version, false};
  m_writing.start(kTyping);
  Q_EMIT edited(QString::fromStdString(id));
}

void RunLibrary::writeLabels() {
  m_writing.stop();
  for (auto& [id, edit] : m_edits) {
    if (std::exchange(edit.posted, true)) continue;
    background(
        [this, id = id, edit = edit](registry::Registry& registry) -> Then {
          const auto status = registry.label(id, edit.labels);
          return [this, id, version = edit.version, status] { written(id, version, status); };
        },
        [this, id = id, version = edit.version](const wire::Error& error) { written(id, version, error); });
  }
}

void RunLibrary::written(const std::string& id, int version, const wire::Status& status) {
  const auto edit = m_edits.find(id);
  if (edit != m_edits.end() && edit->second.version == version) m_edits.erase(edit);
  if (status) return;
  tell(status.error().messages);
  refresh();
}

RunLibrary::Series RunLibrary::series(const std::string& id) {
  const auto kept = std::find_if(m_series.begin(), m_series.end(), [&](const auto& entry) { return entry.first == id; });
  if (kept != m_series.end()) {
    std::rotate(kept, kept + 1, m_series.end());
    return m_series.back().second;
  }
  const auto run = find(id);
  if (!run) return nullptr;
  if (const auto asked = m_asked.find(id); asked != m_asked.end() && !*asked->second) return nullptr;
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  m_asked[id] = cancelled;
  background([this, run, cancelled](registry::Registry& registry) -> Then {
    if (m_leaving || *cancelled) return {};
    const auto events = registry.events(run->id);
    auto curves = events ? std::make_shared<const RunSeries>(recordedSeries(*run, *events)) : nullptr;
    const auto error = events ? std::optional<wire::Error>() : std::optional(events.error());
    return [this, run, cancelled, curves, error] {
      const auto asked = m_asked.find(run->id);
      if (asked != m_asked.end() && asked->second == cancelled) m_asked.erase(asked);
      if (error) tell(error->messages);
      // A run without readable events still has its figures.
      keep(run->id, curves ? curves : std::make_shared<const RunSeries>(recordedSeries(*run, {})));
    };
  });
  return nullptr;
}

void RunLibrary::forget(const std::string& id) {
  const auto asked = m_asked.find(id);
  if (asked != m_asked.end()) *asked->second = true;
}

void RunLibrary::keep(const std::string& id, Series series) {
  std::erase_if(m_series, [&](const auto& entry) { return entry.first == id; });
  m_series.emplace_back(id, std::move(series));
  qsizetype points = 0;
  for (const auto& entry : m_series) points += pointsOf(*entry.second);
  while (m_series.size() > 1 && points > kKeptPoints) {
    points -= pointsOf(*m_series.front().second);
    m_series.erase(m_series.begin());
  }
  Q_EMIT seriesLoaded(QString::fromStdString(id));
  const auto run = find(id);
  if (run && run->summary.status != "running") return;
  std::erase_if(m_series, [&](const auto& entry) { return entry.first == id; });
}

// A deletion that was made; taken back and made again by the undo stack. Its first redo() is the one that was.
class Deletion : public QUndoCommand {
 public:
  Deletion(RunLibrary& library, std::vector<std::string> ids) : m_library(library), m_ids(std::move(ids)) {}
  void redo() override {
    if (std::exchange(m_made, false)) return;
    m_library.trash(m_ids, false);
  }
  void undo() override { m_library.restore(m_ids); }

 private:
  RunLibrary& m_library;
  std::vector<std::string> m_ids;
  bool m_made = true;
};

void RunLibrary::remove(const std::vector<std::string>& ids) {
  trash(ids, true);
}

void RunLibrary::trash(const std::vector<std::string>& ids, bool remember) {
  writeLabels();  // they go to the trash with the run
  background([this, ids, remember](registry::Registry& registry) -> Then {
    std::vector<std::string> gone;
    std::vector<wire::Message> messages;
    for (const auto& id : ids) {
      const auto status = registry.remove(id);
      if (status) gone.push_back(id);
      else messages.insert(messages.end(), status.error().messages.begin(), status.error().messages.end());
    }
    return [this, gone, messages, remember] {
      const std::set<std::string> missing(gone.begin(), gone.end());
      auto left = m_runs;
      std::erase_if(left, [&](const RunPtr& run) { return missing.contains(run->id); });
      if (!gone.empty()) {
        replace(std::move(left));
        if (remember) m_undo.push(new Deletion(*this, gone));
        Q_EMIT removed(static_cast<int>(gone.size()));
      }
      tell(messages);
    };
  });
}

void RunLibrary::restore(const std::vector<std::string>& ids) {
  background([this, ids](registry::Registry& registry) -> Then {
    std::vector<RunPtr> back;
    std::vector<wire::Message> messages;
    for (const auto& id : ids) {
      if (const auto status = registry.restore(id); !status)
        messages.insert(messages.end(), status.error().messages.begin(), status.error().messages.end());
      if (auto run = registry.find(id)) back.push_back(std::make_shared<const registry::RunRecord>(std::move(*run)));
    }
    return [this, back, messages] {
      auto all = m_runs;
      for (const auto& run : back)
        if (!find(run->id)) all.push_back(run);
      std::sort(all.begin(), all.end(), newerFirst);
      replace(std::move(all));
      tell(messages);
    };
  });
}

}  // namespace atelier::app
