#include "result_card.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/models/learn_replay.h"
#include "app/models/learn_texts.h"
#include "parts.h"

namespace atelier::app {

ResultCard::ResultCard(LearnModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(m_mark = makeLabel("warn", this));
  m_card = makePanel("card", this);
  auto* row = new QHBoxLayout(m_card);
  row->setContentsMargins(16, 12, 16, 12);
  row->setSpacing(24);
  auto* figure = new QVBoxLayout;
  figure->setSpacing(0);
  figure->addWidget(m_big = makeLabel("big", m_card));
  figure->addWidget(m_unit = makeLabel("soft", m_card));
  figure->addStretch(1);
  m_big->setWordWrap(false);
  m_unit->setWordWrap(false);
  auto* words = new QVBoxLayout;
  words->setSpacing(4);
  words->addWidget(m_sentence = makeLabel("body", m_card));
  words->addWidget(m_details = makeLabel("soft", m_card));
  words->addWidget(m_evidence = makeButton("link", m_card), 0, Qt::AlignLeft);
  words->addStretch(1);
  row->addLayout(figure);
  row->addLayout(words, 1);
  column->addWidget(m_card);
  m_naive = makePanel("card", this);
  m_naiveGrid = new QGridLayout(m_naive);
  m_naiveGrid->setContentsMargins(16, 12, 16, 12);
  m_naiveGrid->setHorizontalSpacing(16);
  m_naiveGrid->setVerticalSpacing(8);
  m_naiveGrid->setColumnStretch(2, 1);
  column->addWidget(m_naive);
  m_checks = new QGridLayout;
  m_checks->setHorizontalSpacing(8);
  m_checks->setVerticalSpacing(8);
  m_checks->setColumnStretch(1, 1);
  column->addLayout(m_checks);
  connect(m_evidence, &QPushButton::clicked, this, [this] {
    if (const auto shown = outcome(); shown && !shown->run_ids.empty())
      Q_EMIT evidenceAsked(QString::fromStdString(shown->run_ids.front()));
  });
}

void ResultCard::refresh() {
  const auto* session = m_model.session();
  const bool any = session && (outcome() || !session->step().checks.empty());
  setVisible(any);
  if (!any) return;
  showText(m_mark, replayed() ? m_model.text("replay.no_result") : QString());
  showResult();
  showNaive();
  showChecks();
}

bool ResultCard::replayed() const {
  return m_model.replay().outcome().has_value();
}

// The record's, while one is shown that was played to its end; else what was measured here.
std::optional<lab::Outcome> ResultCard::outcome() const {
  const auto& session = *m_model.session();
  auto recorded = m_model.replay().outcome();
  return recorded ? recorded : session.progress(session.step().id).outcome;
}

void ResultCard::showResult() {
  const auto shown = outcome();
  m_card->setVisible(shown.has_value());
  if (!shown) return;
  const auto result = LearnTexts(m_model.catalog(), m_model.format()).result(*shown);
  m_big->setText(result.big);
  showText(m_unit, result.unit);
  m_sentence->setText(result.sentence);
  showText(m_details, result.details);
  m_evidence->setText(m_model.text("app.result.evidence"));
  m_evidence->setVisible(shown->verb == "profile" && !shown->run_ids.empty() && !replayed());
  m_card->setAccessibleName(result.big + QLatin1Char(' ') + result.unit + QLatin1Char(' ') + result.sentence);
}

void ResultCard::showNaive() {
  const auto shown = outcome();
  const auto rows = shown ? LearnTexts(m_model.catalog(), m_model.format()).naive(*shown) : std::vector<NaiveRow>();
  m_naive->setVisible(!rows.empty());
  clearLayout(m_naiveGrid);
  if (rows.empty()) return;
  auto* title = makeLabel("h2", m_naive);
  title->setText(m_model.text("app.naive.title"));
  m_naiveGrid->addWidget(title, 0, 0, 1, 3);
  int line = 1;
  for (const auto& row : rows) {
    int column = 0;
    for (const auto& text : {row.kind, row.reading, row.lie}) {
      auto* cell = makeLabel(column == 0 ? "body" : "soft", m_naive);
      cell->setText(text);
      if (column == 1) {
        cell->setAlignment(Qt::AlignRight);
        cell->setWordWrap(false);
      }
      m_naiveGrid->addWidget(cell, line, column++);
    }
    ++line;
  }
}

void ResultCard::showChecks() {
  clearLayout(m_checks);
  const auto& session = *m_model.session();
  const LearnTexts texts(m_model.catalog(), m_model.format());
  const bool recorded = replayed();
  const auto from = recorded ? QLatin1Char(' ') + m_model.text("replay.from_record") : QString();
  int line = 0;
  for (const auto& check : recorded ? m_model.replay().checks() : session.checks(session.step().id)) {
    const auto shown = texts.checkText(check);
    // Before there is a result a check has only its name to say.
    const bool waits = check.sentence.id == "check.not_run";
    // The tone of a verdict belongs to what was measured.
    const auto tone = recorded ? QStringLiteral("soft") : LearnTexts::checkTone(check.state);
    auto* sign = makeLabel(tone.toLatin1().constData(), this);
    sign->setText(shown.sign);
    sign->setWordWrap(false);
    auto* words = makeLabel(waits ? "soft" : "body", this);
    words->setTextFormat(Qt::RichText);
    const auto title = shown.name.toHtmlEscaped();
    const auto sentence = shown.sentence + from;
    words->setText(waits ? title : QStringLiteral("<b>%1</b> — %2").arg(title, sentence.toHtmlEscaped()));
    name(words, texts.check(check) + from);
    m_checks->addWidget(sign, line, 0, Qt::AlignTop);
    m_checks->addWidget(words, line++, 1);
  }
}

}  // namespace atelier::app
