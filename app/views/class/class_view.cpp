#include "class_view.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "class_lab_panel.h"
#include "progress_delegate.h"

namespace atelier::app {

namespace {

constexpr int kRow = 40;
constexpr std::size_t kListed = 5;  // of what was left out

}  // namespace

ClassView::ClassView(const Desktop& desktop, QWidget* parent)
    : View(parent),
      m_desktop(desktop),
      m_book(desktop.settings, desktop.desk, desktop.words),
      m_model(desktop.theme, m_book, desktop.words) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  setAcceptDrops(true);
  m_askFolder = [this](const QString& title, const QString& from) {
    return QFileDialog::getExistingDirectory(this, title, from);
  };
  m_askFile = [this](const QString& title, const QString& proposal) {
    return QFileDialog::getSaveFileName(this, title, proposal);
  };
  m_stack = new QStackedLayout(this);
  m_full = makePanel("plain", this);
  auto* column = new QVBoxLayout(m_full);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  buildHead(*column);
  buildBody(*column);
  buildEmpty();
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_full);
  buildActions();
  connect(&m_book, &ClassBook::changed, this, &ClassView::refresh);
  connect(&desktop.words, &Words::changed, this, &ClassView::retext);
  connect(&desktop.theme, &Theme::changed, this, &ClassView::restyle);
  restyle();
  retext();
}

void ClassView::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_title = makeLabel("h1", m_full));
  row->addWidget(m_state = makeLabel("soft", m_full), 1);
  row->addWidget(m_names = makeButton("", m_full));
  row->addWidget(m_refresh = makeButton("", m_full));
  row->addWidget(m_export = makeButton("", m_full));
  row->addWidget(m_choose = makeButton("", m_full));
  column.addLayout(row);
  column.addWidget(m_said = makeLabel("soft", m_full));
  m_said->hide();
  m_title->setWordWrap(false);
  m_names->setCheckable(true);
  connect(m_names, &QPushButton::toggled, this, [this](bool hidden) { m_book.setNamesHidden(hidden); });
  connect(m_refresh, &QPushButton::clicked, &m_book, &ClassBook::refresh);
  connect(m_choose, &QPushButton::clicked, this, &ClassView::chooseFolder);
}

void ClassView::buildBody(QVBoxLayout& column) {
  m_body = new QSplitter(Qt::Horizontal, m_full);
  m_body->setChildrenCollapsible(false);
  auto* left = makePanel("panel", m_body);
  auto* leftColumn = new QVBoxLayout(left);
  leftColumn->setContentsMargins(8, 8, 8, 8);
  leftColumn->addWidget(m_table = new QTableView(left));
  auto* right = makePanel("panel", m_body);
  auto* rightColumn = new QVBoxLayout(right);
  rightColumn->setContentsMargins(0, 4, 0, 4);
  auto* scroll = new QScrollArea(right);
  scroll->setWidget(m_lab = new ClassLabPanel(m_desktop.theme, m_book, m_desktop.words));
  makeQuiet(*scroll);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  rightColumn->addWidget(scroll);
  m_body->setStretchFactor(0, 1);
  m_body->setStretchFactor(1, 1);
  m_body->setSizes({1000, 1000});  // halves; what the reader chooses is remembered
  column.addWidget(m_body, 1);
  m_notice = makePanel("notice", m_full);
  auto* notice = new QVBoxLayout(m_notice);
  notice->setContentsMargins(12, 8, 12, 8);
  notice->addWidget(m_leftOut = makeLabel("body", m_notice));
  column.addWidget(m_notice);
  buildTable();
  LayoutKeeper::keep(m_desktop.settings, m_body, QStringLiteral("class/splitter"));
}

void ClassView::buildTable() {
  m_sorted = new QSortFilterProxyModel(this);
  m_sorted->setSourceModel(&m_model);
  m_sorted->setSortRole(ClassTable::SortRole);
  m_table->setModel(m_sorted);
  m_table->setItemDelegate(new ProgressDelegate(m_desktop.theme, m_table));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(0, Qt::AscendingOrder);
  makeQuiet(*m_table);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setStretchLastSection(true);
  // A cell of a lab shows that lab.
  connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
    if (const auto lab = now.data(ClassTable::LabRole).toString(); !lab.isEmpty()) m_lab->showLab(lab.toStdString());
  });
}

void ClassView::buildEmpty() {
  m_empty = new EmptyState(m_desktop.theme, this);
  m_empty->addBelow(m_emptyChoose = makeButton("primary", m_empty));
  connect(m_emptyChoose, &QPushButton::clicked, this, &ClassView::chooseFolder);
}

