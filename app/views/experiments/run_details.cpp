#include "run_details.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "app/models/words.h"
#include "app/plots/plot_column.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "notes_editor.h"
#include "segment_switch.h"

namespace atelier::app {

namespace {

constexpr int kRow = 30;

}  // namespace

RunDetails::RunDetails(const Desktop& desktop, RunLibrary& library, RunOverlay& overlay, const RunTexts& texts, QWidget* parent)
    : QWidget(parent),
      m_desktop(desktop),
      m_overlay(overlay),
      m_compare(desktop.words, texts),
      m_figures(desktop.theme),
      m_differences(desktop.theme) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  column->addWidget(m_switch = new SegmentSwitch(4, this), 0, Qt::AlignLeft);
  column->addWidget(m_pages = new QStackedWidget(this), 1);
  m_empty = new EmptyState(m_desktop.theme, m_pages);
  buildCurves();
  m_figurePage = m_figureTable = makeTable(m_figures);
  m_differencePage = makePanel("plain", m_pages);
  auto* rows = new QVBoxLayout(m_differencePage);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addWidget(m_note = makeLabel("soft", m_differencePage));
  rows->addWidget(m_differenceTable = makeTable(m_differences), 1);
  m_notes = new NotesEditor(desktop, library, m_pages);
  for (auto* page : {static_cast<QWidget*>(m_empty), m_curves, m_figurePage, m_differencePage, static_cast<QWidget*>(m_notes)})
    m_pages->addWidget(page);
  connect(m_switch, &SegmentSwitch::chosen, this, [this] {
    showTables();
    showPage();
  });
  connect(m_plots, &PlotColumn::saveFailed, this, &RunDetails::saveFailed);
  connect(&desktop.words, &Words::changed, this, &RunDetails::retext);
  connect(&desktop.theme, &Theme::changed, this, &RunDetails::restyle);
  retext();
  restyle();
  showRuns(nullptr);
}

void RunDetails::buildCurves() {
  m_curves = makePanel("plain", m_pages);
  auto* rows = new QVBoxLayout(m_curves);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addWidget(m_state = makeLabel("soft", m_curves));
  auto* scroll = new QScrollArea(m_curves);
  m_plots = new PlotColumn(m_desktop.theme, m_desktop.words.catalog(), m_desktop.words.format());
  scroll->setWidget(m_plots);
  makeQuiet(*scroll);
  rows->addWidget(scroll, 1);
}

QTableView* RunDetails::makeTable(TextTable& model) {
  auto* table = new QTableView(m_pages);
  table->setModel(&model);
  makeQuiet(*table);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  return table;
}

void RunDetails::showRuns(const RunPtr& current) {
  m_current = current;
  m_plots->setSeries(m_overlay.series());
  m_notes->showRun(current);
  showState();
  showTables();
  showPage();
}

void RunDetails::showState() {
  const auto& words = m_desktop.words;
  const auto& format = words.format();
  QString state;
  if (const int waiting = m_overlay.waiting(); waiting > 0)
    state = words.text(wire::Message{"experiments.curves.reading", {{"count", format.integer(waiting)}}});
  else if (m_overlay.dropped() > 0)
    state = words.text(wire::Message{
        "experiments.curves.dropped",
        {{"shown", format.integer(RunOverlay::kMost)}, {"all", format.integer(RunOverlay::kMost + m_overlay.dropped())}}});
  showText(m_state, state);
}

// Only what is looked at is worded.
void RunDetails::showTables() {
  const auto& runs = m_overlay.runs();
  QVector<int> orders;
  for (const auto& run : runs) orders.append(m_overlay.orders().value(QString::fromStdString(run->id)));
  if (page() == Figures) m_figures.setTable(m_compare.head(runs), m_compare.figures(runs), orders);
  if (page() != Differences) return;
  std::vector<nlohmann::json> environments;
  for (const auto& run : runs) environments.push_back(m_overlay.environment(run->id));
  auto found = m_compare.differences(runs, environments);
  showText(m_note, found.note);
  m_differences.setTable(m_compare.head(runs), std::move(found.rows), orders);
  m_differenceTable->setVisible(!m_differences.rows().empty());
  spanHeadings(*m_differenceTable, m_differences);
}

void RunDetails::spanHeadings(QTableView& table, const TextTable& model) {
  table.clearSpans();
  for (int row = 0; row < model.rowCount(); ++row)
    if (model.rows()[static_cast<std::size_t>(row)].kind == TextTable::RowKind::Heading && model.columnCount() > 1)
      table.setSpan(row, 0, 1, model.columnCount());
}

void RunDetails::showPage() {
  const bool nothing = m_overlay.runs().empty() && !(page() == Curves && m_overlay.live());
  QWidget* const pages[] = {m_curves, m_figurePage, m_differencePage, m_notes};
  m_pages->setCurrentWidget(nothing ? static_cast<QWidget*>(m_empty) : pages[page()]);
}

void RunDetails::tick() {
  if (m_plots->isVisible()) m_plots->refreshNext();
}

RunDetails::Page RunDetails::page() const {
  return static_cast<Page>(m_switch->current());
}

void RunDetails::setPage(Page page) {
  m_switch->setCurrent(page);
}

void RunDetails::takeNotesFocus() {
  setPage(Notes);
  if (m_current) m_notes->takeFocus();
}

QString RunDetails::differencesNote() const {
  return m_note->text();
}

void RunDetails::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_plots->setTwoColumns(width() > m_desktop.theme.px(kTwoColumnsAbove));
}

void RunDetails::retext() {
  const auto& words = m_desktop.words;
  m_switch->setTexts({words.text("experiments.page.curves"), words.text("experiments.page.figures"),
                      words.text("experiments.page.differences"), words.text("experiments.page.notes")});
  m_empty->setTexts(words.text("experiments.none_chosen"), words.text("experiments.none_chosen.help"));
  name(m_figureTable, words.text("experiments.page.figures"));
  name(m_differenceTable, words.text("experiments.page.differences"));
  m_plots->retext();
  m_notes->retext();
  showState();
  showTables();
}

void RunDetails::restyle() {
  const auto& theme = m_desktop.theme;
  m_plots->restyle();
  for (auto* table : {m_figureTable, m_differenceTable}) table->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  showTables();
}

}  // namespace atelier::app
