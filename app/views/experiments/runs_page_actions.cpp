// The Runs page's commands as actions: their keys, the row of buttons under the table, the menu of a row, and which of them can
// be used for what is chosen.
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/models/run_desk.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/views/learn/parts.h"
#include "core/registry/run_files.h"
#include "queue_strip.h"
#include "runs_page.h"
#include "runs_table_view.h"

namespace atelier::app {

namespace {

// It has left what the Profile view opens.
bool wasProfiled(const registry::RunRecord& run) {
  std::error_code none;
  return std::filesystem::is_regular_file(run.folder / registry::kProfileFile, none);
}

}  // namespace

QAction* RunsPage::act(const char* id, const QList<QKeySequence>& keys, void (RunsPage::*command)(), QWidget* owner) {
  auto* action = makeAction(owner ? owner : this, m_desktop.words, id, keys, [this, command] { (this->*command)(); });
  m_actions.insert(QString::fromLatin1(id), action);
  return action;
}

void RunsPage::buildActions() {
  buildRunActions();
  buildFileActions();
  const auto control = Qt::CTRL | Qt::SHIFT;
  act("runs.find", {QKeySequence(QKeySequence::Find)}, &RunsPage::findRuns);
  act("runs.refresh", {QKeySequence(control | Qt::Key_R)}, &RunsPage::lookAgain);
  act("runs.columns", {}, &RunsPage::columns);
  act("queue.up", {QKeySequence(Qt::ALT | Qt::Key_Up)}, &RunsPage::moveUp, m_queue);
  act("queue.down", {QKeySequence(Qt::ALT | Qt::Key_Down)}, &RunsPage::moveDown, m_queue);
  act("queue.remove", {QKeySequence(Qt::ALT | Qt::Key_Delete)}, &RunsPage::unqueue, m_queue);
  const auto& words = m_desktop.words;
  makeAction(m_queue, words, "queue.pause", {}, [this] { m_watch.togglePause(); });
  makeAction(m_queue, words, "queue.stop", {}, [this] { m_desktop.desk.stop(); });
  makeAction(m_queue, words, "queue.hold", {}, [this] { m_desktop.desk.setHeld(!m_desktop.desk.held()); });
  makeAction(m_queue, words, "queue.clear", {}, [this] { m_desktop.desk.clear(); });
}

void RunsPage::buildRunActions() {
  const auto control = Qt::CTRL | Qt::SHIFT;
  act("runs.new", {QKeySequence(QKeySequence::New)}, &RunsPage::newRun);
  act("runs.fork", {QKeySequence(Qt::CTRL | Qt::Key_D)}, &RunsPage::fork);
  act("runs.again", {QKeySequence(Qt::CTRL | Qt::Key_R)}, &RunsPage::runAgain);
  act("runs.race", {QKeySequence(control | Qt::Key_V)}, &RunsPage::race);
  act("runs.script", {QKeySequence(control | Qt::Key_T)}, &RunsPage::script);
  act("runs.replay", {QKeySequence(control | Qt::Key_Y)}, &RunsPage::replay);
  act("runs.profile", {QKeySequence(control | Qt::Key_L)}, &RunsPage::showProfile);
  act("runs.pin", {QKeySequence(Qt::CTRL | Qt::Key_B)}, &RunsPage::pin);
  act("runs.rename", {QKeySequence(Qt::Key_F2)}, &RunsPage::rename);
  act("runs.copy_id", {QKeySequence(control | Qt::Key_C)}, &RunsPage::copyIds);
  // Only with the keyboard in the table: elsewhere the key deletes what is typed.
  auto* remove = act("runs.delete", {QKeySequence(QKeySequence::Delete)}, &RunsPage::remove, m_table);
  remove->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  act("runs.undo", {QKeySequence(QKeySequence::Undo)}, &RunsPage::undo);
  act("runs.redo", {QKeySequence(QKeySequence::Redo)}, &RunsPage::redo);
}

void RunsPage::buildFileActions() {
  const auto control = Qt::CTRL | Qt::SHIFT;
  act("runs.report", {QKeySequence(QKeySequence::Print)}, &RunsPage::report);
  act("runs.export", {QKeySequence(control | Qt::Key_E)}, &RunsPage::exportRuns);
  act("runs.import", {QKeySequence(QKeySequence::Open)}, &RunsPage::importRuns);
  act("runs.save_table", {QKeySequence(control | Qt::Key_S)}, &RunsPage::saveTable);
  act("runs.save_plots", {QKeySequence(control | Qt::Key_G)}, &RunsPage::savePlots);
  act("runs.folder", {QKeySequence(control | Qt::Key_O)}, &RunsPage::openFolder);
}

void RunsPage::buildCommands() {
  m_commands->addWidget(m_fork = makeButton("primary", this));
  connect(m_fork, &QPushButton::clicked, action("runs.fork"), &QAction::trigger);
  for (const char* id : {"runs.again", "runs.race", "runs.replay", "runs.script"}) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action(id));
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setFocusPolicy(Qt::StrongFocus);
    m_commands->addWidget(button);
  }
  m_commands->addStretch(1);
  m_commands->addWidget(m_more = new QToolButton(this));
  m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_more->setFocusPolicy(Qt::StrongFocus);
  connect(m_more, &QToolButton::clicked, this, [this] { showMenu(m_more->mapToGlobal(QPoint(0, m_more->height()))); });
}

