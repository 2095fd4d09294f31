// ErrorCard: why the last try failed, or why there is no engine to try with (then asked again by a button), as a sentence; the
// technical record behind a fold and ready to be copied. GUI thread.
#pragma once

#include <QWidget>

#include "core/wire/result.h"

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
  const wire::Error* noEngine() const;  // where the present step needs one
  QString record() const;
  void say(const QString& title, const std::vector<wire::Message>& messages, const QString& consequence);
  void unfold(bool open);

  const Theme& m_theme;
  LearnModel& m_model;
  QLabel *m_title = nullptr, *m_sentence = nullptr;
  QPushButton *m_retry = nullptr, *m_fold = nullptr, *m_copy = nullptr;
  QPlainTextEdit* m_details = nullptr;
};

}  // namespace atelier::app
