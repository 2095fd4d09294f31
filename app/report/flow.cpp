#include "flow.h"

#include <QFontMetricsF>
#include <QTextLayout>

#include <algorithm>
#include <utility>

namespace atelier::app::report {
namespace {

// Line breaking can't see where a path or an option list may break, and an unbroken one would run out of its column.
QTextOption wrapping() {
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  option.setUseDesignMetrics(true);
  return option;
}

Block lineBlock(const Line& line, const QFont& font, const QColor& colour, double leading) {
  Block block;
  block.height = line.height * leading;
  block.draw = [line, font, colour, leading](QPainter& painter, QPointF at) {
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(at + QPointF(0, line.ascent + line.height * (leading - 1) / 2), line.text);
  };
  return block;
}

}  // namespace

QVector<Line> breakLines(const QString& text, const QFont& font, double width) {
  QVector<Line> lines;
  const QFontMetricsF metrics(font);
  for (const auto& part : text.split(QLatin1Char('\n'))) {
    QTextLayout layout(part, font);
    layout.setTextOption(wrapping());
    layout.beginLayout();
    while (true) {
      auto line = layout.createLine();
      if (!line.isValid()) break;
      line.setLineWidth(width);
      lines.append({part.mid(line.textStart(), line.textLength()).trimmed(), metrics.height(), metrics.ascent()});
    }
    layout.endLayout();
    if (part.isEmpty() && (lines.isEmpty() || !lines.last().text.isEmpty()))
      lines.append({QString(), metrics.height(), metrics.ascent()});
  }
  return lines;
}

void Flow::lines(const QString& text, const QFont& font, QColor colour, double leading, double before, bool keepWithNext) {
  const auto broken = breakLines(text, font, m_width);
  for (qsizetype i = 0; i < broken.size(); ++i) {
    auto block = lineBlock(broken[i], font, colour, leading);
    block.before = i == 0 ? before : 0;
    const bool last = i + 1 == broken.size();
    // No single line of a paragraph is left alone at the foot or at the head of a page.
    block.keepWithNext = last ? keepWithNext : keepWithNext || i == 0 || i + 2 == broken.size();
    m_blocks.append(block);
  }
}

void Flow::title(const QString& overline, const QString& text, const QString& below) {
  if (!overline.isEmpty()) {
    auto face = font(Face::Strong, 8.5);
    face.setLetterSpacing(QFont::PercentageSpacing, 106);
    lines(overline.toUpper(), face, ink().accent, 1.2, 0, true);
  }
  lines(text, font(Face::Strong, 22), ink().text, 1.05, pt(2), true);
  if (!below.isEmpty()) lines(below, font(Face::Text, 11), ink().soft, 1.2, pt(4), false);
}

void Flow::heading(const QString& text) {
  lines(text, font(Face::Strong, 14), ink().text, 1.1, pt(24), true);
}

void Flow::subheading(const QString& text, double before) {
  lines(text, font(Face::Strong, 10), ink().text, 1.15, before, true);
}

void Flow::paragraph(const QString& text, QColor colour, double points, bool keepWithNext) {
  if (!text.trimmed().isEmpty()) lines(text.trimmed(), font(Face::Text, points), colour, 1.2, pt(5), keepWithNext);
}

void Flow::verdict(const QString& big, const QColor& colour, const QString& below) {
  lines(big, font(Face::Strong, 20), colour, 1.05, pt(10), true);
  lines(below, font(Face::Text, 10), ink().text, 1.2, pt(1), false);
}

void Flow::code(const QString& text) {
  const auto face = font(Face::Code, 8);
  const double inset = pt(8);
  const auto broken = breakLines(text, face, m_width - 2 * inset);
  for (qsizetype i = 0; i < broken.size(); ++i) {
    const bool first = i == 0, last = i + 1 == broken.size();
    const double above = first ? inset : 0, below = last ? inset : 0;
    Block block;
    block.before = first ? pt(6) : 0;
    block.height = above + broken[i].height * 1.25 + below;
    block.keepWithNext = !last && (first || i + 2 == broken.size());
    block.draw = [line = broken[i], face, inset, above, width = m_width, height = block.height](QPainter& painter, QPointF at) {
      // A hair more than its height, so that no white seam shows between the lines' grounds.
      painter.fillRect(QRectF(at.x(), at.y(), width, height + 1), ink().raised);
      painter.setFont(face);
      painter.setPen(ink().text);
      painter.drawText(at + QPointF(inset, above + line.ascent + line.height * 0.125), line.text);
    };
    m_blocks.append(block);
  }
}

void Flow::figure(double height, std::function<void(QPainter&, const QRectF&)> draw) {
  Block block;
  block.height = height;
  block.before = pt(12);
  block.draw = [draw = std::move(draw), width = m_width, height](QPainter& painter, QPointF at) {
    painter.save();
    draw(painter, QRectF(at, QSizeF(width, height)));
    painter.restore();
  };
  m_blocks.append(block);
}

QVector<Page> paginate(const QVector<Block>& blocks, double pageHeight) {
  QVector<Page> pages(1);
  double y = 0;
  for (qsizetype i = 0; i < blocks.size();) {
    qsizetype end = i;
    double needed = 0;
    // The chain of blocks that ask for each other, as far as one page can hold it.
    do {
      const double more = blocks[end].height + (end == i ? 0 : blocks[end].before);
      if (end > i && needed + more > pageHeight) break;
      needed += more;
    } while (blocks[end++].keepWithNext && end < blocks.size());
    if (!pages.last().isEmpty() && y + blocks[i].before + needed > pageHeight) {
      pages.append(Page());
      y = 0;
      if (const auto& header = blocks[i].repeat) {
        pages.last().append({*header, 0});
        y = header->height;
      }
    }
    for (; i < end; ++i) {
      if (!pages.last().isEmpty()) y += blocks[i].before;
      pages.last().append({blocks[i], y});
      y += blocks[i].height;
    }
  }
  return pages;
}

}  // namespace atelier::app::report
