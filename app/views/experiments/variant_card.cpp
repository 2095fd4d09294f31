#include "variant_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

VariantCard::VariantCard(const Theme& theme, const Words& words, int variant, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_texts(words), m_variant(variant) {
  setProperty("role", "card");
  setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 8, 8);
  row->setSpacing(8);
  row->addWidget(m_letter = makeLabel("h2", this), 0, Qt::AlignTop);
  row->addWidget(m_words = makeLabel("body", this), 1);
  row->addWidget(m_edit = makeButton("link", this), 0, Qt::AlignTop);
  row->addWidget(m_remove = new QToolButton(this), 0, Qt::AlignTop);
  m_letter->setTextFormat(Qt::RichText);
  m_letter->setWordWrap(false);
  m_edit->setCheckable(true);
  m_remove->setFocusPolicy(Qt::StrongFocus);
  connect(m_edit, &QPushButton::clicked, this, &VariantCard::editAsked);
  connect(m_remove, &QToolButton::clicked, this, &VariantCard::removeAsked);
}

void VariantCard::fill(const QString& words, bool edited, bool removable) {
  const QChar letter(QLatin1Char(static_cast<char>('A' + m_variant)));
  m_letter->setText(QStringLiteral("<span style=\"color:%1\">%2</span> %3")
                        .arg(m_theme.seriesColor(m_variant).name(), Theme::seriesMarker(m_variant), QString(letter)));
  m_words->setText(words);
  m_edit->setChecked(edited);
  m_edit->setText(m_texts.text(edited ? "racepage.editing" : "racepage.edit"));
  const auto named = [&](const char* id) {
    return m_texts.text(wire::Message{id, {{"variant", QString(letter).toStdString()}}});
  };
  name(m_edit, named("racepage.edit_variant"));
  m_remove->setVisible(removable);
  m_remove->setIcon(m_theme.icon(QStringLiteral("cross"), m_theme.tokens().soft));
  m_remove->setToolTip(named("racepage.remove_variant"));
  name(m_remove, named("racepage.remove_variant"));
  setAccessibleName(QString(letter) + QLatin1Char(' ') + words);
}

}  // namespace atelier::app
