#include "finding_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "core/trace/diagnosis_text.h"
#include "share_bar.h"

namespace atelier::app {

namespace {

constexpr int kSign = 16;

struct Look {
  const char* icon;
  const char* role;
  QColor Tokens::*color;
};

Look lookOf(trace::Severity severity) {
  switch (severity) {
    case trace::Severity::Critical:
      return {"cross", "bad", &Tokens::bad};
    case trace::Severity::Warning:
      return {"warning", "warn", &Tokens::warn};
    case trace::Severity::Healthy:
      return {"check", "good", &Tokens::good};
    case trace::Severity::Hint:
      break;
  }
  return {"info", "soft", &Tokens::accent};
}

// The place of the first of these that is among those; −1: none is.
template <class Entries, class NameOf>
std::int32_t firstIn(const Entries& entries, const std::vector<std::string>& wanted, const NameOf& nameOf) {
  for (const auto& name : wanted) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return nameOf(entry) == name; });
    if (found != entries.end()) return static_cast<std::int32_t>(found - entries.begin());
  }
  return -1;
}

}  // namespace

FindingPlace placeOf(const trace::Trace& trace, const trace::Finding& finding) {
  FindingPlace place;
  const auto size = static_cast<std::int64_t>(trace.events.size());
  for (const auto event : finding.events)
    if (event >= 0 && event < size) {
      place.event = event;
      return place;
    }
  place.name = firstIn(trace.names, finding.operators, [](const std::string& name) -> const std::string& { return name; });
  place.module =
      firstIn(trace.modules, finding.modules, [](const trace::Module& module) -> const std::string& { return module.path; });
  return place;
}

FindingCard::FindingCard(const Desktop& desktop, trace::Finding finding, bool showable, bool known, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_finding(std::move(finding)) {
  setProperty("role", "card");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(6);
  build(*column);
  addCost(*column);
  addButtons(*column, showable, known);
  fill();
}

void FindingCard::build(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_sign = makeLabel("plain", this));
  row->addWidget(m_severity = makeLabel(lookOf(m_finding.severity).role, this), 1);
  m_sign->setFixedWidth(m_desktop.theme.px(kSign) + 2);
  column.addLayout(row);
  column.addWidget(m_title = makeLabel("h2", this));
  column.addWidget(m_why = makeLabel("", this));
  column.addWidget(m_evidence = makeLabel("soft", this));
}

void FindingCard::addCost(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_bar = new ShareBar(m_desktop.theme, this), 1);
  row->addWidget(m_cost = makeLabel("soft", this));
  m_cost->setWordWrap(false);
  column.addLayout(row);
  column.addWidget(m_fix = makeLabel("", this));
}

void FindingCard::addButtons(QVBoxLayout& column, bool showable, bool known) {
  const bool settable = !m_finding.fix.set.empty() && known;
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_gain = makeLabel("good", this), 1);
  row->addWidget(m_show = makeButton("", this));
  row->addWidget(m_apply = makeButton("", this));
  column.addLayout(row);
  m_show->setVisible(showable);
  m_apply->setVisible(settable);
  connect(m_show, &QPushButton::clicked, this, &FindingCard::showAsked);
  connect(m_apply, &QPushButton::clicked, this, &FindingCard::applyAsked);
}

void FindingCard::setCanApply(bool can) {
  m_apply->setEnabled(can);
}

// A rule that a later version made is called by its name.
QString FindingCard::said(trace::FindingPart part) const {
  const auto& words = m_desktop.words;
  const auto message = trace::textOf(m_finding, part, words.format());
  return words.catalog().has(message.id) ? words.text(message) : QString();
}

void FindingCard::fill() {
  const auto& words = m_desktop.words;
  const auto& theme = m_desktop.theme;
  const auto& format = words.format();
  const auto look = lookOf(m_finding.severity);
  const bool healthy = m_finding.severity == trace::Severity::Healthy;
  m_sign->setPixmap(theme.pixmap(QLatin1String(look.icon), theme.tokens().*look.color, theme.px(kSign)));
  m_severity->setText(words.text("severity." + std::string(trace::severityName(m_finding.severity))));
  const auto title = said(trace::FindingPart::Title);
  m_title->setText(title.isEmpty() ? QString::fromStdString(m_finding.rule) : title);
  showText(m_why, said(trace::FindingPart::Why));
  QStringList evidence;
  for (const auto& message : m_finding.evidence)
    evidence << QStringLiteral("· ") + words.text(trace::localised(message, format));
  showText(m_evidence, evidence.join(QLatin1Char('\n')));
  const bool costs = m_finding.share > 0;
  m_bar->setVisible(costs);
  const auto cost = words.text(wire::Message{"profileview.card.cost", {{"share", format.percent(m_finding.share)}}});
  m_bar->setParts({ShareBar::Part{m_finding.share, theme.tokens().*look.color}}, cost);
  showText(m_cost, costs ? cost : QString());
  const auto fix = said(trace::FindingPart::Advice);
  showText(m_fix, fix.isEmpty() ? QString() : QStringLiteral("→ ") + fix);
  const bool gains = !healthy && m_finding.expected_gain > 1;
  showText(m_gain, gains ? words.text(wire::Message{"profileview.card.gain",
                                                    {{"ratio", format.ratio(m_finding.expected_gain)},
                                                     {"low", format.ratio(m_finding.gain_low)},
                                                     {"high", format.ratio(m_finding.gain_high)}}})
                         : QString());
  m_show->setText(words.text("profileview.card.show"));
  m_apply->setText(words.text("profileview.card.apply"));
  // A screen reader says which of the cards the button belongs to.
  name(m_show, m_show->text() + QStringLiteral(": ") + m_title->text());
  name(m_apply, m_apply->text() + QStringLiteral(": ") + m_title->text());
  name(this, m_severity->text() + QStringLiteral(": ") + m_title->text());
}

}  // namespace atelier::app
