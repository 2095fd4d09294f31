#include "time_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/shell/theme.h"
#include "custom_plot.h"
#include "decimate.h"
#include "label_layout.h"
#include "plain_plot.h"
#include "plottables.h"

namespace atelier::app {

namespace {

// Short words and digits need no shaping, and shaping is a quarter of what a redraw costs while a run is measured.
QFont plotFont(const Theme& theme, double pixels, QFont::Weight weight = QFont::Normal) {
  QFont font = theme.font(pixels, weight);
  font.setStyleStrategy(static_cast<QFont::StyleStrategy>(font.styleStrategy() | QFont::PreferNoShaping));
  return font;
}

constexpr int kLeft = 56, kTop = 28, kBottom = 20, kAxisLabel = 18, kAir = 10;
constexpr double kLabelSize = 12, kAxisSize = 11;

void pinToAxisRect(QCPItemText* item, double x, Qt::Alignment alignment, double gap) {
  item->setClipToAxisRect(false);
  item->position->setType(QCPItemPosition::ptAxisRectRatio);
  item->position->setCoords(x, 0);
  item->setPositionAlignment(alignment | Qt::AlignBottom);
  item->setPadding(QMargins(0, 0, 0, static_cast<int>(gap)));
}

}  // namespace

TimePlot::TimePlot(const Theme& theme, LinkedCursor& cursor, bool zeroInView, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_cursor(cursor), m_zeroInView(zeroInView), m_plot(new QCustomPlot(this)) {
  setProperty("role", "plot");
  setAttribute(Qt::WA_StyledBackground);
  setFocusPolicy(Qt::StrongFocus);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->installEventFilter(this);
  m_plot->setContextMenuPolicy(Qt::NoContextMenu);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->addWidget(m_plot);
  buildAxes();
  buildItems();
  connect(&m_cursor, &LinkedCursor::moved, this, &TimePlot::showReadout);
  connect(m_plot, &QCustomPlot::afterLayout, this, &TimePlot::placeAllLabels);
  connect(m_plot, &QCustomPlot::afterLayout, this, [this] {
    // Curves are thinned out to the pixels there are: with another width they must be read again.
    if (m_columns != m_plot->axisRect()->width()) QTimer::singleShot(0, this, &TimePlot::redraw);
  });
  connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    const auto area = m_plot->axisRect()->rect();
    const auto at = event->position().toPoint();
    m_cursor.set(area.contains(at) ? std::optional<double>(m_plot->xAxis->pixelToCoord(at.x())) : std::nullopt);
  });
  connect(m_plot, &QCustomPlot::mousePress, this, [this] { setFocus(Qt::MouseFocusReason); });
  connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] { showAll(); });
  connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, &TimePlot::userMoved);
  restyle();
}

void TimePlot::buildAxes() {
  makePlain(*m_plot);
  m_plot->xAxis->grid()->setVisible(false);
  m_plot->yAxis->ticker()->setTickCount(4);
  m_plot->xAxis->ticker()->setTickCount(6);
  m_plot->axisRect()->setAutoMargins(QCP::msNone);
  m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  m_plot->axisRect()->setRangeDrag(Qt::Horizontal);
  m_plot->axisRect()->setRangeZoom(Qt::Horizontal);
  m_plot->setNoAntialiasingOnDrag(true);
}

void TimePlot::buildItems() {
  m_spans = new SpanPlottable(m_plot->xAxis, m_plot->yAxis);
  m_stack = new StackPlottable(m_plot->xAxis, m_plot->yAxis);
  m_title = new QCPItemText(m_plot);
  m_unit = new QCPItemText(m_plot);
  m_budgetLine = new QCPItemStraightLine(m_plot);
  m_budgetText = new QCPItemText(m_plot);
  m_budgetText->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  m_budgetText->position->setTypeY(QCPItemPosition::ptPlotCoords);
  m_budgetText->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
  m_mark = new QCPItemText(m_plot);
  m_mark->position->setType(QCPItemPosition::ptAxisRectRatio);
  m_mark->position->setCoords(0, 0);
  m_mark->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_mark->setLayer(QStringLiteral("overlay"));
  m_mark->setText(QString());
  m_mark->setVisible(false);
  m_cursorLine = new QCPItemStraightLine(m_plot);
  m_cursorLine->setVisible(false);
}

