#include "event_details.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>

#include "app/models/event_facts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kCode = 12;

}  // namespace

EventDetails::EventDetails(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_selection(selection) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("h2", this));
  auto* scroll = new QScrollArea(this);
  makeQuiet(*scroll);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_body = makePanel("plain");
  auto* rows = new QVBoxLayout(m_body);
  rows->setContentsMargins(0, 0, 4, 0);
  rows->addWidget(m_hint = makeLabel("soft", m_body));
  m_grid = new QGridLayout;
  m_grid->setHorizontalSpacing(12);
  m_grid->setVerticalSpacing(6);
  m_grid->setColumnStretch(1, 1);
  rows->addLayout(m_grid);
  rows->addStretch(1);
  scroll->setWidget(m_body);
  column->addWidget(scroll, 1);
  connect(&m_selection, &TraceSelection::changed, this, &EventDetails::showFacts);
  connect(&desktop.words, &Words::changed, this, &EventDetails::showFacts);
  connect(&desktop.theme, &Theme::changed, this, &EventDetails::showFacts);
  showFacts();
}

void EventDetails::setContent(TraceDocument::ContentPtr content) {
  m_content = std::move(content);
  showFacts();
}

QString EventDetails::text() const {
  return m_lines.join(QLatin1Char('\n'));
}

void EventDetails::showFacts() {
  const auto& words = m_desktop.words;
  clearLayout(m_grid);
  m_lines.clear();
  m_title->setText(words.text("profileview.details.title"));
  const auto facts = m_content ? factsOf(*m_content, m_selection, words) : QVector<EventFact>();
  showText(m_hint, facts.isEmpty() ? words.text("profileview.details.hint") : QString());
  int row = 0;
  for (const auto& fact : facts) {
    auto* label = makeLabel("soft", m_body);
    label->setText(fact.label);
    label->setWordWrap(false);
    auto* value = makeLabel("", m_body);
    value->setText(fact.value);
    if (fact.code) value->setFont(m_desktop.theme.monospace(kCode));
    m_grid->addWidget(label, row, 0, Qt::AlignTop);
    m_grid->addWidget(value, row++, 1);
    m_lines << fact.label + QStringLiteral(": ") + fact.value;
  }
}

}  // namespace atelier::app
