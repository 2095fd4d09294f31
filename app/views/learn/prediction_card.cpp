#include "prediction_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

#include "app/models/learn_model.h"
#include "app/models/learn_texts.h"
#include "parts.h"

namespace atelier::app {

PredictionCard::PredictionCard(LearnModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
  setProperty("role", "card");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("h2", this));
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_field = new QLineEdit(this));
  row->addWidget(m_choice = new QComboBox(this));
  row->addWidget(m_unit = makeLabel("soft", this));
  row->addWidget(m_commit = makeButton("", this));
  row->addStretch(1);
  m_field->setMaximumWidth(160);
  m_field->setAlignment(Qt::AlignRight);
  m_unit->setWordWrap(false);
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  guardWheel(m_choice);
  column->addLayout(row);
  column->addWidget(m_hint = makeLabel("soft", this));
  column->addWidget(m_said = makeLabel("body", this));
  connect(m_commit, &QPushButton::clicked, this, &PredictionCard::commit);
  connect(m_field, &QLineEdit::returnPressed, this, &PredictionCard::commit);
}

bool PredictionCard::wanted() const {
  const auto* session = m_model.session();
  return session && m_model.canPredict() && !session->progress(session->step().id).prediction;
}

QString PredictionCard::rangeText() const {
  const auto& prediction = *m_model.session()->step().prediction;
  if (prediction.isChoice()) return m_model.text("app.prediction.choose");
  const LearnTexts texts(m_model.catalog(), m_model.format());
  const auto min = texts.figure(prediction.min, prediction.unit).toStdString();
  const auto max = texts.figure(prediction.max, prediction.unit).toStdString();
  return m_model.text(wire::Message{"app.prediction.range", {{"min", min}, {"max", max}}});
}

QString PredictionCard::unitText() const {
  const auto& unit = m_model.session()->step().prediction->unit;
  if (unit == "bytes") return QStringLiteral("MiB");
  if (unit == "percent") return QStringLiteral("%");
  return LearnTexts(m_model.catalog(), m_model.format()).unitName(unit);
}

// What was committed to, against what was measured as soon as it is.
QString PredictionCard::saidText() const {
  const auto& session = *m_model.session();
  const auto& step = session.step();
  const LearnTexts texts(m_model.catalog(), m_model.format());
  for (const auto& comparison : session.predictions())
    if (comparison.step == step.id)
      if (auto line = texts.comparison(comparison); !line.isEmpty()) return line;
  if (const auto chosen = session.chosen(step.id); !chosen.empty())
    return m_model.text(wire::Message{"app.prediction.chose", {{"predicted", chosen}}});
  const auto said = session.progress(step.id).prediction;
  if (said && !step.prediction->isChoice()) {
    const auto predicted = texts.figure(*said, step.prediction->unit).toStdString();
    return m_model.text(wire::Message{"app.prediction.said", {{"predicted", predicted}}});
  }
  return m_model.canPredict() ? QString() : m_model.text("app.prediction.none");
}

// The choices as the program names them, after one that says that nothing is chosen yet.
void PredictionCard::offerChoices() {
  const auto& session = *m_model.session();
  const auto& step = session.step();
  m_choice->clear();
  if (!step.prediction->isChoice()) return;
  m_choice->addItem(m_model.text("app.prediction.none_chosen"));
  for (const auto& choice : step.prediction->choices) m_choice->addItem(QString::fromStdString(choice));
  if (const auto chosen = session.chosen(step.id); !chosen.empty()) m_choice->setCurrentText(QString::fromStdString(chosen));
}

void PredictionCard::refresh() {
  const auto* session = m_model.session();
  const bool asked = session && session->step().prediction;
  setVisible(asked);
  if (!asked) return;
  const auto& step = session->step();
  const bool open = m_model.canPredict(), choice = step.prediction->isChoice();
  const auto said = session->progress(step.id).prediction;
  const auto place = std::to_string(m_model.visit()) + "/" + session->lab().id + "/" + step.id;
  if (m_place != place) {
    m_field->clear();
    setRole(m_hint, QStringLiteral("soft"));
  }
  // A lab's author may have written other choices since; else what stands chosen stays so.
  const bool others = choice && m_choice->count() != static_cast<int>(step.prediction->choices.size()) + 1;
  if (m_place != place || others) offerChoices();
  else if (choice) m_choice->setItemText(0, m_model.text("app.prediction.none_chosen"));  // the language may be another
  m_place = place;
  m_title->setText(m_model.text("app.prediction.title"));
  m_unit->setText(unitText());
  m_commit->setText(m_model.text(said ? "app.prediction.change" : "app.prediction.commit"));
  m_field->setLocale(QLocale(QString::fromStdString(m_model.language())));
  name(m_field, m_model.text("app.prediction.title") + QLatin1Char(' ') + m_unit->text());
  name(m_choice, m_model.text("app.prediction.title"));
  m_field->setVisible(open && !choice);
  m_unit->setVisible(open && !choice);
  m_choice->setVisible(open && choice);
  m_commit->setVisible(open);
  showText(m_hint, open ? rangeText() : QString());
  showText(m_said, saidText());
}

std::optional<double> PredictionCard::typed() const {
  bool ok = false;
  auto text = m_field->text().simplified();
  text.remove(QLatin1Char(' ')).remove(QChar(0x202f)).remove(QChar(0xa0)).remove(QChar(0xd7)).remove(QLatin1Char('%'));
  double value = m_field->locale().toDouble(text, &ok);
  // Many type a point whatever their language.
  if (!ok) value = QLocale::c().toDouble(text, &ok);
  return ok && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

void PredictionCard::commit() {
  const auto* session = m_model.session();
  if (!session || !session->step().prediction) return;
  const auto& prediction = *session->step().prediction;
  if (prediction.isChoice()) {
    if (m_choice->currentIndex() > 0) m_model.predict(m_choice->currentIndex() - 1);
    else m_choice->setFocus();
    return;
  }
  auto value = typed();
  if (value) *value *= LearnTexts::unitFactor(prediction.unit, prediction.quantity);
  if (!value || *value < prediction.min || *value > prediction.max) {
    setRole(m_hint, QStringLiteral("warn"));
    showText(m_hint, rangeText());
    m_field->setFocus();
    m_field->selectAll();
    return;
  }
  setRole(m_hint, QStringLiteral("soft"));
  m_model.predict(value);
}

}  // namespace atelier::app
