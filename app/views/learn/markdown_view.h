// MarkdownView: a lab's text, as high as its content and at most 72 characters wide, with code in blocks of its own. It never
// scrolls: the card around it does. GUI thread.
#pragma once

#include <QTextBrowser>

namespace atelier::app {

class Theme;

class MarkdownView : public QTextBrowser {
  Q_OBJECT
 public:
  explicit MarkdownView(const Theme& theme, QWidget* parent = nullptr);

  void setText(const QString& markdown);
  void restyle();
  // The fenced code blocks of a text, one after another; "" when there is none.
  static QString code(const QString& markdown);

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void styleCode();
  void styleTables();

  const Theme& m_theme;
  QString m_markdown;
};

}  // namespace atelier::app