void RunsPage::showActions() {
  const auto runs = chosen();
  const bool one = runs.size() == 1, any = !runs.empty(), listed = m_list.rowCount() > 0;
  const bool pinned = any && std::all_of(runs.begin(), runs.end(), [](const RunPtr& run) { return run->labels.pinned; });
  for (const char* id : {"runs.fork", "runs.script", "runs.replay", "runs.rename", "runs.folder"}) action(id)->setEnabled(any);
  for (const char* id : {"runs.again", "runs.pin", "runs.copy_id", "runs.delete", "runs.report"}) action(id)->setEnabled(any);
  // One run races against itself: what difference does noise alone make?
  action("runs.race")->setEnabled(any && runs.size() <= kMostRaced);
  for (const char* id : {"runs.export", "runs.save_table"}) action(id)->setEnabled(listed);
  const auto at = current();
  action("runs.profile")->setEnabled(any && at && wasProfiled(*at));
  action("runs.save_plots")->setEnabled(!m_overlay.series().isEmpty());
  action("runs.undo")->setEnabled(m_library.undo().canUndo());
  action("runs.redo")->setEnabled(m_library.undo().canRedo());
  action("runs.pin")->setText(m_desktop.words.text(pinned ? "experiments.unpin" : "action.runs.pin"));
  action("runs.race")->setText(m_desktop.words.text(one ? "experiments.race_alone" : "action.runs.race"));
  m_fork->setText(action("runs.fork")->text());
  m_fork->setEnabled(any);
}

void RunsPage::showMenu(const QPoint& at) {
  QMenu menu(this);
  for (const char* id : {"runs.new",
                         "runs.fork",
                         "runs.again",
                         "runs.race",
                         "",
                         "runs.script",
                         "runs.replay",
                         "runs.profile",
                         "runs.report",
                         "",
                         "runs.rename",
                         "runs.pin",
                         "runs.copy_id",
                         "runs.folder",
                         "",
                         "runs.export",
                         "runs.import",
                         "runs.save_table",
                         "runs.save_plots",
                         "",
                         "runs.columns",
                         "runs.refresh",
                         "",
                         "runs.delete",
                         "runs.undo"}) {
    if (*id) menu.addAction(action(id));
    else menu.addSeparator();
  }
  menu.exec(at);
}

void RunsPage::moveUp() {
  m_queue->moveChosen(-1);
}

void RunsPage::moveDown() {
  m_queue->moveChosen(1);
}

void RunsPage::unqueue() {
  m_queue->removeChosen();
}

}  // namespace atelier::app
