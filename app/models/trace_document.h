// TraceDocument: one opened trace with all that is said of it: its report, its findings, the health of the run that left it.
// A run's folder (trace.json.gz and profile.json) or any trace file is read in a thread of its own; what was opened is
// immutable and shared, so that whoever draws it keeps it while another is opened. GUI thread, but for load().
#pragma once

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/trace/diagnosis.h"
#include "core/trace/flame.h"
#include "core/trace/report.h"
#include "core/trace/trace.h"
#include "core/wire/health.h"
#include "core/wire/result.h"
#include "timeline_layout.h"
#include "timeline_links.h"

namespace atelier::app {

class TraceDocument : public QObject {
  Q_OBJECT
 public:
  // Large: shared, never copied.
  struct Content {
    explicit Content(trace::Trace made);
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;

    std::filesystem::path folder{};  // of the run; "": a trace from elsewhere
    std::filesystem::path file{};    // that was read; "": none
    trace::Trace trace;
    trace::Report report{};
    std::vector<trace::Finding> findings{};          // their events are in the trace
    wire::Health health{};                           // step −1: not looked at
    nlohmann::json spec = nlohmann::json::object();  // keys of the RunSpec; empty: not known
    std::vector<wire::Message> notices{};            // to be said wherever the trace is shown
    TimelineLayout timeline;
    TimelineLinks links;
    trace::Flame flame{};          // of the main track, over the steps
    std::int32_t flameTrack = -1;  // in trace.tracks; −1: the trace is empty
  };
  using ContentPtr = std::shared_ptr<const Content>;
  // Share done, 0 … 1; false: give up.
  using Progress = std::function<bool(double)>;

  explicit TraceDocument(QObject* parent = nullptr);
  ~TraceDocument() override;

  // A run's folder, or a trace file. What is opened now stays until the other is there. Another call, or cancel(), ends it.
  void open(const std::filesystem::path& where);
  void cancel();
  bool loading() const { return m_job != nullptr; }
  const std::filesystem::path& where() const { return m_where; }  // that is being opened, or was last
  ContentPtr content() const { return m_content; }                // nullptr: nothing was opened yet

  // Any thread. Fails with what readChromeTrace fails with (trace.cancelled when `progress` gave up).
  static wire::Result<ContentPtr> load(const std::filesystem::path& where, const Progress& progress = {});
  // Of a trace that is at hand, finish()ed: analysed and diagnosed here. Any thread.
  static ContentPtr contentOf(trace::Trace trace, const trace::Peaks& peaks = {});

 Q_SIGNALS:
  void loadingChanged();
  void progressed(double share);  // 0 … 1, while loading
  void opened();                  // content() is another
  void failed(const wire::Error& error);

 private:
  struct Job;
  void take(const std::shared_ptr<Job>& job, wire::Result<ContentPtr> loaded);
  void endJob();

  std::shared_ptr<Job> m_job;
  std::filesystem::path m_where;
  ContentPtr m_content;
  QTimer m_timer;
};

}  // namespace atelier::app