void TimePlot::restyle() {
  const auto& tokens = m_theme.tokens();
  m_plot->setBackground(QBrush(tokens.panel));
  for (auto* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setTickLabelColor(tokens.soft);
    axis->setLabelColor(tokens.soft);
    axis->setTickLabelFont(plotFont(m_theme, kAxisSize));
    axis->setLabelFont(plotFont(m_theme, kAxisSize));
    axis->grid()->setPen(QPen(tokens.line, 1));
    axis->grid()->setZeroLinePen(QPen(tokens.line, 1));
  }
  pinToAxisRect(m_title, 0, Qt::AlignLeft, m_theme.px(7));
  pinToAxisRect(m_unit, 1, Qt::AlignRight, m_theme.px(7));
  m_title->setFont(plotFont(m_theme, kLabelSize, QFont::DemiBold));
  m_title->setColor(tokens.text);
  m_unit->setFont(plotFont(m_theme, kAxisSize));
  m_unit->setColor(tokens.soft);
  m_budgetLine->setPen(QPen(tokens.bad, 1.2 * m_theme.scale(), Qt::DashLine));
  m_budgetText->setFont(plotFont(m_theme, kAxisSize));
  m_budgetText->setColor(tokens.bad);
  m_cursorLine->setPen(QPen(tokens.soft, 1));
  m_mark->setFont(plotFont(m_theme, kAxisSize, QFont::DemiBold));
  m_mark->setColor(tokens.warn);
  // On a ground of its own: the curves may pass where it stands.
  m_mark->setBrush(QBrush(tokens.panel));
  m_mark->setPadding(QMargins(m_theme.px(4), m_theme.px(1), m_theme.px(4), m_theme.px(1)));
  setMinimumHeight(m_theme.px(132));
  applyMargins();
  redraw();
}

void TimePlot::setTexts(PlotTexts texts) {
  m_texts = std::move(texts);
  m_title->setText(m_texts.title);
  m_plot->setLocale(QLocale(m_texts.language));
  m_plot->xAxis->setLabel(m_timeAxis ? m_texts.timeAxis : QString());
  m_budgetText->setText(m_texts.budget);
  setAccessibleName(m_texts.title);
  applyMargins();
  showReadout();
}

