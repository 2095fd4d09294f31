#include "runs_page.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "filter_bar.h"
#include "notice_bar.h"
#include "queue_strip.h"
#include "run_details.h"
#include "runs_table_view.h"

namespace atelier::app {

namespace {

constexpr int kChoosing = 30;  // milliseconds: a drag over many rows is one choice
const auto kSplit = QStringLiteral("experiments/split");

QStringList archivesIn(const QMimeData* data) {
  QStringList files;
  if (!data) return files;
  const auto urls = data->urls();
  for (const auto& url : urls)
    if (url.isLocalFile() && url.toLocalFile().endsWith(QLatin1String(".atelier"), Qt::CaseInsensitive))
      files << url.toLocalFile();
  return files;
}

}  // namespace

RunsPage::RunsPage(const Desktop& desktop, QWidget* parent)
    : QWidget(parent),
      m_desktop(desktop),
      m_texts(desktop.words),
      m_library(desktop.home, desktop.desk),
      m_list(desktop.theme, m_texts),
      m_overlay(m_library, m_texts),
      m_watch(desktop.desk) {
  setProperty("role", "plain");
  setAcceptDrops(true);
  m_texts.setSchema(desktop.learn.schema());
  build();
  buildActions();
  buildCommands();
  connectModels();
  connectLive();
  restyle();
  retext();
  showState();
  showActions();
}

// What shows goes before what it shows; and nobody calls back into what is half gone.
RunsPage::~RunsPage() {
  m_library.undo().disconnect(this);
  for (QObject* sender : {static_cast<QObject*>(&m_library), static_cast<QObject*>(&m_overlay), static_cast<QObject*>(&m_watch),
                          static_cast<QObject*>(&m_desktop.desk)})
    sender->disconnect(this);
  delete m_splitter;
  delete m_queue;
}

void RunsPage::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(m_notice = new NoticeBar(m_desktop.theme, m_desktop.words, this));
  column->addWidget(m_splitter = new QSplitter(this), 1);
  m_splitter->addWidget(buildTable());
  m_splitter->addWidget(m_details = new RunDetails(m_desktop, m_library, m_overlay, m_texts, m_splitter));
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setStretchFactor(0, 5);
  m_splitter->setStretchFactor(1, 4);
  column->addWidget(m_queue = new QueueStrip(m_desktop, m_watch, this));
  connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_desktop.settings.set(kSplit, m_splitter->saveState()); });
  m_splitter->restoreState(m_desktop.settings.value(kSplit).toByteArray());
}

QWidget* RunsPage::buildTable() {
  auto* panel = makePanel("panel", this);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  column->addWidget(m_filter = new FilterBar(m_desktop, panel));
  column->addWidget(m_pages = new QStackedWidget(panel), 1);
  m_pages->addWidget(m_table = new RunsTableView(m_desktop, m_list, m_texts, m_pages));
  m_pages->addWidget(m_empty = new EmptyState(m_desktop.theme, m_pages));
  m_empty->addBelow(m_first = makeButton("", m_empty));
  column->addLayout(m_commands = new QHBoxLayout);
  m_commands->setSpacing(8);
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QWidget::customContextMenuRequested, this,
          [this](const QPoint& at) { showMenu(m_table->viewport()->mapToGlobal(at)); });
  connect(m_table, &QTableView::doubleClicked, this, &RunsPage::fork);
  return panel;
}

