// VariantCard: one variant of a race in the set-up: its letter in its colour, what it does, edit and remove. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace atelier::app {

class Theme;
class Words;

class VariantCard : public QWidget {
  Q_OBJECT
 public:
  VariantCard(const Theme& theme, const Words& words, int variant, QWidget* parent = nullptr);

  // `words`: what it does; `edited`: the form below shows it.
  void fill(const QString& words, bool edited, bool removable);
  QPushButton* editButton() const { return m_edit; }
  QToolButton* removeButton() const { return m_remove; }

 Q_SIGNALS:
  void editAsked();
  void removeAsked();

 private:
  const Theme& m_theme;
  const Words& m_texts;
  int m_variant;
  QLabel *m_letter = nullptr, *m_words = nullptr;
  QPushButton* m_edit = nullptr;
  QToolButton* m_remove = nullptr;
};

}  // namespace atelier::app
