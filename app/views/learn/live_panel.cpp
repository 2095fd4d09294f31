#include "live_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/plots/plot_column.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kRow = 30, kHeader = 30;

}  // namespace

LivePanel::LivePanel(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_runs(theme, model.catalog(), model.format()) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  m_stack = new QStackedLayout(this);
  m_stack->setContentsMargins(12, 12, 12, 12);
  m_empty = makePanel("plain", this);
  auto* words = new QVBoxLayout(m_empty);
  words->addStretch(1);
  words->addWidget(m_emptyTitle = makeLabel("h2", m_empty));
  words->addWidget(m_emptyText = makeLabel("soft", m_empty));
  words->addStretch(1);
  m_emptyTitle->setAlignment(Qt::AlignHCenter);
  m_emptyText->setAlignment(Qt::AlignHCenter);
  m_full = makePanel("plain", this);
  auto* column = new QVBoxLayout(m_full);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* scroll = new QScrollArea(m_full);
  m_plots = new PlotColumn(theme, model.catalog(), model.format());
  scroll->setWidget(m_plots);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
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

void LivePanel::buildTable() {
  m_table->setModel(&m_runs);
  m_table->verticalHeader()->hide();
  m_table->setShowGrid(false);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setTabKeyNavigation(false);
  m_table->setWordWrap(false);
  m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(RunsTable::Run, QHeaderView::Stretch);
}

void LivePanel::showRuns() {
  const auto runs = m_model.runs();
  m_plots->setSeries(runs);
  m_runs.setSeries(runs);
  fitTable();
  m_stack->setCurrentWidget(runs.isEmpty() ? m_empty : m_full);
  const auto* session = m_model.session();
  const bool experiment = session && session->step().experiment;
  m_emptyText->setText(m_model.text(experiment ? "app.live.empty_run" : "app.live.empty_read"));
}

void LivePanel::tick() {
  m_plots->refresh();
  m_runs.refresh();
}

void LivePanel::retext() {
  m_emptyTitle->setText(m_model.text("app.live.empty"));
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
  m_table->setFixedHeight(m_theme.px(kHeader) + m_runs.rowCount() * m_theme.px(kRow) + m_theme.px(6));
}

void LivePanel::setTwoColumns(bool two) { m_plots->setTwoColumns(two); }

}  // namespace atelier::app