void RunsPage::connectModels() {
  m_choosing.setSingleShot(true);
  m_choosing.setInterval(kChoosing);
  connect(&m_choosing, &QTimer::timeout, this, &RunsPage::chooseCurves);
  connect(m_table, &RunsTableView::chosenChanged, this, [this] {
    m_choosing.start();
    showActions();
  });
  // The notes follow the keyboard.
  connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, &m_choosing, qOverload<>(&QTimer::start));
  connect(m_filter, &FilterBar::queryChanged, this, [this](const registry::Query& query) {
    m_list.setQuery(query);
    showState();
  });
  connect(m_first, &QPushButton::clicked, this, [this] {
    if (m_list.total() > 0) m_filter->setText(QString());
    else newRun();
  });
  connect(&m_library, &RunLibrary::changed, this, &RunsPage::takeList);
  connect(&m_library, &RunLibrary::loadingChanged, this, &RunsPage::showState);
  connect(&m_library, &RunLibrary::edited, this, [this](const QString& id) {
    if (const auto run = m_library.find(id.toStdString())) m_list.replace(run);
    m_overlay.rename();
    showActions();
  });
  connect(&m_library, &RunLibrary::failed, this,
          [this](const std::vector<wire::Message>& messages) { m_notice->say(messages); });
  connect(&m_library, &RunLibrary::removed, this, [this](int count) {
    m_notice->say({{"experiments.removed", {{"count", m_desktop.words.format().integer(count)}}}}, "experiments.undo",
                  [this] { undo(); });
  });
  connect(&m_library.undo(), &QUndoStack::indexChanged, this, &RunsPage::showActions);
  connect(&m_overlay, &RunOverlay::changed, this, [this] {
    m_list.setOrders(m_overlay.orders());
    m_details->showRuns(current());
  });
  connect(m_details, &RunDetails::saveFailed, this, [this](const QString& file) {
    m_notice->say({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
  });
  connect(&m_desktop.learn, &LearnModel::changed, this, &RunsPage::takeSchema);
  connect(&m_desktop.words, &Words::changed, this, &RunsPage::retext);
  connect(&m_desktop.theme, &Theme::changed, this, &RunsPage::restyle);
}

// A plain run that this view asked for is drawn while it goes, and is chosen when it has been recorded.
void RunsPage::connectLive() {
  const auto ours = [](const RunDesk::Entry* entry) {
    return entry && entry->job.origin == QLatin1String("experiments") && entry->job.command.verb == "run";
  };
  connect(&m_desktop.desk, &RunDesk::started, this, [this, ours] {
    m_ours = ours(m_desktop.desk.current());
    if (m_ours) m_overlay.startLive(m_desktop.desk.current()->job.label);
  });
  connect(&m_desktop.desk, &RunDesk::event, this, [this](int, const wire::RunEvent& event) {
    if (m_ours) m_overlay.takeLive(event);
  });
  connect(&m_watch, &DeskWatch::tick, this, [this] {
    if (m_overlay.live() && isVisible()) m_details->tick();
  });
  connect(&m_watch, &DeskWatch::ended, this, [this] {
    if (!std::exchange(m_ours, false)) return;
    m_follow = m_watch.runs();
    m_overlay.endLive();
    if (m_watch.failure().empty()) return;
    std::vector<wire::Message> said{{"experiments.failed", {{"job", m_watch.label().toStdString()}}}};
    said.insert(said.end(), m_watch.failure().begin(), m_watch.failure().end());
    m_notice->say(std::move(said));
  });
}

void RunsPage::takeList() {
  m_list.setRuns(m_library.runs());
  follow();
  showState();
  showActions();
}

void RunsPage::follow() {
  QStringList there;
  for (const auto& id : std::as_const(m_follow))
    if (m_list.rowOf(id) >= 0) there << id;
  if (there.isEmpty()) return;
  m_follow.clear();
  auto ids = m_table->chosen();
  for (const auto& id : there)
    if (!ids.contains(id)) ids << id;
  m_table->choose(ids);
  m_table->scrollTo(m_table->currentIndex());
}

void RunsPage::showRun(const QString& id) {
  if (m_list.rowOf(id) < 0 && !m_filter->text().isEmpty()) m_filter->setText(QString());
  if (m_list.rowOf(id) < 0) {
    m_table->choose({});
    m_follow = QStringList{id};
    return m_library.refresh();
  }
  m_table->choose({id});
  m_table->scrollTo(m_table->currentIndex());
}

std::vector<RunPtr> RunsPage::chosen() const {
  std::vector<RunPtr> runs;
  for (const auto& id : m_table->chosen())
    if (auto run = m_library.find(id.toStdString())) runs.push_back(std::move(run));
  return runs;
}

RunPtr RunsPage::current() const {
  return m_library.find(m_table->current().toStdString());
}

void RunsPage::chooseCurves() {
  auto runs = chosen();
  if (runs != m_overlay.runs() || m_overlay.dropped() > 0) m_overlay.choose(std::move(runs));
  else m_details->showRuns(current());
}

void RunsPage::takeSchema() {
  const auto& schema = m_desktop.learn.schema();
  if (schema.options().size() == m_texts.keys().size()) return;
  m_texts.setSchema(schema);
  m_filter->setKeys(m_texts.keys());
  m_list.retext();
}

void RunsPage::showState() {
  const auto& words = m_desktop.words;
  m_filter->setCounts(m_list.rowCount(), m_list.total());
  const bool none = m_list.rowCount() == 0;
  m_pages->setCurrentWidget(none ? static_cast<QWidget*>(m_empty) : m_table);
  if (!none) return;
  const std::string state = !m_library.loaded() ? "reading" : m_list.total() == 0 ? "none" : "no_match";
  m_empty->setTexts(words.text("experiments.empty." + state), words.text("experiments.empty." + state + ".help"));
  m_first->setVisible(state != "reading");
  m_first->setText(words.text(state == "none" ? "experiments.empty.none.do" : "experiments.filter.clear"));
}

void RunsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  arrange();
  if (!m_library.loaded() && !m_library.loading()) m_library.refresh();
}

void RunsPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void RunsPage::arrange() {
  const auto direction = width() < m_desktop.theme.px(kBesideAbove) ? Qt::Vertical : Qt::Horizontal;
  if (m_splitter->orientation() != direction) m_splitter->setOrientation(direction);
}

void RunsPage::dragEnterEvent(QDragEnterEvent* event) {
  if (!archivesIn(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void RunsPage::dropEvent(QDropEvent* event) {
  const auto files = archivesIn(event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  importFiles(files);
}

void RunsPage::retext() {
  m_list.retext();
  m_overlay.rename();
  name(m_table, m_desktop.words.text("experiments.table.name"));
  m_more->setText(m_desktop.words.text("experiments.more"));
  m_filter->setKeys(m_texts.keys());
  showState();
  showActions();
}

void RunsPage::restyle() {
  const auto& theme = m_desktop.theme;
  m_more->setIcon(theme.icon(QStringLiteral("chevron-down"), theme.tokens().soft));
  m_list.retext();
  arrange();
}

}  // namespace atelier::app
