#include "error_card.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/models/learn_texts.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kDetailsHeight = 160;

}  // namespace

ErrorCard::ErrorCard(const Theme& theme, LearnModel& model, QWidget* parent) : QWidget(parent), m_theme(theme), m_model(model) {
  setProperty("role", "problem");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("bad", this));
  column->addWidget(m_sentence = makeLabel("body", this));
  column->addWidget(m_retry = makeButton("", this), 0, Qt::AlignLeft);
  auto* row = new QHBoxLayout;
  row->addWidget(m_fold = makeButton("link", this));
  row->addWidget(m_copy = makeButton("link", this));
  row->addStretch(1);
  column->addLayout(row);
  column->addWidget(m_details = new QPlainTextEdit(this));
  m_details->setReadOnly(true);
  m_details->setTabChangesFocus(true);
  m_details->hide();
  m_fold->setCheckable(true);
  connect(m_retry, &QPushButton::clicked, &m_model, &LearnModel::askSchema);
  connect(m_fold, &QPushButton::toggled, this, &ErrorCard::unfold);
  connect(m_copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(record());
    m_copy->setText(m_model.text("app.error.copied"));
  });
}

const wire::Error* ErrorCard::noEngine() const {
  const auto* session = m_model.session();
  return session && session->step().experiment ? m_model.schemaError() : nullptr;
}

// What was run then, not what the knobs say now.
QString ErrorCard::record() const {
  const LearnTexts texts(m_model.catalog(), m_model.format());
  const auto* failed = m_model.failure();
  const auto* request = m_model.failedRequest();
  if (const auto* none = noEngine()) return texts.failureForSupport({none->code, none->messages}, {}, m_model.machine());
  if (!failed || !request) return QString();
  const auto spec = request->verb == "race" ? nlohmann::json{{"a", request->spec}, {"b", request->b}} : request->spec;
  return texts.failureForSupport(*failed, spec, m_model.machine());
}

void ErrorCard::say(const QString& title, const std::vector<wire::Message>& messages, const QString& consequence) {
  QStringList sentences;
  for (const auto& message : messages) sentences << m_model.text(message);
  if (!consequence.isEmpty()) sentences << consequence;
  m_title->setText(title);
  m_sentence->setText(sentences.join(QLatin1Char('\n')));
  setAccessibleName(title + QLatin1Char(' ') + m_sentence->text());
}

void ErrorCard::refresh() {
  const auto* failed = m_model.failure();
  const auto* none = noEngine();
  setVisible(failed || none);
  if (!failed && !none) return;
  if (none) say(m_model.text("app.error.no_engine"), none->messages, m_model.text("app.error.no_engine_why"));
  else say(m_model.text("app.error.title"), failed->messages, QString());
  m_retry->setVisible(none);
  m_retry->setText(m_model.text("app.error.retry"));
  m_retry->setIcon(m_theme.icon(QStringLiteral("reset")));
  m_copy->setText(m_model.text("app.error.copy"));
  m_copy->setIcon(m_theme.icon(QStringLiteral("copy"), m_theme.tokens().accent));
  m_details->setPlainText(record());
  m_details->setFixedHeight(m_theme.px(kDetailsHeight));
  name(m_details, m_model.text("app.error.details"));
  unfold(m_fold->isChecked());
}

void ErrorCard::unfold(bool open) {
  m_details->setVisible(open);
  m_fold->setText(m_model.text(open ? "app.error.hide_details" : "app.error.show_details"));
  m_fold->setIcon(
      m_theme.icon(open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), m_theme.tokens().accent));
}

}  // namespace atelier::app
