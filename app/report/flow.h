// Flow: content in reading order, broken into pages. Everything is a Block of a known height; a block may ask to stay with
// the next one (a heading with its text, a table's header with its first row, the first two lines of a paragraph), and a
// row names the header to repeat when its table goes on over a page. Widths and heights are units of style.h. GUI thread.
#pragma once

#include <QPainter>
#include <QString>
#include <QVector>

#include <functional>
#include <memory>

#include "style.h"

namespace atelier::app::report {

struct Block {
  double height = 0, before = 0;  // `before` is dropped at the top of a page
  bool keepWithNext = false;
  std::shared_ptr<const Block> repeat;  // drawn first when this block opens a page
  std::function<void(QPainter&, QPointF topLeft)> draw;
};

struct Line {
  QString text;
  double height = 0, ascent = 0;
};

enum class Align { Left, Right };

struct Cell {
  QString text;
  QColor colour;  // invalid: the text colour
  bool strong = false;
  QString second{};  // smaller and softer, below
};

struct Column {
  QString title;
  double share = 1;  // of the table's width, relative to the others'
  Align align = Align::Left;
  bool code = false;
};

// Breaks text into lines of at most `width`; words longer than that break anywhere. Newlines are kept.
QVector<Line> breakLines(const QString& text, const QFont& font, double width);

class Flow {
 public:
  explicit Flow(double width) : m_width(width) {}

  void title(const QString& overline, const QString& text, const QString& below);
  void heading(const QString& text);
  void subheading(const QString& text, double before = pt(14));
  void paragraph(const QString& text, QColor colour = ink().text, double points = 10, bool keepWithNext = false);
  void verdict(const QString& big, const QColor& colour, const QString& below);
  void code(const QString& text);
  void table(const QVector<Column>& columns, const QVector<QVector<Cell>>& rows);
  // Any drawing of a given height, kept whole.
  void figure(double height, std::function<void(QPainter&, const QRectF&)> draw);

  double width() const { return m_width; }
  const QVector<Block>& blocks() const { return m_blocks; }

 private:
  void lines(const QString& text, const QFont& font, QColor colour, double leading, double before, bool keepWithNext);

  double m_width;
  QVector<Block> m_blocks;
};

struct Placed {
  Block block;
  double top = 0;
};
using Page = QVector<Placed>;

// Every block once, in order, and repeated headers. A block taller than a page stands alone at the top of one.
QVector<Page> paginate(const QVector<Block>& blocks, double pageHeight);

}  // namespace atelier::app::report
