// What the Runs page does with the chosen runs, but for files: runs made anew, raced, explained, replayed, marked, deleted.
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QHeaderView>
#include <QUrl>

#include <algorithm>

#include "app/models/run_desk.h"
#include "app/models/words.h"
#include "filter_bar.h"
#include "fork_dialog.h"
#include "notice_bar.h"
#include "replay_panel.h"
#include "run_details.h"
#include "runs_page.h"
#include "runs_table_view.h"
#include "script_dialog.h"

namespace atelier::app {

namespace {

// Not exec(): a run that goes, and everything else, stays within reach.
void openFork(const Desktop& desktop, const nlohmann::json& spec, const QString& from, QWidget* parent) {
  auto* dialog = new ForkDialog(desktop, spec, from, parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace

void RunsPage::newRun() {
  openFork(m_desktop, nlohmann::json::object(), QString(), this);
}

void RunsPage::fork() {
  if (const auto run = current()) openFork(m_desktop, run->spec, m_texts.name(*run), this);
}

void RunsPage::runAgain() {
  for (const auto& run : chosen()) {
    Job job;
    job.command.verb = "run";
    job.command.spec = run->spec;
    job.label = m_desktop.words.text(wire::Message{"experiments.job.again", {{"run", m_texts.label(*run).toStdString()}}});
    job.origin = QStringLiteral("experiments");
    m_desktop.desk.submit(std::move(job));
  }
}

void RunsPage::race() {
  RaceRequest request;
  for (const auto& run : chosen()) request.specs.push_back(run->spec);
  if (request.specs.empty() || request.specs.size() > kMostRaced) return;
  if (request.specs.size() == 1) request.specs.push_back(request.specs.front());
  Q_EMIT raceAsked(request);
}

void RunsPage::script() {
  if (const auto run = current()) ScriptDialog::show(m_desktop, run->spec, this);
}

void RunsPage::replay() {
  if (const auto run = current()) ReplayPanel::open(m_desktop, QString::fromStdString(run->id), this);
}

void RunsPage::showProfile() {
  if (const auto run = current()) Q_EMIT profileAsked(QString::fromStdString(run->id));
}

// All pinned: none is any more; else all are.
void RunsPage::pin() {
  const auto runs = chosen();
  const bool pinned = std::all_of(runs.begin(), runs.end(), [](const RunPtr& run) { return run->labels.pinned; });
  for (const auto& run : runs) {
    auto labels = run->labels;
    labels.pinned = !pinned;
    m_library.label(run->id, labels);
  }
}

void RunsPage::copyIds() {
  QApplication::clipboard()->setText(m_table->chosen().join(QLatin1Char('\n')));
}

void RunsPage::openFolder() {
  const auto run = current();
  if (!run) return;
  const auto folder = QString::fromStdString(run->folder.string());
  if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
    m_notice->say({{"experiments.no_folder", {{"folder", folder.toStdString()}}}});
}

void RunsPage::remove() {
  std::vector<std::string> ids;
  for (const auto& run : chosen()) ids.push_back(run->id);
  if (!ids.empty()) m_library.remove(ids);
}

void RunsPage::undo() {
  m_library.undo().undo();
}

void RunsPage::redo() {
  m_library.undo().redo();
}

void RunsPage::rename() {
  m_details->takeNotesFocus();
}

void RunsPage::findRuns() {
  m_filter->takeFocus();
}

void RunsPage::lookAgain() {
  m_library.refresh();
}

void RunsPage::columns() {
  m_table->showColumnsMenu(m_table->mapToGlobal(QPoint(0, m_table->horizontalHeader()->height())));
}

}  // namespace atelier::app
