#include "code_view.h"

#include <QPaintEvent>
#include <QPainter>
#include <QTextBlock>

#include <algorithm>
#include <array>

#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr double kSize = 12;
constexpr std::array<const char*, 34> kKeywords{
    "False",  "None",     "True", "and",    "as",      "assert", "async",  "await",  "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "finally", "for",    "from",   "global", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass",    "raise",  "return", "try",    "while", "with"};

bool isKeyword(const QString& word) {
  return std::any_of(kKeywords.begin(), kKeywords.end(), [&](const char* known) { return word == QLatin1String(known); });
}

bool isWord(QChar c) {
  return c.isLetterOrNumber() || c == QLatin1Char('_');
}

// The quotes that open a text, by the state of a line that ends within one (three quotes only).
constexpr int kPlain = -1, kDouble = 1, kSingle = 2;

class Margin : public QWidget {
 public:
  explicit Margin(CodeView* view) : QWidget(view), m_view(view) {}

 protected:
  void paintEvent(QPaintEvent* event) override { m_view->drawNumbers(event); }

 private:
  CodeView* m_view;
};

}  // namespace

PythonHighlighter::PythonHighlighter(const Theme& theme, QTextDocument* document)
    : QSyntaxHighlighter(document), m_theme(theme) {}

qsizetype PythonHighlighter::paintText(const QString& text, qsizetype from, qsizetype opened) {
  const bool goesOn = opened < 0;  // open since a line before
  const QChar quote = goesOn ? QLatin1Char(previousBlockState() == kSingle ? '\'' : '"') : text[opened];
  const QString three(3, quote);
  const bool triple = goesOn || text.mid(opened, 3) == three;
  auto at = goesOn ? from : opened + (triple ? 3 : 1);
  while (at < text.size()) {
    if (text[at] == QLatin1Char('\\')) {
      at += 2;
    } else if (triple ? text.mid(at, 3) == three : text[at] == quote) {
      at += triple ? 3 : 1;
      setFormat(static_cast<int>(from), static_cast<int>(at - from), m_theme.tokens().good);
      return at;
    } else {
      ++at;
    }
  }
  setFormat(static_cast<int>(from), static_cast<int>(text.size() - from), m_theme.tokens().good);
  if (triple) setCurrentBlockState(quote == QLatin1Char('\'') ? kSingle : kDouble);
  return text.size();
}

void PythonHighlighter::paintWords(const QString& text, qsizetype from, qsizetype to) {
  const auto word = text.mid(from, to - from);
  const int start = static_cast<int>(from), length = static_cast<int>(to - from);
  if (isKeyword(word)) setFormat(start, length, m_theme.tokens().accent);
  else if (word.front().isDigit()) setFormat(start, length, m_theme.tokens().warn);
}

void PythonHighlighter::highlightBlock(const QString& text) {
  const bool open = previousBlockState() == kDouble || previousBlockState() == kSingle;
  setCurrentBlockState(kPlain);
  qsizetype at = open ? paintText(text, 0, -1) : 0;
  while (at < text.size()) {
    const QChar c = text[at];
    if (c == QLatin1Char('#')) {
      setFormat(static_cast<int>(at), static_cast<int>(text.size() - at), m_theme.tokens().soft);
      return;
    }
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
      at = paintText(text, at, at);
    } else if (isWord(c)) {
      auto end = at + 1;
      while (end < text.size() && isWord(text[end])) ++end;
      paintWords(text, at, end);
      at = end;
    } else {
      ++at;
    }
  }
}

CodeView::CodeView(const Theme& theme, QWidget* parent) : QPlainTextEdit(parent), m_theme(theme) {
  setReadOnly(true);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_colours = new PythonHighlighter(theme, document());
  m_margin = new Margin(this);
  connect(this, &QPlainTextEdit::updateRequest, this, &CodeView::scrolled);
  connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { setViewportMargins(marginWidth(), 0, 0, 0); });
  restyle();
}

void CodeView::restyle() {
  setFont(m_theme.monospace(kSize));
  m_colours->rehighlight();
  setViewportMargins(marginWidth(), 0, 0, 0);
  m_margin->update();
}

int CodeView::marginWidth() const {
  const auto digits = QString::number(std::max(99, blockCount()));
  return QFontMetrics(m_theme.monospace(kSize)).horizontalAdvance(digits) + m_theme.px(20);
}

void CodeView::scrolled(const QRect& area, int by) {
  if (by != 0) m_margin->scroll(0, by);
  else m_margin->update(0, area.y(), m_margin->width(), area.height());
}

void CodeView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  const auto area = contentsRect();
  m_margin->setGeometry(area.left(), area.top(), marginWidth(), area.height());
}

void CodeView::drawNumbers(QPaintEvent* event) {
  QPainter painter(m_margin);
  painter.fillRect(event->rect(), m_theme.tokens().ground);
  painter.setPen(m_theme.tokens().soft);
  painter.setFont(m_theme.monospace(kSize));
  auto block = firstVisibleBlock();
  auto box = blockBoundingGeometry(block).translated(contentOffset());
  while (block.isValid() && box.top() <= event->rect().bottom()) {
    const QRectF where(0, box.top(), m_margin->width() - m_theme.px(8), box.height());
    if (block.isVisible())
      painter.drawText(where, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), QString::number(block.blockNumber() + 1));
    block = block.next();
    box = blockBoundingGeometry(block).translated(contentOffset());
  }
}

}  // namespace atelier::app
