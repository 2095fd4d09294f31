#include "diagnosis_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/trace_texts.h"
#include "app/models/trace_tint.h"
#include "app/models/words.h"
#include "app/plots/trace_palette.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "finding_card.h"
#include "plan_panel.h"
#include "share_bar.h"

namespace atelier::app {

DiagnosisPage::DiagnosisPage(const Desktop& desktop, TraceSelection& selection, PlanModel& plan, QWidget* parent)
    : ProfilePage(desktop, selection, parent), m_plan(plan) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_split = new QSplitter(Qt::Horizontal, this));
  m_split->setChildrenCollapsible(false);
  m_split->addWidget(buildLeft());
  auto* scroll = new QScrollArea(m_split);
  makeQuiet(*scroll);
  scroll->setWidget(m_panel = new PlanPanel(desktop, plan));
  m_split->addWidget(scroll);
  m_split->setStretchFactor(0, 3);
  m_split->setStretchFactor(1, 2);
  m_split->setSizes({3000, 2000});  // shares; what the reader chooses is remembered
  LayoutKeeper::keep(desktop.settings, m_split, QStringLiteral("profile/diagnosis"));
  connect(m_panel, &PlanPanel::said, this, &ProfilePage::said);
  connect(&m_plan, &PlanModel::changed, this, &DiagnosisPage::showState);
}

QWidget* DiagnosisPage::buildLeft() {
  auto* scroll = new QScrollArea(m_split);
  makeQuiet(*scroll);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list = makePanel("panel");
  m_column = new QVBoxLayout(m_list);
  m_column->setContentsMargins(16, 12, 16, 12);
  m_column->setSpacing(12);
  m_column->addWidget(m_step = makeLabel("h2", m_list));
  m_column->addWidget(m_bar = new ShareBar(m_desktop.theme, m_list));
  m_column->addWidget(m_stages = makeLabel("soft", m_list));
  m_stages->setTextFormat(Qt::RichText);
  m_column->addWidget(m_none = makeLabel("good", m_list));
  m_column->addStretch(1);
  scroll->setWidget(m_list);
  return scroll;
}

void DiagnosisPage::fill() {
  m_panel->showAll();
  if (!content()) return;
  fillStages();
  fillCards();
}

// Stages as the timeline colours them; each named beside its colour.
void DiagnosisPage::fillStages() {
  const auto& words = m_desktop.words;
  const auto& format = words.format();
  const auto& breakdown = content()->report.breakdown;
  const TracePalette palette(m_desktop.theme);
  const auto wall = static_cast<double>(breakdown.wall_ns);
  const bool known = breakdown.steps > 0 && wall > 0;
  m_step->setVisible(known);
  m_bar->setVisible(known);
  m_stages->setVisible(known);
  if (!known) return;
  const auto step = timeText(breakdown.wall_ns / breakdown.steps, format);
  m_step->setText(words.text(
      wire::Message{"profileview.step_takes", {{"time", step.toStdString()}, {"steps", format.integer(breakdown.steps)}}}));
  QVector<ShareBar::Part> parts;
  QStringList plain, rich;
  const auto add = [&](const QString& label, std::int64_t ns, Tint tint) {
    if (ns <= 0) return;
    const double share = static_cast<double>(ns) / wall;
    const auto color = palette.fill(tint, false);
    parts.append({share, color});
    const auto text = label + QChar(0x00A0) + QString::fromStdString(format.percent(share));
    plain << text;
    rich << QStringLiteral("<span style=\"color:%1\">■</span>&nbsp;%2").arg(color.name(), text.toHtmlEscaped());
  };
  for (std::size_t i = 1; i < trace::kStages; ++i) {
    const auto stage = static_cast<trace::Stage>(i);
    add(stageText(stage, words), breakdown.stage_ns[i], tintOf(stage));
  }
  add(words.text("profile.between"), breakdown.stage_ns[0], Tint::Plain);
  m_bar->setParts(parts, plain.join(QStringLiteral(", ")));
  m_stages->setText(rich.join(QStringLiteral(" &nbsp; ")));
}

void DiagnosisPage::fillCards() {
  for (auto* card : m_cards) {
    card->hide();
    card->deleteLater();
  }
  m_cards.clear();
  const auto& findings = content()->findings;
  for (const auto& finding : findings) {
    auto* card = new FindingCard(m_desktop, finding, placeOf(content()->trace, finding).any(), !m_plan.base().empty(), m_list);
    m_column->insertWidget(m_column->count() - 1, card);
    card->show();  // at once: a layout shows what came late only later
    connectCard(*card);
    m_cards.push_back(card);
  }
  showText(m_none, findings.empty() ? m_desktop.words.text("profile.nothing_found") : QString());
  showState();
}

void DiagnosisPage::connectCard(FindingCard& card) {
  connect(&card, &FindingCard::applyAsked, this, [this, &card] {
    if (const auto rung = m_plan.rungOf(card.finding())) m_panel->apply(*rung);
  });
  connect(&card, &FindingCard::showAsked, this, [this, &card] {
    if (!content()) return;
    const auto place = placeOf(content()->trace, card.finding());
    if (place.event >= 0) m_selection.selectEvent(content()->trace, place.event);
    else if (place.name >= 0) m_selection.selectName(place.name);
    else if (place.module >= 0) m_selection.selectModule(place.module);
    if (place.any()) Q_EMIT showAsked();
  });
}

// What is part of the best already needs no race; and one race goes at a time.
void DiagnosisPage::showState() {
  for (auto* card : m_cards) {
    const auto& finding = card->finding();
    const bool made = std::any_of(m_plan.rungs().begin(), m_plan.rungs().end(),
                                  [&finding](const PlanRung& rung) { return rung.rule == finding.rule && rung.kept; });
    card->setCanApply(!m_plan.busy() && !made);
  }
}

}  // namespace atelier::app
