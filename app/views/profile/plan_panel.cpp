#include "plan_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/models/learn_model.h"
#include "app/models/plan_texts.h"
#include "app/models/race_texts.h"
#include "app/models/words.h"
#include "app/plots/figure_plot.h"
#include "app/plots/verdict_plot.h"
#include "app/shell/theme.h"
#include "app/views/experiments/job_bar.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kRow = 30, kHeader = 34, kVerdict = 190;
constexpr std::size_t kMostRows = 8;  // in view at once

}  // namespace

PlanPanel::PlanPanel(const Desktop& desktop, PlanModel& plan, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_plan(plan), m_race(desktop.desk, desktop.home), m_table(desktop.theme) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  build(*column);
  connect(&m_plan, &PlanModel::changed, this, &PlanPanel::showAll);
  connect(&m_plan, &PlanModel::failed, this, &PlanPanel::said);
  connect(&m_race, &RaceModel::changed, this, &PlanPanel::showRace);
  connect(&m_race, &RaceModel::tick, this, &PlanPanel::showRace);
  connect(&m_race.job(), &JobWatch::ended, this, &PlanPanel::settle);
  showAll();
}

void PlanPanel::build(QVBoxLayout& column) {
  column.addWidget(m_title = makeLabel("h2", this));
  column.addWidget(m_help = makeLabel("soft", this));
  buildTable(column);
  column.addWidget(m_sum = makeLabel("h2", this));
  buildButtons(column);
  column.addWidget(m_bar = new JobBar(m_desktop, m_race.job(), this));
  column.addWidget(m_sentence = makeLabel("h2", this));
  column.addWidget(m_verdict = new FigurePlot(m_desktop.theme, m_desktop.words, this));
  column.addWidget(m_reasons = makeLabel("", this));
  column.addStretch(1);
}

void PlanPanel::buildTable(QVBoxLayout& column) {
  column.addWidget(m_view = new QTableView(this));
  m_view->setModel(&m_table);
  makeQuiet(*m_view);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setSelectionMode(QAbstractItemView::SingleSelection);
  m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_view->horizontalHeader()->setStretchLastSection(true);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    m_showsReasons = false;
    showButtons();
  });
}

void PlanPanel::buildButtons(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_apply = makeButton("primary", this));
  row->addWidget(m_why = makeButton("", this));
  row->addStretch(1);
  row->addWidget(m_reset = makeButton("link", this));
  column.addLayout(row);
  connect(m_apply, &QPushButton::clicked, this, [this] {
    if (const auto rung = chosen()) apply(*rung);
  });
  connect(m_why, &QPushButton::clicked, this, &PlanPanel::toggleReasons);
  connect(m_reset, &QPushButton::clicked, &m_plan, &PlanModel::reset);
}

std::optional<std::size_t> PlanPanel::chosen() const {
  const int row = m_view->currentIndex().row();
  return row >= 0 && row < m_table.rowCount() ? std::optional(static_cast<std::size_t>(row)) : std::nullopt;
}

void PlanPanel::choose(std::size_t rung) {
  m_view->setCurrentIndex(m_table.index(static_cast<int>(rung), 0));
  showButtons();
}

void PlanPanel::apply(std::size_t rung) {
  if (!m_plan.canRace(rung) || !m_race.job().idle()) return;
  choose(rung);
  m_race.setSchema(m_desktop.learn.schema());
  m_race.setSpecs(m_plan.specs(rung));
  if (!m_race.canRun()) {
    auto why = m_race.mistakes();
    if (why.empty()) why.push_back({"app.run.no_schema"});
    Q_EMIT said(why);
    return;
  }
  const PlanTexts texts(m_desktop.words, m_desktop.learn.schema());
  const auto change = texts.change(m_plan.rungs()[rung]).toStdString();
  m_showsReasons = false;
  m_plan.begin(rung);
  m_race.run(m_desktop.words.text(wire::Message{"profileview.plan.label", {{"change", change}}}));
}

// A race that was stopped or failed leaves the plan as it was.
void PlanPanel::settle() {
  if (const auto& failure = m_race.failure()) Q_EMIT said(failure->messages);
  m_plan.settle(m_race.interrupted() ? std::nullopt : m_race.result());
}

void PlanPanel::toggleReasons() {
  m_showsReasons = !m_showsReasons;
  showButtons();
}

QString PlanPanel::reasons() const {
  return m_reasons->isHidden() ? QString() : m_reasons->text();
}

void PlanPanel::showAll() {
  const auto& words = m_desktop.words;
  const PlanTexts texts(words, m_desktop.learn.schema());
  m_title->setText(words.text("profileview.plan.title"));
  showText(m_help, words.text(m_plan.base().empty() ? "profileview.plan.no_spec" : "profileview.plan.help"));
  const auto before = chosen();
  const bool explained = m_showsReasons;
  m_table.setTable(texts.head(), texts.rows(m_plan));
  const auto count = m_plan.rungs().size();
  if (count > 0) m_view->setCurrentIndex(m_table.index(static_cast<int>(std::min(before.value_or(0), count - 1)), 0));
  m_showsReasons = explained && chosen() == before;
  const auto& theme = m_desktop.theme;
  m_view->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  m_view->setFixedHeight(theme.px(kHeader + kRow * static_cast<int>(std::clamp<std::size_t>(count, 1, kMostRows)) + 14));
  m_view->setVisible(count > 0);
  name(m_view, words.text("profileview.plan.title"));
  showText(m_sum, texts.sum(m_plan));
  m_verdict->restyle();
  m_verdict->setFixedHeight(theme.px(kVerdict));
  m_apply->setText(words.text("profileview.card.apply"));
  m_why->setText(words.text("profileview.plan.why"));
  m_reset->setText(words.text("profileview.plan.reset"));
  showButtons();
  showRace();
}

void PlanPanel::showButtons() {
  const auto rung = chosen();
  m_apply->setVisible(rung.has_value());
  m_apply->setEnabled(rung && m_plan.canRace(*rung));
  m_apply->setIcon(m_desktop.theme.icon(QStringLiteral("play"), m_desktop.theme.tokens().onAccent));
  const PlanTexts texts(m_desktop.words, m_desktop.learn.schema());
  const auto why = rung ? texts.whyNoGain(m_plan, *rung) : QString();
  m_why->setVisible(!why.isEmpty());
  m_reset->setVisible(m_plan.anyMeasured());
  m_reset->setEnabled(!m_plan.busy());
  showText(m_reasons, m_showsReasons ? why : QString());
}

QString PlanPanel::sentence() const {
  const RaceTexts texts(m_desktop.words);
  if (const auto& result = m_race.result()) return texts.atEnd(result->comparisons().front(), *result);
  return m_race.tracks().empty() ? QString() : texts.soFar(m_race.tracks().front().last);
}

// The curve of the ratio while it grows certain; what was measured before stands in the table.
void PlanPanel::showRace() {
  const bool here = racing() && m_plan.racing().has_value();
  showText(m_sentence, here ? sentence() : QString());
  m_verdict->setVisible(here && !m_race.tracks().empty());
  if (!m_verdict->isHidden()) m_verdict->setContent(verdictFigure(m_race.tracks(), m_desktop.words));
}

}  // namespace atelier::app
