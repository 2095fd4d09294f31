#include "range_plot.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/formats_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kHead = 28, kAxis = 22, kNames = 108, kPadding = 12, kGap = 10, kLeastBar = 20, kThick = 12, kSeries = 130,
              kLeastWidth = 240;
constexpr double kTitleSize = 12, kTextSize = 11, kFill = 0.18, kZone = 0.14;
constexpr int kTenStep = 10;  // powers of ten between labels

}  // namespace

RangePlot::RangePlot(const Theme& theme, const Words& words, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(words) {
  setProperty("role", "plot");
  setAttribute(Qt::WA_StyledBackground);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  restyle();
}

void RangePlot::restyle() {
  const int bars = std::max(1, static_cast<int>(m_content.bars.size()));
  const int above = m_content.series.isEmpty() ? 0 : kSeries + kGap;
  setMinimumHeight(m_theme.px(kHead + above + bars * kLeastBar + kAxis));
  setMinimumWidth(m_theme.px(kLeastWidth));
  update();
}

void RangePlot::setContent(RangeContent content) {
  m_content = std::move(content);
  if (m_bar >= m_content.bars.size()) m_bar = -1;
  if (m_content.series.isEmpty()) m_power.reset();
  setAccessibleName(m_content.title);
  setAccessibleDescription(reading());
  restyle();
}

QRectF RangePlot::seriesRect(const QSizeF& size) const {
  if (m_content.series.isEmpty()) return {};
  const double left = m_theme.px(kNames), top = m_theme.px(kHead);
  const double whole = size.height() - top - m_theme.px(kAxis) - m_theme.px(kGap);
  // The bars get what they need; the rest is for the series.
  const double height = std::max<double>(m_theme.px(kSeries), whole - m_content.bars.size() * m_theme.px(kLeastBar));
  return {left, top, size.width() - left - m_theme.px(kPadding), height};
}

QRectF RangePlot::barsRect(const QSizeF& size) const {
  const auto above = seriesRect(size);
  const double left = m_theme.px(kNames), top = above.isEmpty() ? m_theme.px(kHead) : above.bottom() + m_theme.px(kGap);
  return {left, top, size.width() - left - m_theme.px(kPadding), std::max(1.0, size.height() - top - m_theme.px(kAxis))};
}

QRectF RangePlot::barRect(int bar, const QSizeF& size) const {
  const auto area = barsRect(size);
  const double height = area.height() / std::max<qsizetype>(1, m_content.bars.size());
  return {area.left(), area.top() + bar * height, area.width(), height};
}

double RangePlot::xOf(double exponent, const QRectF& area) const {
  return area.left() + (std::clamp<double>(exponent, kLow, kHigh) - kLow) / (kHigh - kLow) * area.width();
}

void RangePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  draw(painter, size());
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(m_theme.tokens().accent, 2 * m_theme.scale()));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), m_theme.px(6), m_theme.px(6));
}

void RangePlot::draw(QPainter& painter, const QSizeF& size) const {
  painter.fillRect(QRectF(QPointF(0, 0), size), m_theme.tokens().panel);
  drawHead(painter, size);
  drawAxis(painter, size);
  const auto above = seriesRect(size);
  if (m_bar >= 0 && !above.isEmpty()) {
    // What the format that is read can hold, through the series.
    const auto& bar = m_content.bars[m_bar];
    auto zone = m_theme.tokens().soft;
    zone.setAlphaF(static_cast<float>(kZone));
    const double from = xOf(bar.subnormal, above), to = xOf(bar.largest, above);
    painter.fillRect(QRectF(from, above.top(), to - from, above.height()), zone);
  }
  for (const auto& series : m_content.series) drawSeries(painter, series, above);
  if (!above.isEmpty()) drawSeriesNames(painter, above);
  for (int bar = 0; bar < m_content.bars.size(); ++bar) drawBar(painter, bar, size);
  drawValue(painter, size);
}

void RangePlot::drawHead(QPainter& painter, const QSizeF& size) const {
  const auto& tokens = m_theme.tokens();
  const QRectF head(m_theme.px(kPadding), 0, size.width() - 2 * m_theme.px(kPadding), m_theme.px(kHead));
  painter.setFont(m_theme.font(kTitleSize, QFont::DemiBold));
  painter.setPen(tokens.text);
  painter.drawText(head, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), m_content.title);
  const double taken = QFontMetricsF(painter.font()).horizontalAdvance(m_content.title) + m_theme.px(kGap);
  painter.setFont(m_theme.font(kTextSize));
  painter.setPen(tokens.soft);
  const auto said = reading();
  const auto shown =
      QFontMetricsF(painter.font())
          .elidedText(said.isEmpty() ? m_content.unit : said, Qt::ElideRight, std::max(0.0, head.width() - taken));
  painter.drawText(head, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), shown);
}