void ClassView::buildActions() {
  const auto& words = m_desktop.words;
  makeAction(this, words, "class.choose", {QKeySequence(Qt::CTRL | Qt::Key_O)}, [this] { chooseFolder(); });
  makeAction(this, words, "class.refresh", {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)}, [this] { m_book.refresh(); });
  makeAction(this, words, "class.names", {QKeySequence(Qt::CTRL | Qt::Key_H)}, [this] { m_names->toggle(); });
  auto* menu = new QMenu(m_export);
  menu->addActions({makeAction(this, words, "class.csv", {}, [this] { askAndExport(Form::Csv); }),
                    makeAction(this, words, "class.markdown", {}, [this] { askAndExport(Form::Markdown); }),
                    makeAction(this, words, "class.json", {}, [this] { askAndExport(Form::Json); }),
                    makeAction(this, words, "class.image", {}, [this] { copyImage(); })});
  m_export->setMenu(menu);
}

void ClassView::refresh() {
  // The reader's place in the table outlives a new reading of the folder.
  const int row = m_table->currentIndex().row(), column = m_table->currentIndex().column();
  m_model.reset();
  if (row >= 0) m_table->setCurrentIndex(m_sorted->index(row, column));
  m_lab->refresh();
  m_names->setChecked(m_book.namesHidden());
  showState();
  showLeftOut();
  m_stack->setCurrentWidget(m_book.content().learners.empty() ? static_cast<QWidget*>(m_empty) : m_full);
}

void ClassView::showState() {
  const auto& words = m_desktop.words;
  const auto& content = m_book.content();
  const auto folder = QDir::toNativeSeparators(m_book.folder()).toStdString();
  const auto count = words.format().integer(static_cast<std::int64_t>(content.learners.size()));
  const char* state = m_book.reading() && !m_book.loaded() ? "classview.reading" : "classview.state";
  m_state->setText(m_book.namesHidden() ? words.text(wire::Message{"classview.state_hidden", {{"count", count}}})
                                        : words.text(wire::Message{state, {{"folder", folder}, {"count", count}}}));
  const bool chosen = !m_book.folder().isEmpty();
  const char* title = !chosen ? "classview.empty" : m_book.loaded() ? "classview.nothing" : "classview.reading_title";
  QString text = words.text(wire::Message{chosen ? "classview.nothing.text" : "classview.empty.text", {{"folder", folder}}});
  for (const auto& problem : m_book.shareable().problems) text += QStringLiteral("\n\n") + words.text(problem);
  m_empty->setTexts(words.text(title), chosen && !m_book.loaded() ? QDir::toNativeSeparators(m_book.folder()) : text);
}

void ClassView::showLeftOut() {
  const auto& words = m_desktop.words;
  const auto problems = m_book.shareable().problems;
  QStringList lines;
  for (const auto& problem : problems)
    if (static_cast<std::size_t>(lines.size()) < kListed) lines << words.text(problem);
  if (problems.size() > kListed)
    lines << words.text(wire::Message{
        "classview.more", {{"count", words.format().integer(static_cast<std::int64_t>(problems.size() - kListed))}}});
  m_notice->setVisible(!lines.isEmpty());
  m_leftOut->setText(lines.join(QLatin1Char('\n')));
}

void ClassView::retext() {
  const auto& words = m_desktop.words;
  m_title->setText(words.text("app.tab.class"));
  m_names->setText(words.text("classview.hide_names"));
  m_refresh->setText(words.text("classview.refresh"));
  m_export->setText(words.text("classview.export"));
  m_choose->setText(words.text("classview.choose"));
  m_emptyChoose->setText(words.text("classview.choose"));
  name(m_table, words.text("classview.table"));
  m_said->hide();
  refresh();
}

void ClassView::restyle() {
  const auto& theme = m_desktop.theme;
  m_refresh->setIcon(theme.icon(QStringLiteral("reset")));
  m_export->setIcon(theme.icon(QStringLiteral("download")));
  m_table->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  m_lab->restyle();
}

// Names are taken down before the wall shows them, and put back afterwards.
void ClassView::setPresenting(bool presenting) {
  if (presenting && !m_hiddenBefore) {
    m_hiddenBefore = m_book.namesHidden();
    m_book.setNamesHidden(true);
  } else if (!presenting && m_hiddenBefore) {
    m_book.setNamesHidden(*std::exchange(m_hiddenBefore, std::nullopt));
  }
}

void ClassView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  m_book.setWatched(true);
}

void ClassView::hideEvent(QHideEvent* event) {
  View::hideEvent(event);
  m_book.setWatched(false);
}

ViewUnit view_class() {
  return {"class", 60, "chart",
          [](const Desktop& desktop, QWidget* parent) -> View* { return new ClassView(desktop, parent); }};
}

}  // namespace atelier::app
