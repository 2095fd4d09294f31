#include "sweep_live.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

#include "app/models/words.h"
#include "app/plots/figure_plot.h"
#include "app/plots/heat_map.h"
#include "app/plots/pareto_plot.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "notice_bar.h"

namespace atelier::app {

namespace {

constexpr int kRow = 32, kTableHeight = 240, kPlot = 280, kAbreast = 900;
constexpr std::array<SweepFigure, kSweepFigures> kFigures{SweepFigure::Rate, SweepFigure::Memory, SweepFigure::StepTime,
                                                          SweepFigure::Accuracy, SweepFigure::Loss};

// Keeps what was chosen.
void fillBox(QComboBox* box, const QStringList& texts) {
  const QSignalBlocker quiet(box);
  const int chosen = std::max(0, box->currentIndex());
  box->clear();
  box->addItems(texts);
  box->setCurrentIndex(chosen);
}

}  // namespace

SweepLive::SweepLive(const Desktop& desktop, SweepModel& model, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(model), m_points(desktop.theme, desktop.words) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  m_sorted.setSourceModel(&m_points);
  m_sorted.setSortRole(SweepTable::SortRole);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  buildHead(*column);
  column->addWidget(m_said = new NoticeBar(desktop.theme, desktop.words, this));
  auto* holder = makePanel("plain", this);
  m_stack = new QStackedLayout(holder);
  m_stack->setContentsMargins(0, 0, 0, 0);
  column->addWidget(holder, 1);
  m_empty = new EmptyState(desktop.theme, holder);
  buildBody();
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_full);
  connect(&m_model, &SweepModel::changed, this, &SweepLive::showAll);
  connect(&m_model, &SweepModel::pointChanged, this, [this] {
    // A point takes seconds: looking again at each costs the run nothing.
    if (isVisible()) showAll();
  });
  connect(&desktop.words, &Words::changed, this, &SweepLive::retext);
  connect(&desktop.theme, &Theme::changed, this, &SweepLive::restyle);
  restyle();
}

void SweepLive::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  m_pastMenu = new QMenu(this);
  m_exportMenu = new QMenu(this);
  row->addWidget(m_title = makeLabel("h2", this), 1);
  row->addWidget(m_past = makeMenuButton(m_pastMenu, "sweep.past", this));
  row->addWidget(m_fork = new QToolButton(this));
  m_fork->setFocusPolicy(Qt::StrongFocus);
  m_fork->setObjectName(QStringLiteral("sweep.fork"));
  row->addWidget(m_export = makeMenuButton(m_exportMenu, "sweep.export", this));
  column.addLayout(row);
  connect(m_pastMenu, &QMenu::aboutToShow, this, &SweepLive::fillPast);
  connect(m_exportMenu, &QMenu::aboutToShow, this, &SweepLive::fillExport);
  connect(m_fork, &QToolButton::clicked, this, &SweepLive::forkChosen);
}

void SweepLive::buildBody() {
  auto* scroll = new QScrollArea;
  makeQuiet(*scroll);
  auto* body = makePanel("plain");
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 4, 0);
  column->setSpacing(8);
  column->addWidget(m_failure = makeLabel("bad", body));
  column->addWidget(m_drift = makeLabel("warn", body));
  column->addWidget(m_sentences = makeLabel("body", body));
  auto* row = new QHBoxLayout;
  row->addWidget(m_figureLabel = makeLabel("soft", body));
  row->addWidget(m_figure = new QComboBox(body));
  row->addStretch(1);
  row->addWidget(m_againstLabel = makeLabel("soft", body));
  row->addWidget(m_against = new QComboBox(body));
  column->addLayout(row);
  for (auto* box : {m_figure, m_against}) guardWheel(box);
  for (auto* label : {m_figureLabel, m_againstLabel}) label->setWordWrap(false);
  m_plots = new QBoxLayout(QBoxLayout::LeftToRight);
  m_plots->setSpacing(8);
  m_plots->addWidget(m_map = new HeatMap(m_desktop.theme, m_desktop.words, body), 1);
  m_plots->addWidget(m_axis = new FigurePlot(m_desktop.theme, m_desktop.words, body), 1);
  m_plots->addWidget(m_pareto = new FigurePlot(m_desktop.theme, m_desktop.words, body), 1);
  column->addLayout(m_plots, 1);
  buildTable(*column);
  scroll->setWidget(body);
  m_full = scroll;
  m_figure->setObjectName(QStringLiteral("sweep.figure"));
  m_against->setObjectName(QStringLiteral("sweep.against"));
  for (auto* box : {m_figure, m_against}) connect(box, &QComboBox::currentIndexChanged, this, &SweepLive::showFigures);
  connect(m_map, &HeatMap::chosen, this, &SweepLive::choose);
  connect(m_map, &HeatMap::saveFailed, this, &SweepLive::saveFailed);
  for (auto* plot : {m_axis, m_pareto}) {
    connect(plot, &FigurePlot::chosen, this, &SweepLive::choose);
    connect(plot, &FigurePlot::saveFailed, this, &SweepLive::saveFailed);
  }
}

void SweepLive::buildTable(QVBoxLayout& column) {
  column.addWidget(m_table = new QTableView);
  m_table->setModel(&m_sorted);
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(-1, Qt::AscendingOrder);
  makeQuiet(*m_table);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setStretchLastSection(true);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SweepLive::takeSelection);
}

