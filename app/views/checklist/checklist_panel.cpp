#include "checklist_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/experiments/job_bar.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

ChecklistPanel::ChecklistPanel(const Desktop& desktop, JobWatch& job, QWidget* parent) : QWidget(parent), m_desktop(desktop) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 16, 20, 16);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("h1", this));
  column->addWidget(m_state = makeLabel("soft", this));
  column->addWidget(m_brings = makeLabel("body", this));
  column->addSpacing(8);
  column->addWidget(m_measuredTitle = makeLabel("h2", this));
  column->addWidget(m_measured = makeLabel("body", this));
  column->addWidget(m_evidence = makeButton("link", this), 0, Qt::AlignLeft);
  column->addSpacing(8);
  column->addWidget(m_nextTitle = makeLabel("h2", this));
  column->addWidget(m_next = makeLabel("body", this));
  column->addWidget(m_offer = makeLabel("soft", this));
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_race = makeButton("primary", this));
  row->addWidget(m_profile = makeButton("primary", this));
  row->addWidget(m_fork = makeButton("", this));
  row->addWidget(m_lab = makeButton("", this));
  row->addStretch(1);
  column->addLayout(row);
  column->addWidget(m_bar = new JobBar(desktop, job, this));
  column->addStretch(1);
  connect(&desktop.words, &Words::changed, this, &ChecklistPanel::retext);
  connect(&desktop.theme, &Theme::changed, this, &ChecklistPanel::restyle);
  retext();
  restyle();
}

void ChecklistPanel::fill(const lab::ChecklistEntry& entry, const ChecklistTexts& texts, const Means& means) {
  const auto& words = m_desktop.words;
  m_title->setText(texts.title(entry));
  m_brings->setText(texts.brings(entry));
  m_state->setText(texts.state(entry));
  setRole(m_state, QString::fromLatin1(ChecklistTexts::tone(entry)));
  m_measured->setText(texts.evidence(entry));
  m_next->setText(texts.next(entry));
  showText(m_offer, means.race || means.fork ? texts.offer(entry) : QString());
  const bool raced = entry.best && !entry.best->race.empty();
  m_evidence->setText(words.text(raced ? "checklist.button.show_race" : "checklist.button.show_run"));
  m_evidence->setVisible(means.evidence);
  m_race->setVisible(means.race);
  m_race->setEnabled(!means.busy);
  m_profile->setVisible(means.profile);
  m_fork->setVisible(means.fork);
  m_lab->setVisible(means.lab);
  m_lab->setText(words.text(wire::Message{"checklist.button.lab", {{"number", entry.item->lab}}}));
  name(this, texts.title(entry));
  setAccessibleDescription(texts.state(entry));
}

QString ChecklistPanel::evidence() const {
  return m_measured->text();
}

QString ChecklistPanel::next() const {
  return m_next->text();
}

void ChecklistPanel::retext() {
  const auto& words = m_desktop.words;
  m_measuredTitle->setText(words.text("checklist.measured"));
  m_nextTitle->setText(words.text("checklist.next"));
  m_race->setText(words.text("checklist.button.race"));
  m_profile->setText(words.text("checklist.button.profile"));
  m_fork->setText(words.text("checklist.button.fork"));
}

void ChecklistPanel::restyle() {
  const auto& theme = m_desktop.theme;
  m_race->setIcon(theme.icon(QStringLiteral("play"), theme.tokens().onAccent));
  m_profile->setIcon(theme.icon(QStringLiteral("profile"), theme.tokens().onAccent));
  const auto margins = layout()->contentsMargins();
  setMaximumWidth(theme.lineWidth() + margins.left() + margins.right());
}

}  // namespace atelier::app
