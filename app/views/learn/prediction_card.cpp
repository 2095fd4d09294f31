#include "prediction_card.h"

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
  row->addWidget(m_unit = makeLabel("soft", this));
  row->addWidget(m_commit = makeButton("", this));
  row->addStretch(1);
  m_field->setMaximumWidth(160);
  m_field->setAlignment(Qt::AlignRight);
  m_unit->setWordWrap(false);
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
  const LearnTexts texts(m_model.catalog(), m_model.format());
  const auto min = texts.figure(prediction.min, prediction.unit).toStdString();
  const auto max = texts.figure(prediction.max, prediction.unit).toStdString();
  return m_model.text(wire::Message{"app.prediction.range", {{"min", min}, {"max", max}}});
}

void PredictionCard::refresh() {
  const auto* session = m_model.session();
  const bool asked = session && session->step().prediction;
  setVisible(asked);
  if (!asked) return;
  const auto& step = session->step();
  const auto& unit = step.prediction->unit;
  const LearnTexts texts(m_model.catalog(), m_model.format());
  const bool open = m_model.canPredict();
  const auto said = session->progress(step.id).prediction;
  const auto place = std::to_string(m_model.visit()) + "/" + session->lab().id + "/" + step.id;
  if (m_place != place) {
    m_field->clear();
    setRole(m_hint, QStringLiteral("soft"));
  }
  m_place = place;
  m_title->setText(m_model.text("app.prediction.title"));
  m_unit->setText(unit == "bytes" ? QStringLiteral("MiB") : unit == "percent" ? QStringLiteral("%") : texts.unitName(unit));
  m_commit->setText(m_model.text(said ? "app.prediction.change" : "app.prediction.commit"));
  m_field->setLocale(QLocale(QString::fromStdString(m_model.language())));
  name(m_field, m_model.text("app.prediction.title") + QLatin1Char(' ') + m_unit->text());
  for (QWidget* widget : std::initializer_list<QWidget*>{m_field, m_unit, m_commit}) widget->setVisible(open);
  showText(m_hint, open ? rangeText() : QString());
  QString line;
  for (const auto& comparison : session->predictions())
    if (comparison.step == step.id) line = texts.comparison(comparison);
  if (line.isEmpty() && said) {
    const auto predicted = texts.figure(*said, unit).toStdString();
    line = m_model.text(wire::Message{"app.prediction.said", {{"predicted", predicted}}});
  }
  if (line.isEmpty() && !open) line = m_model.text("app.prediction.none");
  showText(m_said, line);
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
