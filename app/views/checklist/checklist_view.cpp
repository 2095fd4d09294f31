#include "checklist_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/theme.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kRow = 40, kBesideAbove = 1000;

}  // namespace

ChecklistView::ChecklistView(const Desktop& desktop, QWidget* parent)
    : View(parent),
      m_desktop(desktop),
      m_book(desktop.home, desktop.desk),
      m_race(desktop.desk, desktop.home),
      m_table(desktop.theme) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  m_askFile = [this](const QString& title, const QString& proposal) {
    return QFileDialog::getSaveFileName(this, title, proposal);
  };
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(m_full = makePanel("plain", this));
  auto* column = new QVBoxLayout(m_full);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  buildHead(*column);
  buildBody(*column);
  buildActions();
  connectModels();
  takeSchema();
  restyle();
  retext();
  choose(0);
}

void ChecklistView::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_title = makeLabel("h1", m_full));
  row->addWidget(m_intro = makeLabel("soft", m_full), 1);
  row->addWidget(m_refresh = makeButton("", m_full));
  row->addWidget(m_export = makeButton("", m_full));
  m_title->setWordWrap(false);
  column.addLayout(row);
  column.addWidget(m_notice = new NoticeBar(m_desktop.theme, m_desktop.words, m_full));
  column.addWidget(m_summary = makeLabel("h2", m_full));
}

void ChecklistView::buildBody(QVBoxLayout& column) {
  m_body = new QSplitter(Qt::Horizontal, m_full);
  m_body->setChildrenCollapsible(false);
  auto* left = makePanel("panel", m_body);
  auto* leftColumn = new QVBoxLayout(left);
  leftColumn->setContentsMargins(8, 8, 8, 8);
  leftColumn->addWidget(m_list = new QTableView(left));
  auto* right = makePanel("panel", m_body);
  auto* rightColumn = new QVBoxLayout(right);
  rightColumn->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(right);
  auto* inner = makePanel("plain");
  auto* row = new QHBoxLayout(inner);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_panel = new ChecklistPanel(m_desktop, m_race.job(), inner), 1);
  row->addStretch(0);
  scroll->setWidget(inner);
  makeQuiet(*scroll);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  rightColumn->addWidget(scroll);
  m_body->setSizes({1550, 900});  // shares; what the reader chooses is remembered
  column.addWidget(m_body, 1);
  m_list->setModel(&m_table);
  makeQuiet(*m_list);
  m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_list->setSelectionMode(QAbstractItemView::SingleSelection);
  m_list->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_list->horizontalHeader()->setStretchLastSection(true);
  LayoutKeeper::keep(m_desktop.settings, m_body, QStringLiteral("checklist/splitter"));
}

