// ProfileView: what a profiler saw of a run, and what to do about it: the diagnosis with its plan, the timeline, tables,
// memory, the roofline, the model's health, the difference from another trace. It profiles runs, opens recorded ones and
// trace files (chosen, dropped, named on the command line), and exports what is open. GUI thread.
#pragma once

#include <QHash>
#include <QString>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "app/models/job_watch.h"
#include "app/models/plan_model.h"
#include "app/models/profile_export.h"
#include "app/models/profiled_runs.h"
#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "app/shell/view.h"

class QAction;
class QHBoxLayout;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace atelier::app {

class ComparePage;
class DiagnosisPage;
class EmptyState;
class HealthPage;
class JobBar;
class MemoryPage;
class NoticeBar;
class OperatorsPage;
class ProfilePage;
class RooflinePage;
class SegmentSwitch;
class TimelinePage;

class ProfileView : public View {
  Q_OBJECT
 public:
  enum Page { Diagnosis, Timeline, Operators, Memory, Roofline, Health, Compare };
  static constexpr int kPages = 7;
  // How files and folders are asked for: the desktop's dialogs, unless a test answers.
  struct Choosers {
    std::function<QString(const QString& title, const QString& proposal, const QString& filters)> save;
    std::function<QString(const QString& title, const QString& filters)> open;
    std::function<QString(const QString& title)> folder;
  };

  explicit ProfileView(const Desktop& desktop, QWidget* parent = nullptr);
  ~ProfileView() override;

  void setPage(Page page);
  Page page() const;
  void page(int direction) override;  // a presenter's next and previous: from page to page
  void shown() override;
  bool showPage(const std::string& name) override;  // diagnosis, timeline, operators, memory, roofline, health, compare
  // A recorded run with a profile, or a trace file or a run's folder by its path; false, and told, when it is none.
  bool showRun(const QString& runOrFile) override;

  void open(const std::filesystem::path& where);
  void profile(Job job);  // waits for its turn, and is opened when it is done
  void breakIt(const QString& fault);
  // By the file's ending, .svg or any raster format, the pictures of the page in front. Told in the view.
  void savePictures(const QString& file);
  void exportTo(ProfileExport what, const QString& where);  // told when it is done
  void setChoosers(Choosers choosers) { m_ask = std::move(choosers); }

  TraceDocument& document() { return m_document; }
  TraceSelection& selection() { return m_selection; }
  PlanModel& plan() { return m_plan; }
  ProfiledRuns& recent() { return m_recent; }
  JobWatch& job() { return m_job; }
  NoticeBar& notice() { return *m_notice; }
  QAction* action(const char* id) const { return m_actions.value(QString::fromLatin1(id)); }
  DiagnosisPage& diagnosis() { return *m_diagnosis; }
  TimelinePage& timeline() { return *m_timeline; }
  OperatorsPage& operators() { return *m_operators; }
  MemoryPage& memory() { return *m_memory; }
  RooflinePage& roofline() { return *m_roofline; }
  HealthPage& health() { return *m_health; }
  ComparePage& compare() { return *m_compare; }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildHead(QVBoxLayout& column);
  void buildPages(QVBoxLayout& column);
  void buildEmpty();
  void buildActions();
  void buildExports();
  void connectDocument();
  void connectJob();
  QAction* act(const char* id, const QList<QKeySequence>& keys, std::function<void()> command);

  void takeContent();
  void showState();
  void showNotices();
  void showSelected();
  void retext();
  void restyle();
  QString title() const;

  void askRun();
  void takeJob(const wire::RunEvent& event);
  void endJob();
  nlohmann::json startSpec() const;

  void fillRecent();
  void askOpen(const std::function<void(const std::filesystem::path&)>& take);
  void askExport(ProfileExport what);
  void askPictures();
  void told(const QString& file, const wire::Status& status);

  const Desktop& m_desktop;
  TraceDocument m_document;
  TraceSelection m_selection;
  PlanModel m_plan;
  ProfiledRuns m_recent;
  JobWatch m_job;
  std::string m_runId;                   // of the job that goes, or went last
  std::vector<wire::Message> m_failure;  // its
  std::vector<wire::Message> m_notices;  // to be said with its profile
  Choosers m_ask;
  QHash<QString, QAction*> m_actions;

  QLabel *m_title = nullptr, *m_reading = nullptr;
  QPushButton *m_run = nullptr, *m_openButton = nullptr, *m_cancel = nullptr, *m_firstRun = nullptr, *m_firstOpen = nullptr;
  QToolButton *m_recentButton = nullptr, *m_export = nullptr;
  QMenu *m_recentMenu = nullptr, *m_exportMenu = nullptr;
  QProgressBar* m_progress = nullptr;
  QWidget* m_loading = nullptr;
  JobBar* m_jobBar = nullptr;
  NoticeBar* m_notice = nullptr;
  SegmentSwitch* m_switch = nullptr;
  QStackedWidget *m_stack = nullptr, *m_pages = nullptr;
  EmptyState* m_empty = nullptr;
  std::array<ProfilePage*, kPages> m_all{};
  DiagnosisPage* m_diagnosis = nullptr;
  TimelinePage* m_timeline = nullptr;
  OperatorsPage* m_operators = nullptr;
  MemoryPage* m_memory = nullptr;
  RooflinePage* m_roofline = nullptr;
  HealthPage* m_health = nullptr;
  ComparePage* m_compare = nullptr;
};

}  // namespace atelier::app
