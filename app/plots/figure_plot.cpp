#include "figure_plot.h"

#include <QFontMetrics>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "custom_plot.h"
#include "label_layout.h"
#include "plain_plot.h"
#include "plottables.h"

namespace atelier::app {

namespace {

constexpr int kLeft = 56, kTop = 28, kBottom = 38, kAir = 10, kLeast = 180;
constexpr double kLabelSize = 12, kAxisSize = 11, kMark = 8, kZoneOpacity = 0.14;

QSharedPointer<QCPAxisTicker> tickerOf(bool logarithmic) {
  if (logarithmic) return QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog);
  return QSharedPointer<QCPAxisTicker>(new QCPAxisTicker);
}

}  // namespace

FigurePlot::FigurePlot(const Theme& theme, const Words& words, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(words), m_plot(new QCustomPlot(this)) {
  setProperty("role", "plot");
  setAttribute(Qt::WA_StyledBackground);
  setFocusPolicy(Qt::StrongFocus);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->installEventFilter(this);
  m_plot->setContextMenuPolicy(Qt::NoContextMenu);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->addWidget(m_plot);
  build();
  connect(m_plot, &QCustomPlot::afterLayout, this, &FigurePlot::layLabels);
  connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) { read(event->position()); });
  connect(m_plot, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    const int mark = nearestMark(event->position());
    if (event->button() != Qt::LeftButton || mark < 0) return;
    choose(m_content.marks[mark].id);
    Q_EMIT chosen(m_content.marks[mark].id);
  });
  connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] { showAll(); });
  for (auto* axis : {m_plot->xAxis, m_plot->yAxis})
    connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
      if (!m_setting) m_following = false;
    });
  restyle();
}

void FigurePlot::build() {
  makePlain(*m_plot);
  m_plot->xAxis->grid()->setVisible(false);
  m_plot->axisRect()->setAutoMargins(QCP::msNone);
  m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  m_bubbles = new BubblePlottable(m_plot->xAxis, m_plot->yAxis);
  m_weak = m_plot->addGraph();
  m_strong = m_plot->addGraph();
  m_ring = m_plot->addGraph();
  for (auto* graph : {m_weak, m_strong, m_ring}) graph->setLineStyle(QCPGraph::lsNone);
  m_title = new QCPItemText(m_plot);
  m_unit = new QCPItemText(m_plot);
  for (auto* item : {m_title, m_unit}) {
    item->setClipToAxisRect(false);
    item->position->setType(QCPItemPosition::ptAxisRectRatio);
  }
  m_title->position->setCoords(0, 0);
  m_unit->position->setCoords(1, 0);
  m_title->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
  m_unit->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
}

void FigurePlot::restyle() {
  const auto& tokens = m_theme.tokens();
  m_plot->setBackground(QBrush(tokens.panel));
  for (auto* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setTickLabelColor(tokens.soft);
    axis->setLabelColor(tokens.soft);
    axis->setTickLabelFont(m_theme.font(kAxisSize));
    axis->setLabelFont(m_theme.font(kAxisSize));
    axis->grid()->setPen(QPen(tokens.line, 1));
    axis->grid()->setZeroLinePen(QPen(tokens.line, 1));
  }
  for (auto* item : {m_title, m_unit}) item->setPadding(QMargins(0, 0, 0, m_theme.px(7)));
  m_title->setFont(m_theme.font(kLabelSize, QFont::DemiBold));
  m_title->setColor(tokens.text);
  m_unit->setFont(m_theme.font(kAxisSize));
  m_unit->setColor(tokens.soft);
  const double size = kMark * m_theme.scale(), pen = 1.5 * m_theme.scale();
  m_strong->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, tokens.accent, size));
  m_weak->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(tokens.soft, pen), Qt::NoBrush, size));
  m_ring->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(tokens.text, pen), Qt::NoBrush, 2 * size));
  setMinimumHeight(m_theme.px(kLeast));
  retext();
}

void FigurePlot::retext() {
  m_plot->setLocale(QLocale(QString::fromStdString(m_words.language())));
  redraw();
}