void RangePlot::drawAxis(QPainter& painter, const QSizeF& size) const {
  const auto& tokens = m_theme.tokens();
  const auto bars = barsRect(size), above = seriesRect(size);
  const double top = above.isEmpty() ? bars.top() : above.top();
  painter.setFont(m_theme.font(kTextSize));
  const double width = m_theme.px(48);
  for (int ten = -40; ten <= 30; ten += kTenStep) {
    const double x = xOf(ten * std::log2(10.0), bars);
    painter.setPen(QPen(tokens.line, 1));
    painter.drawLine(QPointF(x, top), QPointF(x, bars.bottom()));
    painter.setPen(tokens.soft);
    const auto label = ten == 0 ? QStringLiteral("1") : powerOfTen(ten);
    painter.drawText(QRectF(x - width / 2, bars.bottom(), width, m_theme.px(kAxis)), static_cast<int>(Qt::AlignCenter), label);
  }
}

void RangePlot::drawBar(QPainter& painter, int bar, const QSizeF& size) const {
  const auto& tokens = m_theme.tokens();
  const auto& one = m_content.bars[bar];
  const auto row = barRect(bar, size);
  const bool read = bar == m_bar;
  painter.setFont(m_theme.font(kTextSize, read ? QFont::Bold : QFont::Normal));
  painter.setPen(read ? tokens.text : tokens.soft);
  const double padding = m_theme.px(kPadding);
  const QRectF name(padding, row.top(), row.left() - padding - m_theme.px(kGap), row.height());
  painter.drawText(name, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), one.label);
  const double thick = std::min<double>(m_theme.px(kThick), row.height() - 2), top = row.center().y() - thick / 2;
  const double from = xOf(one.subnormal, row), normal = xOf(one.normal, row), to = xOf(one.largest, row);
  const QPen edge(read ? tokens.text : tokens.accent, (read ? 2 : 1) * m_theme.scale());
  painter.setPen(edge);
  painter.setBrush(QBrush(tokens.accent, Qt::BDiagPattern));
  if (normal > from) painter.drawRect(QRectF(from, top, normal - from, thick));
  painter.setBrush(tokens.accent);
  painter.drawRect(QRectF(normal, top, std::max(1.0, to - normal), thick));
}

double RangePlot::highestShare() const {
  double highest = 0;
  for (const auto& series : m_content.series)
    for (const double share : series.shares) highest = std::max(highest, share);
  return highest;
}

void RangePlot::drawSeries(QPainter& painter, const RangeSeries& series, const QRectF& area) const {
  const double highest = highestShare();
  if (highest <= 0 || series.shares.isEmpty()) return;
  // A step a power of two, closed along the axis.
  QPolygonF outline;
  outline << QPointF(xOf(series.first, area), area.bottom());
  for (int i = 0; i < series.shares.size(); ++i) {
    const double y = area.bottom() - series.shares[i] / highest * area.height();
    outline << QPointF(xOf(series.first + i, area), y) << QPointF(xOf(series.first + i + 1, area), y);
  }
  outline << QPointF(outline.last().x(), area.bottom());
  if (series.filled) {
    auto fill = m_theme.seriesColor(series.order);
    fill.setAlphaF(static_cast<float>(kFill));
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(outline);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(m_theme.seriesPen(series.order));
  painter.drawPolyline(outline);
}

void RangePlot::drawSeriesNames(QPainter& painter, const QRectF& area) const {
  painter.setPen(QPen(m_theme.tokens().line, 1));
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  painter.setFont(m_theme.font(kTextSize, QFont::Bold));
  const double height = QFontMetricsF(painter.font()).height();
  // Values of 10³⁰ are rare: the upper right is free.
  QRectF line(area.left(), area.top() + m_theme.px(4), area.width(), height);
  for (const auto& series : m_content.series) {
    painter.setPen(m_theme.seriesColor(series.order));
    const auto marker = Theme::seriesMarker(series.order) + QLatin1Char(' ');
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(series.label);
    painter.drawText(line.adjusted(0, 0, -width, 0), static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), marker);
    painter.setPen(m_theme.tokens().text);
    painter.drawText(line, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), series.label);
    line.translate(0, height);
  }
}

void RangePlot::drawValue(QPainter& painter, const QSizeF& size) const {
  const auto bars = barsRect(size), above = seriesRect(size);
  const double top = above.isEmpty() ? bars.top() : above.top();
  const auto& tokens = m_theme.tokens();
  if (m_power && !above.isEmpty()) {
    painter.setPen(QPen(tokens.soft, 1));
    const double x = xOf(*m_power + 0.5, above);
    painter.drawLine(QPointF(x, above.top()), QPointF(x, above.bottom()));
  }
  if (!m_content.at) return;
  const double x = xOf(*m_content.at, bars);
  painter.setPen(QPen(tokens.text, 1.5 * m_theme.scale(), Qt::DashLine));
  painter.drawLine(QPointF(x, top), QPointF(x, bars.bottom()));
}

}  // namespace atelier::app
