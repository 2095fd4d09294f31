// NoticeBar: what the reader should know just now, with one thing to do about it; hidden when there is nothing. It is worded
// anew when the language changes. GUI thread.
#pragma once

#include <QWidget>

#include <functional>
#include <string>
#include <vector>

#include "core/wire/result.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace atelier::app {

class Theme;
class Words;

class NoticeBar : public QWidget {
  Q_OBJECT
 public:
  NoticeBar(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  // `action`: a catalog id for the button, "" for none. Replaces what was said before.
  void say(std::vector<wire::Message> messages, std::string action = {}, std::function<void()> act = {});
  void dismiss();
  QString text() const;

 private:
  void retext();
  void restyle();

  const Theme& m_theme;
  const Words& m_words;
  std::vector<wire::Message> m_messages;
  std::string m_action;
  std::function<void()> m_act;
  QLabel* m_text = nullptr;
  QPushButton* m_button = nullptr;
  QToolButton* m_close = nullptr;
};

}  // namespace atelier::app
