#include "notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <utility>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

NoticeBar::NoticeBar(const Theme& theme, const Words& words, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(words) {
  setProperty("role", "notice");
  setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 6, 6, 6);
  row->setSpacing(8);
  row->addWidget(m_text = makeLabel("", this), 1);
  row->addWidget(m_button = makeButton("link", this));
  row->addWidget(m_close = new QToolButton(this));
  m_close->setFocusPolicy(Qt::StrongFocus);
  connect(m_close, &QToolButton::clicked, this, &NoticeBar::dismiss);
  connect(m_button, &QPushButton::clicked, this, [this] {
    const auto act = m_act;
    dismiss();
    if (act) act();
  });
  connect(&m_words, &Words::changed, this, &NoticeBar::retext);
  connect(&m_theme, &Theme::changed, this, &NoticeBar::restyle);
  restyle();
  retext();
  hide();
}

void NoticeBar::say(std::vector<wire::Message> messages, std::string action, std::function<void()> act) {
  m_messages = std::move(messages);
  m_action = std::move(action);
  m_act = std::move(act);
  retext();
  setVisible(!m_messages.empty());
}

void NoticeBar::dismiss() {
  m_messages.clear();
  m_act = {};
  hide();
}

QString NoticeBar::text() const {
  return m_text->text();
}

void NoticeBar::retext() {
  m_text->setText(m_words.text(m_messages));
  m_button->setVisible(!m_action.empty());
  if (!m_action.empty()) m_button->setText(m_words.text(m_action));
  name(m_close, m_words.text("app.close"));
  m_close->setToolTip(m_words.text("app.close"));
  name(this, m_text->text());
}

void NoticeBar::restyle() {
  m_close->setIcon(m_theme.icon(QStringLiteral("cross"), m_theme.tokens().soft));
  m_close->setIconSize(QSize(m_theme.px(14), m_theme.px(14)));
}

}  // namespace atelier::app
