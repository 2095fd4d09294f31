#include "markdown_view.h"

#include <QAbstractTextDocumentLayout>
#include <QKeyEvent>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextList>
#include <QTextTable>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr double kBody = 14, kCode = 12.5, kLineHeight = 135, kCodeMargin = 10;
constexpr double kParagraphGap = 8, kItemGap = 4, kIndent = 20, kCellPadding = 4;

bool isCode(const QTextBlock& block) {
  const auto format = block.blockFormat();
  return format.hasProperty(QTextFormat::BlockCodeFence) || format.hasProperty(QTextFormat::BlockCodeLanguage);
}

}  // namespace

MarkdownView::MarkdownView(const Theme& theme, QWidget* parent) : QTextBrowser(parent), m_theme(theme) {
  setOpenExternalLinks(true);
  setFocusPolicy(Qt::ClickFocus);
  setTabChangesFocus(true);
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  document()->setDocumentMargin(0);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          [this](const QSizeF& size) { setFixedHeight(static_cast<int>(std::ceil(size.height())) + 2); });
}

void MarkdownView::setText(const QString& markdown) {
  if (markdown == m_markdown) return;
  m_markdown = markdown;
  restyle();
}

void MarkdownView::restyle() {
  const QFont font = m_theme.font(kBody);
  document()->setDefaultFont(font);
  document()->setIndentWidth(m_theme.px(kIndent));
  document()->setMarkdown(m_markdown, QTextDocument::MarkdownDialectGitHub);
  setMaximumWidth(m_theme.lineWidth() + 2);
  styleCode();
  styleTables();
  setAccessibleName(document()->toPlainText());
}

void MarkdownView::styleCode() {
  const auto& tokens = m_theme.tokens();
  QTextCharFormat code;
  code.setFont(m_theme.monospace(kCode));
  code.setBackground(tokens.raised);
  for (auto block = document()->begin(); block.isValid(); block = block.next()) {
    QTextCursor cursor(block);
    auto format = block.blockFormat();
    if (isCode(block)) {
      format.setBackground(tokens.raised);
      format.setLeftMargin(0);
      format.setTextIndent(0);
      // A long line wraps: nothing here scrolls sideways.
      format.setNonBreakableLines(false);
      format.setTopMargin(isCode(block.previous()) ? 0 : m_theme.px(kCodeMargin));
      format.setBottomMargin(isCode(block.next()) ? 0 : m_theme.px(kCodeMargin));
      cursor.setBlockFormat(format);
      cursor.select(QTextCursor::BlockUnderCursor);
      cursor.mergeCharFormat(code);
      continue;
    }
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    if (!cursor.currentTable()) format.setBottomMargin(m_theme.px(block.textList() ? kItemGap : kParagraphGap));
    cursor.setBlockFormat(format);
    QVector<QPair<int, int>> inlineCode;
    for (auto it = block.begin(); !it.atEnd(); ++it)
      if (it.fragment().charFormat().fontFixedPitch()) inlineCode.append({it.fragment().position(), it.fragment().length()});
    for (const auto& [from, length] : inlineCode) {
      cursor.setPosition(from);
      cursor.setPosition(from + length, QTextCursor::KeepAnchor);
      cursor.mergeCharFormat(code);
    }
  }
}

void MarkdownView::styleTables() {
  QTextTableFormat table;
  table.setBorder(0);
  table.setBorderCollapse(true);
  table.setCellSpacing(0);
  table.setCellPadding(m_theme.px(kCellPadding));
  table.setBottomMargin(m_theme.px(kParagraphGap));
  table.setWidth(QTextLength(QTextLength::PercentageLength, 100));
  for (auto* frame : document()->rootFrame()->childFrames()) {
    auto* found = qobject_cast<QTextTable*>(frame);
    if (!found) continue;
    found->setFormat(table);
    for (int row = 0; row < found->rows(); ++row)
      for (int column = 0; column < found->columns(); ++column) {
        auto cell = found->cellAt(row, column);
        auto format = cell.format().toTableCellFormat();
        format.setBottomBorder(1);
        format.setBottomBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBottomBorderBrush(m_theme.tokens().line);
        cell.setFormat(format);
      }
  }
}

QString MarkdownView::code(const QString& markdown) {
  QStringList lines;
  bool inside = false;
  for (const auto& line : markdown.split(QLatin1Char('\n'))) {
    if (line.startsWith(QLatin1String("```"))) {
      inside = !inside;
    } else if (inside) {
      lines.append(line);
    }
  }
  return lines.isEmpty() ? QString() : lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void MarkdownView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      // Left to the card around, which scrolls.
      event->ignore();
      break;
    default:
      QTextBrowser::keyPressEvent(event);
  }
}

void MarkdownView::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

}  // namespace atelier::app
