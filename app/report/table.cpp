#include "flow.h"

#include <algorithm>
#include <numeric>

namespace atelier::app::report {
namespace {

constexpr qsizetype kHeaderLines = 3;
constexpr double kGap = pt(10), kPad = pt(3.5), kSize = 9, kSmall = 8;

struct Styled {
  Line line;
  QFont font;
  QColor colour;
};

struct Place {
  double left = 0, width = 0;
  Align align = Align::Left;
};

QVector<Place> places(const QVector<Column>& columns, double width) {
  const double shares =
      std::accumulate(columns.begin(), columns.end(), 0.0, [](double sum, const Column& c) { return sum + c.share; });
  const double usable = width - kGap * static_cast<double>(columns.size() - 1);
  QVector<Place> result;
  double left = 0;
  for (const auto& column : columns) {
    const double own = usable * column.share / shares;
    result.append({left, own, column.align});
    left += own + kGap;
  }
  return result;
}

QVector<Styled> cellLines(const Cell& cell, const Column& column, double width) {
  QVector<Styled> result;
  const auto main = font(column.code ? Face::Code : cell.strong ? Face::Strong : Face::Text, column.code ? kSmall : kSize);
  const auto colour = cell.colour.isValid() ? cell.colour : ink().text;
  for (const auto& line : breakLines(cell.text, main, width)) result.append({line, main, colour});
  const auto small = font(Face::Text, kSmall);
  if (!cell.second.isEmpty())
    for (const auto& line : breakLines(cell.second, small, width)) result.append({line, small, ink().soft});
  return result;
}

void drawLine(QPainter& painter, const Styled& styled, const Place& place, QPointF at) {
  painter.setFont(styled.font);
  painter.setPen(styled.colour);
  const double room = place.width - QFontMetricsF(styled.font).horizontalAdvance(styled.line.text);
  painter.drawText(at + QPointF(place.left + (place.align == Align::Right ? room : 0), styled.line.ascent), styled.line.text);
}

// One row as slices, a slice a line of text, so that a row taller than a page still breaks; short rows are kept whole.
QVector<Block> rowBlocks(const QVector<QVector<Styled>>& cells, const QVector<Place>& at, double width, const QColor& rule) {
  constexpr double kSlice = pt(11.5);
  qsizetype slices = 1;
  for (const auto& lines : cells) slices = std::max(slices, lines.size());
  QVector<Block> blocks;
  for (qsizetype i = 0; i < slices; ++i) {
    const bool first = i == 0, last = i + 1 == slices;
    Block block;
    block.height = kSlice + (first ? kPad : 0) + (last ? kPad : 0);
    block.keepWithNext = !last && (slices <= 12 || first || i + 2 == slices);
    block.draw = [cells, at, i, first, last, width, rule, height = block.height](QPainter& painter, QPointF corner) {
      for (qsizetype c = 0; c < cells.size(); ++c)
        if (i < cells[c].size()) drawLine(painter, cells[c][i], at[c], corner + QPointF(0, first ? kPad : 0));
      if (!last) return;
      painter.setPen(QPen(rule, pt(0.5)));
      painter.drawLine(corner + QPointF(0, height), corner + QPointF(width, height));
    };
    blocks.append(block);
  }
  return blocks;
}

// The header as one block: it is repeated whole.
Block headerBlock(const QVector<Column>& columns, const QVector<Place>& at, double width) {
  QVector<QVector<Styled>> cells;
  const auto face = font(Face::Medium, kSmall);
  for (qsizetype c = 0; c < columns.size(); ++c) {
    cells.append(QVector<Styled>());
    for (const auto& line : breakLines(columns[c].title, face, at[c].width)) cells.last().append({line, face, ink().soft});
    // It stands again on every page of its table, so it may not fill one.
    if (cells.last().size() <= kHeaderLines) continue;
    cells.last().resize(kHeaderLines);
    cells.last().last().line.text.chop(1);
    cells.last().last().line.text += QChar(0x2026);
  }
  const auto slices = rowBlocks(cells, at, width, ink().soft);
  Block header;
  for (const auto& slice : slices) header.height += slice.height;
  header.draw = [slices](QPainter& painter, QPointF corner) {
    for (const auto& slice : slices) {
      slice.draw(painter, corner);
      corner.ry() += slice.height;
    }
  };
  return header;
}

}  // namespace

void Flow::table(const QVector<Column>& columns, const QVector<QVector<Cell>>& rows) {
  if (columns.isEmpty() || rows.isEmpty()) return;
  const auto at = places(columns, m_width);
  auto header = headerBlock(columns, at, m_width);
  const auto repeated = std::make_shared<const Block>(header);
  const bool titled = std::any_of(columns.begin(), columns.end(), [](const Column& column) { return !column.title.isEmpty(); });
  header.before = pt(6);
  header.keepWithNext = true;
  if (titled) m_blocks.append(header);
  for (const auto& row : rows) {
    const bool opens = !titled && &row == &rows.first();
    QVector<QVector<Styled>> cells;
    for (qsizetype c = 0; c < columns.size(); ++c)
      cells.append(c < row.size() ? cellLines(row[c], columns[c], at[c].width) : QVector<Styled>());
    auto slices = rowBlocks(cells, at, m_width, ink().line);
    if (opens) slices.first().before = pt(6);
    for (auto& block : slices) {
      if (titled) block.repeat = repeated;
      m_blocks.append(block);
    }
  }
}

}  // namespace atelier::app::report
