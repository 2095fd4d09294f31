// ErrorCard: why the last try failed, as a sentence; its technical record behind a fold and ready to be copied. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace atelier::app {

class LearnModel;
class Theme;

class ErrorCard : public QWidget {
  Q_OBJECT
 public:
  ErrorCard(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);
  void refresh();

 private:
  QString record() const;
  void unfold(bool open);

  const Theme& m_theme;
  LearnModel& m_model;
  QLabel *m_title = nullptr, *m_sentence = nullptr;
  QPushButton *m_fold = nullptr, *m_copy = nullptr;
  QPlainTextEdit* m_details = nullptr;
};

}  // namespace atelier::app
