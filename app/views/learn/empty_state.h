// EmptyState: what stands in a panel's place before there is something to show: a quiet picture, a title, what to do next, and
// below it what does it (a key, a button). It follows the theme by itself. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace atelier::app {

class Theme;

class EmptyState : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyState(const Theme& theme, QWidget* parent = nullptr);

  void setTexts(const QString& title, const QString& text);  // "" shows none
  void addBelow(QWidget* widget);

 private:
  void restyle();

  const Theme& m_theme;
  QVBoxLayout* m_column = nullptr;
  QLabel *m_icon = nullptr, *m_title = nullptr, *m_text = nullptr;
};

}  // namespace atelier::app