void ChecklistView::buildActions() {
  const auto& words = m_desktop.words;
  const auto control = Qt::CTRL | Qt::SHIFT;
  makeAction(this, words, "checklist.race", {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { startRace(); });
  makeAction(this, words, "checklist.fork", {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { fork(); });
  makeAction(this, words, "checklist.lab", {QKeySequence(control | Qt::Key_L)}, [this] { openLab(); });
  makeAction(this, words, "checklist.evidence", {QKeySequence(Qt::CTRL | Qt::Key_E)}, [this] { showEvidence(); });
  makeAction(this, words, "checklist.refresh", {QKeySequence(control | Qt::Key_R)}, [this] { m_book.refresh(); });
  auto* menu = new QMenu(m_export);
  menu->addActions({makeAction(this, words, "checklist.markdown", {QKeySequence(control | Qt::Key_E)},
                               [this] { askAndExport(Form::Markdown); }),
                    makeAction(this, words, "checklist.csv", {}, [this] { askAndExport(Form::Csv); }),
                    makeAction(this, words, "checklist.image", {}, [this] { copyImage(); })});
  m_export->setMenu(menu);
  connect(&m_panel->raceButton(), &QPushButton::clicked, this, &ChecklistView::startRace);
  connect(&m_panel->forkButton(), &QPushButton::clicked, this, &ChecklistView::fork);
  connect(&m_panel->labButton(), &QPushButton::clicked, this, &ChecklistView::openLab);
  connect(&m_panel->evidenceButton(), &QPushButton::clicked, this, &ChecklistView::showEvidence);
  connect(&m_panel->profileButton(), &QPushButton::clicked, this, &ChecklistView::openProfiler);
  connect(m_refresh, &QPushButton::clicked, &m_book, &ChecklistBook::refresh);
}

void ChecklistView::connectModels() {
  connect(&m_book, &ChecklistBook::changed, this, &ChecklistView::refresh);
  connect(&m_race, &RaceModel::changed, this, &ChecklistView::showItem);
  connect(&m_race.job(), &JobWatch::ended, this, [this] {
    if (const auto& failure = m_race.failure()) m_notice->say(failure->messages);
  });
  connect(&m_desktop.learn, &LearnModel::changed, this, &ChecklistView::takeSchema);
  connect(&m_desktop.words, &Words::changed, this, &ChecklistView::retext);
  connect(&m_desktop.theme, &Theme::changed, this, &ChecklistView::restyle);
  connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ChecklistView::showItem);
}

void ChecklistView::shown() {
  m_book.refresh();
}

ChecklistTexts ChecklistView::texts() const {
  return {m_desktop.words, m_desktop.learn.schema(), m_book};
}

const lab::ChecklistEntry* ChecklistView::current() const {
  const auto& entries = m_book.list().entries;
  const int row = m_list->currentIndex().row();
  return row >= 0 && row < static_cast<int>(entries.size()) ? &entries[static_cast<std::size_t>(row)] : nullptr;
}

void ChecklistView::choose(int row) {
  m_list->setCurrentIndex(m_table.index(row, 0));
}

QString ChecklistView::summary() const {
  return m_summary->text();
}

// The schema may come late, and tells nobody but the model of the labs.
void ChecklistView::takeSchema() {
  m_book.setSchema(m_desktop.learn.schema());
  showItem();
}

void ChecklistView::refresh() {
  // The reader's place outlives a new reading of the runs.
  const int row = std::max(0, m_list->currentIndex().row());
  const auto worded = texts();
  m_table.setTable(worded.head(), worded.rows());
  choose(row);
  const auto& words = m_desktop.words;
  const auto& problems = m_book.content().problems;
  if (!problems.empty()) m_notice->say(problems);
  m_summary->setText(m_book.loaded() ? worded.summary() : words.text("checklist.looking"));
  m_refresh->setEnabled(!m_book.reading());
  showItem();
}

void ChecklistView::showItem() {
  const auto* entry = current();
  m_panel->setVisible(entry != nullptr);
  if (entry) m_panel->fill(*entry, texts(), means(*entry));
}

void ChecklistView::retext() {
  const auto& words = m_desktop.words;
  m_title->setText(words.text("checklist.title"));
  m_intro->setText(words.text("checklist.intro"));
  m_refresh->setText(words.text("checklist.button.refresh"));
  m_export->setText(words.text("checklist.button.export"));
  name(m_list, words.text("checklist.title"));
  refresh();
}

void ChecklistView::restyle() {
  const auto& theme = m_desktop.theme;
  m_refresh->setIcon(theme.icon(QStringLiteral("reset")));
  m_export->setIcon(theme.icon(QStringLiteral("download")));
  m_list->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
}

// Where there is no room for both beside one another the item stands below the list.
void ChecklistView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  m_body->setOrientation(width() > m_desktop.theme.px(kBesideAbove) ? Qt::Horizontal : Qt::Vertical);
}

ViewUnit view_checklist() {
  return {"checklist", 50, "check",
          [](const Desktop& desktop, QWidget* parent) -> View* { return new ChecklistView(desktop, parent); }};
}

}  // namespace atelier::app