void TimePlot::showTimeAxis(bool shown) {
  if (std::exchange(m_timeAxis, shown) == shown) return;
  m_plot->xAxis->setLabel(shown ? m_texts.timeAxis : QString());
  applyMargins();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimePlot::applyMargins() {
  const int bottom = kBottom + (m_timeAxis ? kAxisLabel : 0);
  const int right = std::max(m_theme.px(kAir), m_labelRoom);
  m_plot->axisRect()->setMargins(QMargins(m_theme.px(kLeft), m_theme.px(kTop), right, m_theme.px(bottom)));
}

void TimePlot::setMark(const QString& mark) {
  if (m_mark->text() == mark) return;
  m_mark->setText(mark);
  m_mark->setVisible(!mark.isEmpty());
  setAccessibleDescription(mark);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void TimePlot::setContent(PlotContent content) {
  m_content = std::move(content);
  redraw();
}

void TimePlot::setView(double from, double to, bool following) {
  m_following = following;
  const QScopedValueRollback guard(m_setting, true);
  m_plot->xAxis->setRange(from, to);
  redraw();
}

QColor TimePlot::layerColor(int layer) const {
  // Areas are calmer than lines: three parts colour, two parts ground, and opaque, because they are painted over one another.
  const QColor series = m_theme.seriesColor(layer), ground = m_theme.tokens().panel;
  const auto mix = [](int a, int b) { return (3 * a + 2 * b) / 5; };
  return QColor(mix(series.red(), ground.red()), mix(series.green(), ground.green()), mix(series.blue(), ground.blue()));
}

void TimePlot::redraw() {
  const QScopedValueRollback guard(m_setting, true);
  if (m_following) m_plot->xAxis->setRange(0, std::max(1.0, m_content.lastTime));
  const auto range = valueRange(m_content, m_zeroInView);
  m_plot->yAxis->setRange(range.low, range.high);
  QVector<QColor> colors;
  for (int layer = 0; layer < m_content.stack.size(); ++layer) colors.append(layerColor(layer));
  m_stack->setLayers(m_content.stack, colors);
  QColor shade = m_theme.tokens().warn;
  shade.setAlphaF(0.14);
  m_spans->setSpans(m_content.disturbed, shade);
  m_budgetLine->setVisible(m_content.budget.has_value());
  m_budgetText->setVisible(m_content.budget.has_value());
  if (m_content.budget) {
    m_budgetLine->point1->setCoords(0, *m_content.budget);
    m_budgetLine->point2->setCoords(1, *m_content.budget);
    m_budgetText->position->setCoords(0, *m_content.budget);
  }
  drawBands();
  drawLines();
  syncLabels();
  showReadout();
}

void TimePlot::drawBands() {
  while (m_bands.size() < m_content.bands.size()) m_bands.append(new BandPlottable(m_plot->xAxis, m_plot->yAxis));
  for (qsizetype i = 0; i < m_bands.size(); ++i) {
    const auto band = m_content.bands.value(i);
    m_bands[i]->setBand(band.band, m_theme.seriesColor(band.order));
  }
}

void TimePlot::drawLines() {
  while (m_plot->graphCount() < m_content.lines.size()) m_plot->addGraph();
  const auto range = m_plot->xAxis->range();
  m_columns = m_plot->axisRect()->width();
  const int columns = std::max(1, m_columns);
  // Stroking a dashed path costs a multiple of drawing its segments one by one: dashes wait until the run has ended.
  m_plot->setPlottingHint(QCP::phFastPolylines, m_content.live);
  for (int i = 0; i < m_plot->graphCount(); ++i) {
    auto* graph = m_plot->graph(i);
    const auto line = m_content.lines.value(i);
    graph->setAdaptiveSampling(false);
    auto pen = m_theme.seriesPen(line.order);
    if (m_content.live) pen.setStyle(Qt::SolidLine);
    graph->setPen(pen);
    graph->setLineStyle(line.points ? QCPGraph::lsNone : QCPGraph::lsLine);
    const QCPScatterStyle disc(QCPScatterStyle::ssDisc, m_theme.seriesColor(line.order), 7 * m_theme.scale());
    graph->setScatterStyle(line.points ? disc : QCPScatterStyle());
    const Curve drawn = line.shown ? decimate(line.curve, range.lower, range.upper, columns) : Curve();
    graph->setData(drawn.x, drawn.y, true);
  }
}

void TimePlot::syncLabels() {
  while (m_labels.size() < m_content.lines.size()) {
    Label label{new QCPItemText(m_plot), new QCPItemText(m_plot)};
    for (auto* item : {label.marker, label.text}) {
      item->setClipToAxisRect(false);
      item->position->setType(QCPItemPosition::ptAbsolute);
      item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    m_labels.append(label);
  }
  for (qsizetype i = 0; i < m_labels.size(); ++i) {
    const auto line = m_content.lines.value(i);
    const bool stacked = !m_content.stack.isEmpty();
    m_labels[i].marker->setText(stacked ? QStringLiteral("■") : Theme::seriesMarker(line.order));
    m_labels[i].marker->setColor(stacked ? layerColor(line.order) : m_theme.seriesColor(line.order));
    m_labels[i].marker->setFont(plotFont(m_theme, kAxisSize));
    m_labels[i].text->setText(line.label);
    m_labels[i].text->setColor(m_theme.tokens().text);
    m_labels[i].text->setFont(plotFont(m_theme, kAxisSize, stacked ? QFont::Normal : QFont::Bold));
  }
}

int TimePlot::labelWidth() const {
  const QFontMetrics metrics(plotFont(m_theme, kAxisSize, QFont::Bold));
  int widest = 0;
  for (const auto& line : m_content.lines) widest = std::max(widest, metrics.horizontalAdvance(line.label));
  return widest + m_theme.px(14 + kAir + 4);
}

void TimePlot::setLabelWidth(int pixels) {
  if (std::exchange(m_labelRoom, pixels) == pixels) return;
  applyMargins();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

QVector<double> TimePlot::labelValues() const {
  QVector<double> values;
  double below = 0;
  for (const auto& line : m_content.lines) {
    double last = NAN;
    for (qsizetype i = line.curve.y.size(); i-- > 0 && !std::isfinite(last);) last = line.curve.y[i];
    if (!m_content.stack.isEmpty()) {
      const double thickness = std::isfinite(last) ? last : 0;
      // A layer too thin to see needs no label.
      values.append(thickness > 0.01 * m_plot->yAxis->range().upper ? below + thickness / 2 : NAN);
      below += thickness;
    } else {
      values.append(last);
    }
  }
  return values;
}

void TimePlot::placeAllLabels() {
  const auto area = m_plot->axisRect()->rect();
  QVector<double> wanted;
  for (const double value : labelValues()) {
    const double y = std::isfinite(value) ? m_plot->yAxis->coordToPixel(value) : NAN;
    wanted.append(std::isfinite(y) ? std::clamp<double>(y, area.top(), area.bottom()) : NAN);
  }
  const double height = QFontMetricsF(plotFont(m_theme, kAxisSize, QFont::Bold)).height();
  const auto placed = placeLabels(wanted, height, area.top() - height / 2, area.bottom() + height / 2);
  for (qsizetype i = 0; i < m_labels.size(); ++i) {
    const auto y = placed.value(i);
    m_labels[i].marker->setVisible(y.has_value());
    m_labels[i].text->setVisible(y.has_value());
    if (!y) continue;
    const auto curve = m_content.lines[i].curve;
    const double end = curve.x.isEmpty() ? area.right() : m_plot->xAxis->coordToPixel(curve.x.last());
    const double x = std::clamp<double>(end, area.left(), area.right()) + m_theme.px(6);
    m_labels[i].marker->position->setCoords(x, *y);
    m_labels[i].text->position->setCoords(x + m_theme.px(14), *y);
  }
}

void TimePlot::showReadout() {
  const auto time = m_cursor.time();
  m_cursorLine->setVisible(time.has_value() && !m_content.empty());
  QString readout = m_texts.unit;
  if (time && !m_content.empty()) {
    m_cursorLine->point1->setCoords(*time, 0);
    m_cursorLine->point2->setCoords(*time, 1);
    QStringList parts{m_texts.number(*time) + QStringLiteral("\u00a0") + m_texts.seconds};
    for (const auto& line : m_content.lines)
      if (const auto value = valueAt(line.curve, *time))
        parts << line.label + QStringLiteral("\u00a0") + m_texts.number(*value);
    readout = parts.join(QStringLiteral("  ·  ")) + QStringLiteral("  ") + m_texts.unit;
    for (const auto& span : m_content.disturbed)
      if (*time >= span.from && *time <= span.to && !span.reason.empty())
        readout = m_texts.reason(span.reason) + QStringLiteral("  ·  ") + readout;
  }
  m_unit->setText(readout);
  // A long readout takes the title's place rather than lying over it.
  const int titleWidth = QFontMetrics(m_title->font()).horizontalAdvance(m_texts.title);
  const int readoutWidth = QFontMetrics(m_unit->font()).horizontalAdvance(readout);
  m_title->setVisible(!time || titleWidth + readoutWidth + m_theme.px(kAir) < m_plot->axisRect()->width());
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace atelier::app
