// What a lab's ladder says: a bar for each rung with the interval of its factor over the foot, and the table with what was
// measured at each.
#include <algorithm>
#include <cmath>
#include <utility>

#include "labs/ladder_text.h"
#include "sections.h"

namespace atelier::app::report {
namespace {

constexpr double kRow = pt(18), kFoot = pt(14), kNames = 0.28;  // kNames: share of the width
constexpr double kBarOpacity = 0.35;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

struct Bar {
  QString name;
  wire::Interval factor{};
  QColor colour;
};

QVector<Bar> barsOf(const Writing& w, const lab::Ladder& ladder) {
  QVector<Bar> bars;
  bars.append({w.text("ladder.foot"), {1, 1, 1, 0}, ink().soft});
  for (const auto& rung : ladder.rungs)
    if (rung.factor) bars.append({qt(rung.title), *rung.factor, rung.kept() ? ink().good : ink().soft});
  if (ladder.whole) bars.append({w.text("ladder.whole"), *ladder.whole, seriesPen(1, 1).color()});
  return bars;
}

class BarDrawing {
 public:
  BarDrawing(QPainter& painter, const QRectF& area, const QVector<Bar>& bars, const wire::Format& format)
      : m_painter(painter), m_area(area), m_bars(bars), m_format(format) {
    double highest = 1;
    for (const auto& bar : bars)
      if (std::isfinite(bar.factor.high)) highest = std::max(highest, bar.factor.high);
    m_ticks = niceTicks(0, highest, 5);
    m_axes = area.adjusted(area.width() * kNames, 0, -pt(14), -kFoot);
  }

  void draw() {
    grid();
    for (qsizetype i = 0; i < m_bars.size(); ++i) bar(m_bars[i], m_axes.top() + (static_cast<double>(i) + 0.5) * kRow);
  }

 private:
  double x(double factor) const {
    return m_axes.left() + m_axes.width() * std::clamp(factor / m_ticks.last(), 0.0, 1.0);
  }

  void grid() {
    m_painter.setFont(font(Face::Text, 7.5));
    const int decimals = m_ticks.size() > 1 && m_ticks[1] - m_ticks[0] < 1 ? 1 : 0;
    for (const double tick : m_ticks) {
      m_painter.setPen(QPen(ink().line, pt(0.5)));
      m_painter.drawLine(QPointF(x(tick), m_axes.top()), QPointF(x(tick), m_axes.bottom()));
      m_painter.setPen(ink().soft);
      m_painter.drawText(QRectF(x(tick) - pt(30), m_axes.bottom() + pt(1), pt(60), kFoot), Qt::AlignHCenter | Qt::AlignTop,
                         qt(m_format.fixed(tick, decimals)) + QStringLiteral("×"));
    }
  }

  void bar(const Bar& bar, double middle) {
    const QRectF room(m_area.left(), middle - kRow / 2, m_axes.left() - m_area.left() - pt(6), kRow);
    m_painter.setFont(font(Face::Medium, 8));
    m_painter.setPen(ink().text);
    m_painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                       QFontMetricsF(m_painter.font()).elidedText(bar.name, Qt::ElideRight, room.width()));
    if (!std::isfinite(bar.factor.median)) return;
    auto fill = bar.colour;
    fill.setAlphaF(kBarOpacity);
    m_painter.fillRect(QRectF(QPointF(x(0), middle - pt(5)), QPointF(x(bar.factor.median), middle + pt(5))), fill);
    m_painter.setPen(QPen(bar.colour, pt(1.6)));
    m_painter.drawLine(QPointF(x(bar.factor.low), middle), QPointF(x(bar.factor.high), middle));
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(bar.colour);
    m_painter.drawEllipse(QPointF(x(bar.factor.median), middle), pt(2.6), pt(2.6));
    m_painter.setBrush(Qt::NoBrush);
  }

  QPainter& m_painter;
  QRectF m_area, m_axes;
  const QVector<Bar>& m_bars;
  const wire::Format& m_format;
  QVector<double> m_ticks;
};

void addTable(const Writing& w, const lab::Ladder& ladder) {
  QVector<QVector<Cell>> rows;
  for (const auto& line : lab::ladderLines(ladder, w.catalog))
    rows.append({{qt(line.change), {}, !line.keys},
                 {qt(line.gain), {}, false, qt(line.interval)},
                 {qt(line.factor), {}, true, qt(line.factor_range)},
                 {qt(line.rate), {}, false, qt(line.epoch)},
                 {qt(line.memory), {}},
                 {qt(line.accuracy), {}},
                 {qt(line.verdict), {}}});
  const auto head = lab::ladderHead(w.catalog);
  w.flow.table({{qt(head[0]), 1.7},
                {qt(head[1]), 1, Align::Right},
                {qt(head[2]), 1, Align::Right},
                {qt(head[3] + ", " + head[4]), 1.1, Align::Right},
                {qt(head[5]), 0.9, Align::Right},
                {qt(head[6]), 0.8, Align::Right},
                {qt(head[7]), 1.3}},
               rows);
}

}  // namespace

void addLadders(const Writing& w) {
  for (const auto& ladder : w.content.ladders) {
    w.flow.heading(w.text("ladder.plot.title"));
    w.flow.paragraph(w.text("ladder.report"), ink().soft, 9, true);
    const auto bars = barsOf(w, ladder);
    w.flow.figure(static_cast<double>(bars.size()) * kRow + kFoot,
                  [bars, format = w.format](QPainter& painter, const QRectF& area) {
                    BarDrawing(painter, area, bars, format).draw();
                  });
    addTable(w, ladder);
  }
}

}  // namespace atelier::app::report