SweepFigure SweepLive::figure() const {
  return kFigures[static_cast<std::size_t>(std::clamp(m_figure->currentIndex(), 0, kSweepFigures - 1))];
}

SweepFigure SweepLive::against() const {
  return m_against->currentIndex() == 1 ? SweepFigure::Accuracy : SweepFigure::Memory;
}

void SweepLive::showAll() {
  const auto& sweep = m_model.sweep();
  m_points.setSweep(sweep);
  if (!sweep || m_chosen >= static_cast<int>(sweep->points.size())) m_chosen = -1;
  const bool any = sweep || m_model.failure();
  m_stack->setCurrentWidget(any ? m_full : static_cast<QWidget*>(m_empty));
  m_past->setEnabled(m_model.job().idle());
  m_export->setEnabled(sweep.has_value());
  m_fork->setEnabled(m_chosen >= 0);
  m_title->setText(m_desktop.words.text(m_model.past() ? "sweepview.past_title" : "sweepview.title"));
  showSentences();
  showFigures();
}

void SweepLive::showFigures() {
  const auto sweep = m_model.sweep().value_or(wire::SweepSummary());
  const bool line = sweep.axes.size() == 1;
  m_axis->setVisible(line);
  m_map->setVisible(sweep.axes.size() > 1);
  if (line) m_axis->setContent(axisFigure(sweep, figure(), m_desktop.words));
  else m_map->setContent(heatContent(sweep, figure(), m_desktop.words));
  m_pareto->setContent(paretoFigure(sweep, against(), m_desktop.words));
  choose(m_chosen);
}

void SweepLive::showSentences() {
  const auto& words = m_desktop.words;
  const auto& failure = m_model.failure();
  showText(m_failure, failure ? words.text(failure->messages) : QString());
  const auto& sweep = m_model.sweep();
  QStringList lines;
  QString drift;
  if (sweep && sweep->best) {
    const auto& best = sweep->points[*sweep->best];
    lines << words.text(
        wire::Message{"sweep.best",
                      {{"point", pointWords(best.values)},
                       {"rate", best.summary.samples_per_second ? words.format().number(best.summary.samples_per_second->median)
                                                                : std::string("—")}}});
  }
  if (sweep && sweep->status == "interrupted") lines << words.text("sweepview.interrupted");
  if (sweep && sweep->drift) {
    const double moved = *sweep->drift - 1;
    const auto percent = words.format().fixed(100 * moved, 0);
    if (std::max(moved, -moved) > wire::kSweepDrift) drift = words.text(wire::Message{"sweep.drifted", {{"percent", percent}}});
    else lines << words.text(wire::Message{"sweep.drift", {{"ratio", words.format().ratio(*sweep->drift)}}});
  }
  showText(m_drift, drift);
  showText(m_sentences, lines.join(QLatin1Char('\n')));
}

QString SweepLive::told() const {
  return QStringList{m_failure->text(), m_drift->text(), m_sentences->text()}.join(QLatin1Char('\n'));
}

void SweepLive::choose(int point) {
  m_chosen = point;
  m_map->choose(point);
  m_axis->choose(point);
  m_pareto->choose(point);
  m_fork->setEnabled(point >= 0);
  const auto row = point < 0 ? QModelIndex() : m_sorted.mapFromSource(m_points.index(point, 0));
  const QScopedValueRollback guard(m_choosing, true);
  if (!row.isValid()) return m_table->clearSelection();
  m_table->selectRow(row.row());
  m_table->scrollTo(row);
}

void SweepLive::takeSelection() {
  if (m_choosing) return;
  const auto rows = m_table->selectionModel()->selectedRows();
  choose(rows.isEmpty() ? -1 : m_sorted.mapToSource(rows.first()).row());
}

void SweepLive::retext() {
  const auto& words = m_desktop.words;
  m_empty->setTexts(words.text("sweepview.empty"), words.text("sweepview.empty_text"));
  m_past->setText(words.text("sweepview.past"));
  m_fork->setText(words.text("sweepview.fork"));
  m_fork->setToolTip(words.text("sweepview.fork_help"));
  m_export->setText(words.text("sweepview.export"));
  m_figureLabel->setText(words.text("sweepview.figure"));
  m_againstLabel->setText(words.text("sweepview.against"));
  m_figureLabel->setBuddy(m_figure);
  m_againstLabel->setBuddy(m_against);
  QStringList figures;
  for (const auto each : kFigures) figures << words.text(std::string("sweepview.figure.") + figureId(each));
  fillBox(m_figure, figures);
  fillBox(m_against, {words.text("sweepview.figure.memory"), words.text("sweepview.figure.accuracy")});
  name(m_figure, m_figureLabel->text());
  name(m_against, m_againstLabel->text());
  name(m_table, words.text("sweepview.table.name"));
  m_points.retext();
  m_axis->retext();
  m_pareto->retext();
  showAll();
}

void SweepLive::restyle() {
  const auto& theme = m_desktop.theme;
  m_table->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  m_table->setMinimumHeight(theme.px(kTableHeight));
  for (auto* plot : {m_axis, m_pareto}) {
    plot->restyle();
    plot->setMinimumHeight(theme.px(kPlot));
  }
  m_map->restyle();
  retext();
}

void SweepLive::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showAll();
}

void SweepLive::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool wide = width() >= m_desktop.theme.px(kAbreast);
  m_plots->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace atelier::app