void FigurePlot::setContent(FigureContent content) {
  m_content = std::move(content);
  m_read = -1;
  setAccessibleName(m_content.title);
  redraw();
}

void FigurePlot::choose(int id) {
  m_chosen = id;
  drawMarks();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void FigurePlot::redraw() {
  const QScopedValueRollback guard(m_setting, true);
  drawAxes();
  drawZones();
  drawLevels();
  drawLines();
  drawMarks();
  m_title->setText(m_content.title);
  m_unit->setText(m_content.unit);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void FigurePlot::drawAxes() {
  m_plot->xAxis->setScaleType(m_content.xLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  m_plot->yAxis->setScaleType(m_content.yLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (m_following) {
    m_plot->xAxis->setRange(m_content.xLow, m_content.xHigh);
    m_plot->yAxis->setRange(m_content.yLow, m_content.yHigh);
  }
  m_plot->xAxis->setLabel(m_content.xTitle);
  auto ticker = tickerOf(m_content.xLog);
  if (!m_content.xNames.isEmpty()) {
    QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    for (int i = 0; i < m_content.xNames.size(); ++i) names->addTick(i, m_content.xNames[i]);
    ticker = names;
  }
  m_plot->xAxis->setTicker(ticker);
  auto values = tickerOf(m_content.yLog);
  if (!m_content.yLog) values->setTickCount(4);
  m_plot->yAxis->setTicker(values);
  const int right = std::max(m_theme.px(2 * kAir), labelWidth());
  m_plot->axisRect()->setMargins(QMargins(m_theme.px(kLeft), m_theme.px(kTop), right, m_theme.px(kBottom)));
}

int FigurePlot::labelWidth() const {
  const QFontMetrics metrics(m_theme.font(kAxisSize, QFont::Bold));
  int widest = 0;
  for (const auto& line : m_content.lines) widest = std::max(widest, metrics.horizontalAdvance(line.label));
  return widest > 0 ? widest + m_theme.px(2 * kAir + 12) : 0;
}

void FigurePlot::drawLines() {
  while (m_lines.size() < m_content.lines.size()) {
    m_bands.append(new BandPlottable(m_plot->xAxis, m_plot->yAxis));
    m_lines.append(m_plot->addGraph());
    auto* label = new QCPItemText(m_plot);
    label->setClipToAxisRect(false);
    label->position->setType(QCPItemPosition::ptAbsolute);
    label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_labels.append(label);
  }
  for (int i = 0; i < m_lines.size(); ++i) {
    const auto line = m_content.lines.value(i);
    m_bands[i]->setBand(line.band, m_theme.seriesColor(line.order));
    m_lines[i]->setPen(m_theme.seriesPen(line.order));
    const auto style = line.join == FigureLine::Join::StepLeft    ? QCPGraph::lsStepLeft
                       : line.join == FigureLine::Join::StepRight ? QCPGraph::lsStepRight
                                                                  : QCPGraph::lsLine;
    m_lines[i]->setLineStyle(style);
    const QCPScatterStyle disc(QCPScatterStyle::ssDisc, m_theme.seriesColor(line.order), kMark * m_theme.scale());
    // One value alone has no line that would show it.
    m_lines[i]->setScatterStyle(line.marked || line.curve.x.size() == 1 ? disc : QCPScatterStyle());
    m_lines[i]->setData(line.curve.x, line.curve.y, true);
    m_labels[i]->setText(line.label.isEmpty() ? QString() : Theme::seriesMarker(line.order) + QLatin1Char(' ') + line.label);
    m_labels[i]->setColor(m_theme.tokens().text);
    m_labels[i]->setFont(m_theme.font(kAxisSize, QFont::Bold));
  }
}

void FigurePlot::layLabels() {
  const auto area = m_plot->axisRect()->rect();
  QVector<double> wanted;
  for (const auto& line : m_content.lines) {
    const bool any = !line.label.isEmpty() && !line.curve.y.isEmpty() && std::isfinite(line.curve.y.last());
    const double y = any ? m_plot->yAxis->coordToPixel(line.curve.y.last()) : NAN;
    wanted.append(any ? std::clamp<double>(y, area.top(), area.bottom()) : NAN);
  }
  const double height = QFontMetricsF(m_theme.font(kAxisSize, QFont::Bold)).height();
  const auto placed = placeLabels(wanted, height, area.top() - height / 2, area.bottom() + height / 2);
  for (int i = 0; i < m_labels.size(); ++i) {
    const auto y = placed.value(i);
    m_labels[i]->setVisible(y.has_value());
    if (!y) continue;
    const double end = m_plot->xAxis->coordToPixel(m_content.lines[i].curve.x.last());
    m_labels[i]->position->setCoords(std::clamp<double>(end, area.left(), area.right()) + m_theme.px(6), *y);
  }
}

void FigurePlot::drawMarks() {
  QVector<double> strongX, strongY, weakX, weakY, ringX, ringY;
  QVector<BubblePlottable::Bubble> bubbles;
  for (int i = 0; i < m_content.marks.size(); ++i) {
    const auto& mark = m_content.marks[i];
    if (mark.size > 0) {
      bubbles.append({mark.x, mark.y, mark.size * m_theme.scale(), mark.strong});
    } else {
      (mark.strong ? strongX : weakX).append(mark.x);
      (mark.strong ? strongY : weakY).append(mark.y);
    }
    if (i != m_read && (m_chosen < 0 || mark.id != m_chosen)) continue;
    ringX.append(mark.x);
    ringY.append(mark.y);
  }
  m_bubbles->setBubbles(bubbles, m_theme.tokens().accent, 1.5 * m_theme.scale());
  m_strong->setData(strongX, strongY);
  m_weak->setData(weakX, weakY);
  m_ring->setData(ringX, ringY);
}

void FigurePlot::drawZones() {
  while (m_zones.size() < m_content.zones.size()) {
    auto* rect = new QCPItemRect(m_plot);
    rect->setLayer(QStringLiteral("background"));
    rect->setPen(Qt::NoPen);
    m_zones.append(rect);
    auto* text = new QCPItemText(m_plot);
    text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    text->position->setTypeY(QCPItemPosition::ptPlotCoords);
    text->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
    m_zoneTexts.append(text);
  }
  for (int i = 0; i < m_zones.size(); ++i) {
    const auto zone = m_content.zones.value(i);
    const bool shown = i < m_content.zones.size();
    m_zones[i]->setVisible(shown);
    m_zoneTexts[i]->setVisible(shown && zone.across && !zone.text.isEmpty());
    if (!shown) continue;
    const auto plot = QCPItemPosition::ptPlotCoords, share = QCPItemPosition::ptAxisRectRatio;
    for (auto* corner : {m_zones[i]->topLeft, m_zones[i]->bottomRight}) {
      corner->setTypeX(zone.across ? share : plot);
      corner->setTypeY(zone.across ? plot : share);
    }
    m_zones[i]->topLeft->setCoords(zone.across ? 0 : zone.low, zone.across ? zone.high : 0);
    m_zones[i]->bottomRight->setCoords(zone.across ? 1 : zone.high, zone.across ? zone.low : 1);
    QColor shade = zone.warning ? m_theme.tokens().warn : m_theme.tokens().soft;
    shade.setAlphaF(static_cast<float>(kZoneOpacity));
    m_zones[i]->setBrush(shade);
    m_zoneTexts[i]->setText(zone.text);
    m_zoneTexts[i]->setFont(m_theme.font(kAxisSize));
    m_zoneTexts[i]->setColor(m_theme.tokens().soft);
    m_zoneTexts[i]->position->setCoords(0.01, zone.high);  // above: the level of no change runs through it
  }
}

void FigurePlot::drawLevels() {
  while (m_levels.size() < m_content.levels.size()) m_levels.append(new QCPItemStraightLine(m_plot));
  for (int i = 0; i < m_levels.size(); ++i) {
    m_levels[i]->setVisible(i < m_content.levels.size());
    m_levels[i]->setPen(QPen(m_theme.tokens().soft, 1.2 * m_theme.scale(), Qt::DashLine));
    m_levels[i]->point1->setCoords(0, m_content.levels.value(i));
    m_levels[i]->point2->setCoords(1, m_content.levels.value(i));
  }
}

}  // namespace atelier::app
