#include "spec_row.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <utility>

#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kCaption = 150, kNote = 130;

}  // namespace

SpecRow::SpecRow(const Theme& theme, const Words& words, wire::Option option, QWidget* parent)
    : QWidget(parent), m_words(words), m_option(std::move(option)) {
  setProperty("role", "plain");
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(2);
  grid->addWidget(m_caption = makeLabel("soft", this), 0, 0);
  grid->addWidget(m_editor = makeEditor(), 0, 1);
  grid->addWidget(m_note = makeLabel("soft", this), 0, 2);
  grid->addWidget(m_reset = new QToolButton(this), 0, 3);
  grid->addWidget(m_mistake = makeLabel("bad", this), 1, 1, 1, 3);
  grid->setColumnStretch(1, 1);
  m_caption->setFixedWidth(theme.px(kCaption));
  m_note->setFixedWidth(theme.px(kNote));
  m_caption->setText(text("label"));
  m_caption->setBuddy(m_editor);
  const auto help = text("help");
  m_caption->setToolTip(help);
  m_editor->setToolTip(help);
  m_editor->setObjectName(QString::fromStdString("spec." + m_option.key));
  name(m_editor, text("label"));
  m_reset->setIcon(theme.icon(QStringLiteral("reset"), theme.tokens().soft));
  m_reset->setFocusPolicy(Qt::StrongFocus);
  m_reset->setObjectName(QString::fromStdString("reset." + m_option.key));
  const auto back = m_words.text(wire::Message{"specform.reset", {{"name", text("label").toStdString()}}});
  m_reset->setToolTip(back);
  name(m_reset, back);
  auto policy = m_reset->sizePolicy();
  policy.setRetainSizeWhenHidden(true);
  m_reset->setSizePolicy(policy);
  connect(m_reset, &QToolButton::clicked, this, &SpecRow::resetAsked);
}

QString SpecRow::text(const char* part) const {
  const auto id = "option." + m_option.key + "." + part;
  return m_words.catalog().has(id) ? m_words.text(id) : QString::fromStdString(m_option.key);
}

QWidget* SpecRow::makeEditor() {
  if (m_option.type == wire::OptionType::Choice) {
    auto* box = new QComboBox(this);
    for (const auto& choice : m_option.choices) box->addItem(QString::fromStdString(choice));
    guardWheel(box);
    connect(box, &QComboBox::currentTextChanged, this, [this](const QString& word) {
      Q_EMIT typed(word);
      Q_EMIT settled();
    });
    return box;
  }
  if (m_option.type == wire::OptionType::Boolean) {
    auto* box = new QCheckBox(this);
    connect(box, &QCheckBox::toggled, this, [this](bool on) {
      Q_EMIT typed(on ? QStringLiteral("true") : QStringLiteral("false"));
      Q_EMIT settled();
    });
    return box;
  }
  auto* line = new QLineEdit(this);
  line->installEventFilter(this);
  connect(line, &QLineEdit::textEdited, this, [this](const QString& now) { Q_EMIT typed(plain(now.trimmed())); });
  connect(line, &QLineEdit::editingFinished, this, &SpecRow::settled);
  return line;
}

bool SpecRow::decimalComma() const {
  return m_option.type == wire::OptionType::Number && m_words.language() == "fr";
}

QString SpecRow::local(const std::string& plainText) const {
  auto shown = QString::fromStdString(plainText);
  return decimalComma() ? shown.replace(QLatin1Char('.'), QLatin1Char(',')) : shown;
}

QString SpecRow::plain(const QString& localText) const {
  auto text = localText;
  return decimalComma() ? text.replace(QLatin1Char(','), QLatin1Char('.')) : text;
}

void SpecRow::fill(const Shown& shown) {
  const QSignalBlocker quiet(m_editor);
  if (auto* box = qobject_cast<QComboBox*>(m_editor)) {
    box->setCurrentIndex(box->findText(QString::fromStdString(shown.typed)));  // −1: what was given is no choice
  } else if (auto* check = qobject_cast<QCheckBox*>(m_editor)) {
    check->setChecked(shown.typed == "true");
  } else if (auto* line = qobject_cast<QLineEdit*>(m_editor)) {
    // What is being typed is not written over.
    if (plain(line->text().trimmed()).toStdString() != shown.typed) line->setText(local(shown.typed));
  }
  const bool changed = !shown.note.isEmpty();
  setRole(m_caption, changed ? QStringLiteral("h2") : QStringLiteral("soft"));
  m_note->setText(shown.note);
  m_reset->setVisible(changed);
  showText(m_mistake, shown.mistake);
  m_editor->setAccessibleDescription(
      QStringList{shown.mistake, shown.note, m_editor->toolTip()}.join(QLatin1Char(' ')).trimmed());
}

bool SpecRow::matches(const QString& words) const {
  const auto all = QString::fromStdString(m_option.key) + QLatin1Char(' ') + text("label") + QLatin1Char(' ') + text("help");
  for (const auto& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    if (!all.contains(word, Qt::CaseInsensitive)) return false;
  return true;
}

bool SpecRow::eventFilter(QObject* watched, QEvent* event) {
  const auto* line = qobject_cast<QLineEdit*>(watched);
  if (line && event->type() == QEvent::ShortcutOverride) {
    // A field takes undo for itself even when it has nothing to take back: then the form does.
    const auto* key = static_cast<QKeyEvent*>(event);
    if ((key->matches(QKeySequence::Undo) && !line->isUndoAvailable()) ||
        (key->matches(QKeySequence::Redo) && !line->isRedoAvailable())) {
      event->ignore();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace atelier::app
