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
  connect(m_fold, &QPushButton::toggled, this, &ErrorCard::unfold);
  connect(m_copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(record());
    m_copy->setText(m_model.text("app.error.copied"));
  });
}

QString ErrorCard::record() const {
  const auto* failed = m_model.failure();
  const auto* session = m_model.session();
  if (!failed || !session || !session->step().experiment) return QString();
  return LearnTexts(m_model.catalog(), m_model.format())
      .failureForSupport(*failed, session->request(session->step().id).spec, m_model.machine());
}

void ErrorCard::refresh() {
  const auto* failed = m_model.failure();
  setVisible(failed != nullptr);
  if (!failed) return;
  QStringList sentences;
  for (const auto& message : failed->messages) sentences << m_model.text(message);
  m_title->setText(m_model.text("app.error.title"));
  m_sentence->setText(sentences.join(QLatin1Char('\n')));
  m_copy->setText(m_model.text("app.error.copy"));
  m_copy->setIcon(m_theme.icon(QStringLiteral("copy"), m_theme.tokens().accent));
  m_details->setPlainText(record());
  m_details->setFixedHeight(m_theme.px(kDetailsHeight));
  name(m_details, m_model.text("app.error.details"));
  setAccessibleName(m_title->text() + QLatin1Char(' ') + m_sentence->text());
  unfold(m_fold->isChecked());
}

void ErrorCard::unfold(bool open) {
  m_details->setVisible(open);
  m_fold->setText(m_model.text(open ? "app.error.hide_details" : "app.error.show_details"));
  m_fold->setIcon(m_theme.icon(open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), m_theme.tokens().accent));
}

}  // namespace atelier::app
