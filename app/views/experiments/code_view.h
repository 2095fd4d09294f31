// CodeView: Python to be read: line numbers, quiet colours (keywords, text, comments), no wrapping. GUI thread.
#pragma once

#include <QPlainTextEdit>
#include <QSyntaxHighlighter>

namespace atelier::app {

class Theme;

class PythonHighlighter : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  PythonHighlighter(const Theme& theme, QTextDocument* document);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  // Where the text that is open at `from` ends; the line's end when it goes on.
  qsizetype paintText(const QString& text, qsizetype from, qsizetype opened);
  void paintWords(const QString& text, qsizetype from, qsizetype to);

  const Theme& m_theme;
};

class CodeView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit CodeView(const Theme& theme, QWidget* parent = nullptr);

  void restyle();
  void drawNumbers(QPaintEvent* event);  // of the margin, which asks for it
  int marginWidth() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void scrolled(const QRect& area, int by);

  const Theme& m_theme;
  PythonHighlighter* m_colours = nullptr;
  QWidget* m_margin = nullptr;
};

}  // namespace atelier::app
