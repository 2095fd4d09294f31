#include "live_panel.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequence>
#include <QLabel>
#include <QScrollArea>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

#include "app/models/learn_model.h"
#include "app/models/learn_replay.h"
#include "app/models/replay_texts.h"
#include "app/plots/plot_column.h"
#include "app/shell/theme.h"
#include "empty_state.h"
#include "parts.h"
#include "run_controls.h"

namespace atelier::app {

namespace {

constexpr int kRow = 32, kHeader = 32, kLeastName = 96, kFigure = 12, kAir = 24;

}  // namespace

LivePanel::LivePanel(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_runs(theme, model.catalog(), model.format()) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  m_stack = new QStackedLayout(this);
  m_stack->setContentsMargins(12, 12, 12, 12);
  buildEmpty();
  m_full = makePanel("plain", this);
  auto* column = new QVBoxLayout(m_full);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(m_mark = makeLabel("warn", m_full));
  auto* scroll = new QScrollArea(m_full);
  m_plots = new PlotColumn(theme, model.catalog(), model.format());
  scroll->setWidget(m_plots);
  makeQuiet(*scroll);
  column->addWidget(scroll, 1);
  column->addWidget(m_table = new QTableView(m_full));
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_full);
  buildTable();
  connect(m_plots, &PlotColumn::saveFailed, this, &LivePanel::saveFailed);
  retext();
  restyle();
  showRuns();
}

void LivePanel::buildEmpty() {
  m_empty = new EmptyState(m_theme, this);
  m_empty->addBelow(m_emptyKey = makeLabel("key", m_empty));
  m_emptyKey->setWordWrap(false);
}

void LivePanel::showEmpty() {
  const auto* session = m_model.session();
  const bool experiment = session && session->step().experiment;
  m_empty->setTexts(m_model.text("app.live.empty"), m_model.text(experiment ? "app.live.empty_run" : "app.live.empty_read"));
  const auto button = experiment ? RunControls::verb(m_model) : m_model.text("app.step.next");
  const auto keys =
      QKeySequence(experiment ? Qt::CTRL | Qt::Key_R : Qt::ALT | Qt::Key_Right).toString(QKeySequence::NativeText);
  const bool usable = experiment || m_model.canGo(1);
  showText(m_emptyKey, usable ? m_model.text(wire::Message{"app.live.press",
                                                           {{"button", button.toStdString()}, {"keys", keys.toStdString()}}})
                              : QString());
}

void LivePanel::buildTable() {
  m_table->setModel(&m_runs);
  makeQuiet(*m_table);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(RunsTable::Run, QHeaderView::Stretch);
}

void LivePanel::showRuns() {
  const auto runs = m_model.runs();
  m_plots->setSeries(runs);
  m_runs.setSeries(runs);
  fitTable();
  m_stack->setCurrentWidget(runs.isEmpty() ? static_cast<QWidget*>(m_empty) : m_full);
  fitColumns();
  showEmpty();
  showMark();
}

// A replay says so wherever it is seen, also in pictures and files made of the plots.
void LivePanel::showMark() {
  const auto& replay = m_model.replay();
  const auto mark = replay.shown() ? replayMark(m_model.words(), replay.player().speed()) : QString();
  showText(m_mark, mark);
  m_plots->setMark(mark);
}

void LivePanel::tick() {
  // A replay takes no cores from a measurement, unless one goes elsewhere.
  if (m_model.replay().shown() && !m_model.busyElsewhere()) m_plots->refresh();
  else m_plots->refreshNext();
  // The table less often: its figures are read, not watched.
  if (++m_ticks % 4 == 0 && m_runs.refresh()) fitColumns();
}

void LivePanel::retext() {
  name(m_table, m_model.text("app.table.name"));
  m_plots->retext();
  m_runs.retext();
}

void LivePanel::restyle() {
  m_plots->restyle();
  m_runs.retext();
  m_table->verticalHeader()->setDefaultSectionSize(m_theme.px(kRow));
  fitTable();
}

void LivePanel::fitTable() {
  m_table->setFixedHeight(m_theme.px(kHeader) + m_runs.rowCount() * m_theme.px(kRow) + m_theme.px(8));
}

void LivePanel::fitColumns() {
  constexpr std::array<int, 2> kLeftOut{RunsTable::Batch, RunsTable::Accuracy};
  for (const int column : kLeftOut) m_table->setColumnHidden(column, false);
  const QFontMetrics metrics(m_theme.monospace(kFigure));
  const auto widthOf = [&](int column) {
    int widest = m_table->horizontalHeader()->sectionSizeHint(column);
    for (int row = 0; row < m_runs.rowCount(); ++row)
      widest = std::max(widest, metrics.horizontalAdvance(m_runs.index(row, column).data().toString()) + m_theme.px(kAir));
    return widest;
  };
  const auto needed = [&] {
    int sum = m_theme.px(kLeastName);
    for (int column = RunsTable::Run + 1; column < RunsTable::ColumnCount; ++column)
      if (!m_table->isColumnHidden(column)) sum += widthOf(column);
    return sum;
  };
  for (const int column : kLeftOut)
    if (needed() > m_table->viewport()->width()) m_table->setColumnHidden(column, true);
}

void LivePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  QTimer::singleShot(0, this, &LivePanel::fitColumns);  // once the table has its new width
}

void LivePanel::setTwoColumns(bool two) {
  m_plots->setTwoColumns(two);
}

}  // namespace atelier::app
