#include "notes_editor.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kNote = 120, kLongestName = 200;

std::vector<std::string> tagsOf(const QString& text) {
  std::vector<std::string> tags;
  const auto parts = text.split(QLatin1Char(','), Qt::SkipEmptyParts);
  for (const auto& part : parts)
    if (const auto tag = part.simplified(); !tag.isEmpty()) tags.push_back(tag.toStdString());
  return tags;
}

QString textOf(const std::vector<std::string>& tags) {
  QStringList all;
  for (const auto& tag : tags) all << QString::fromStdString(tag);
  return all.join(QStringLiteral(", "));
}

}  // namespace

NotesEditor::NotesEditor(const Desktop& desktop, RunLibrary& library, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_library(library) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(m_about = makeLabel("h2", this));
  column->addSpacing(8);
  column->addWidget(m_nameCaption = makeLabel("soft", this));
  column->addWidget(m_name = new QLineEdit(this));
  column->addSpacing(8);
  column->addWidget(m_tagsCaption = makeLabel("soft", this));
  column->addWidget(m_tags = new QLineEdit(this));
  column->addSpacing(8);
  column->addWidget(m_noteCaption = makeLabel("soft", this));
  column->addWidget(m_note = new QPlainTextEdit(this), 1);
  column->addSpacing(8);
  column->addWidget(m_pin = new QCheckBox(this), 0, Qt::AlignLeft);
  column->addWidget(m_kept = makeLabel("soft", this));
  m_name->setMaxLength(kLongestName);
  m_note->setProperty("role", "note");
  m_note->setTabChangesFocus(true);
  m_nameCaption->setBuddy(m_name);
  m_tagsCaption->setBuddy(m_tags);
  m_noteCaption->setBuddy(m_note);
  connect(m_name, &QLineEdit::textEdited, this, &NotesEditor::edit);
  connect(m_tags, &QLineEdit::textEdited, this, &NotesEditor::edit);
  connect(m_note, &QPlainTextEdit::textChanged, this, &NotesEditor::edit);
  connect(m_pin, &QCheckBox::toggled, this, &NotesEditor::edit);
  connect(&m_desktop.theme, &Theme::changed, this, &NotesEditor::restyle);
  restyle();
  retext();
  showRun(nullptr);
}

void NotesEditor::showRun(const RunPtr& run) {
  const QScopedValueRollback filling(m_filling, true);
  setEnabled(run != nullptr);
  const auto id = run ? run->id : std::string();
  const bool same = id == m_run;
  m_run = id;
  m_about->setText(QString::fromStdString(id));
  const auto labels = run ? run->labels : registry::Labels();
  // What is being typed is ahead of what is kept: "a, " is a tag and the beginning of another.
  const auto name = QString::fromStdString(labels.name), note = QString::fromStdString(labels.note);
  if (!same || m_name->text().trimmed() != name) m_name->setText(name);
  if (!same || tagsOf(m_tags->text()) != labels.tags) m_tags->setText(textOf(labels.tags));
  if (m_note->toPlainText() != note) m_note->setPlainText(note);
  m_pin->setChecked(labels.pinned);
}

void NotesEditor::edit() {
  if (m_filling || m_run.empty()) return;
  registry::Labels labels;
  labels.name = m_name->text().trimmed().toStdString();
  labels.note = m_note->toPlainText().toStdString();
  labels.tags = tagsOf(m_tags->text());
  labels.pinned = m_pin->isChecked();
  m_library.label(m_run, labels);
}

void NotesEditor::takeFocus() {
  m_name->setFocus(Qt::ShortcutFocusReason);
  m_name->selectAll();
}

void NotesEditor::retext() {
  const auto& words = m_desktop.words;
  m_nameCaption->setText(words.text("experiments.notes.name"));
  m_tagsCaption->setText(words.text("experiments.notes.tags"));
  m_noteCaption->setText(words.text("experiments.notes.note"));
  m_pin->setText(words.text("experiments.notes.pin"));
  m_kept->setText(words.text("experiments.notes.kept"));
  name(m_name, m_nameCaption->text());
  name(m_tags, m_tagsCaption->text());
  name(m_note, m_noteCaption->text());
}

void NotesEditor::restyle() {
  m_note->setMinimumHeight(m_desktop.theme.px(kNote));
}

}  // namespace atelier::app
