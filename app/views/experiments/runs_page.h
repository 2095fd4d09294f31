// RunsPage: every run ever made: a table with a filter, the chosen runs' curves, figures, differences and notes beside it, and
// the queue below. It wires models to widgets and turns commands into jobs, files and dialogs; it measures and stores nothing
// itself. The runs are read when the page is first shown. GUI thread.
#pragma once

#include <QHash>
#include <QWidget>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/models/desk_watch.h"
#include "app/models/run_library.h"
#include "app/models/run_overlay.h"
#include "app/models/run_texts.h"
#include "app/models/runs_list_model.h"
#include "app/shell/view.h"

class QAction;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace atelier::app {

class EmptyState;
class FilterBar;
class NoticeBar;
class QueueStrip;
class RunDetails;
class RunsTableView;

// What is to be raced: two to four specs, a's first. A type of its own, because Qt would look into a plain list of JSON for
// operators that JSON only seems to have.
struct RaceRequest {
  std::vector<nlohmann::json> specs;
};

class RunsPage : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kBesideAbove = 1000;  // pixels of the look: below, the details stand under the table
  static constexpr std::size_t kMostRaced = 4;

  explicit RunsPage(const Desktop& desktop, QWidget* parent = nullptr);
  ~RunsPage() override;

  RunLibrary& library() { return m_library; }
  RunOverlay& overlay() { return m_overlay; }
  RunsListModel& list() { return m_list; }
  RunsTableView& table() { return *m_table; }
  RunDetails& details() { return *m_details; }
  FilterBar& filter() { return *m_filter; }
  NoticeBar& notice() { return *m_notice; }
  QAction* action(const char* id) const { return m_actions.value(QString::fromLatin1(id)); }
  // Chooses that run alone, once it is in the list; a filter that hides it goes.
  void showRun(const QString& id);
  // Also when the page is not shown.
  void importFiles(const QStringList& files);
  // Writes the chosen runs, or all that are listed when none is: .csv, .md, .json or .atelier, by the file's ending.
  void exportTo(const QString& file);

 Q_SIGNALS:
  void raceAsked(const atelier::app::RaceRequest& request);
  void profileAsked(const QString& run);  // its profile is to be shown

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void build();
  QWidget* buildTable();
  void buildCommands();
  void buildActions();
  void buildRunActions();
  void buildFileActions();
  void connectModels();
  void connectLive();

  QAction* act(const char* id, const QList<QKeySequence>& keys, void (RunsPage::*command)(), QWidget* owner = nullptr);
  std::vector<RunPtr> chosen() const;
  RunPtr current() const;
  void takeList();  // the library's runs, anew
  void chooseCurves();
  void follow();  // a run that this view measured is chosen when it is recorded
  void showState();
  void showActions();
  void showMenu(const QPoint& at);
  void retext();
  void restyle();
  void arrange();
  void takeSchema();

  // Commands.
  void newRun();
  void fork();
  void runAgain();
  void race();
  void script();
  void replay();
  void showProfile();
  void pin();
  void copyIds();
  void openFolder();
  void remove();
  void undo();
  void redo();
  void rename();
  void findRuns();
  void lookAgain();
  void columns();
  void report();
  void exportRuns();
  void importRuns();
  void savePlots();
  void saveTable();
  void moveUp();
  void moveDown();
  void unqueue();

  void writeReport(const QStringList& ids, const QString& file);
  void exportText(const QString& file, const std::vector<RunPtr>& runs);
  void exportArchive(const QString& file, const std::vector<RunPtr>& runs);
  void writeText(const QString& file, const std::string& text);
  QString askFile(const char* title, const QString& proposal, const QString& filters);
  void told(const QString& file, const wire::Status& status);

  const Desktop& m_desktop;
  RunTexts m_texts;
  RunLibrary m_library;
  RunsListModel m_list;
  RunOverlay m_overlay;
  DeskWatch m_watch;
  QTimer m_choosing;
  QStringList m_follow;
  bool m_ours = false;  // the job that goes is a run that this view asked for
  QHash<QString, QAction*> m_actions;
  FilterBar* m_filter = nullptr;
  NoticeBar* m_notice = nullptr;
  RunsTableView* m_table = nullptr;
  RunDetails* m_details = nullptr;
  QueueStrip* m_queue = nullptr;
  QSplitter* m_splitter = nullptr;
  QHBoxLayout* m_commands = nullptr;
  QStackedWidget* m_pages = nullptr;
  EmptyState* m_empty = nullptr;
  QWidget* m_full = nullptr;
  QPushButton *m_first = nullptr, *m_fork = nullptr;
  QToolButton* m_more = nullptr;
};

}  // namespace atelier::app
