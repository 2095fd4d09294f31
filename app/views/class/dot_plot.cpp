#include "dot_plot.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/plots/custom_plot.h"
#include "app/plots/plain_plot.h"
#include "app/shell/theme.h"

namespace atelier::app {

namespace {

constexpr int kStrip = 168, kScatter = 280, kDot = 9, kNear = 14, kLeastLabel = 200;
constexpr double kAir = 0.08, kBox = 0.18;
enum Graph { Decided, Undecided, Read, GraphCount };

struct Range {
  double low = 0, high = 1;
};

// With air on both sides; never empty.
Range around(double low, double high) {
  const double span = high > low ? high - low : std::max(std::fabs(high) * kAir, 1e-9);
  return {low - kAir * span, high + kAir * span};
}

}  // namespace

DotPlot::DotPlot(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_plot(new QCustomPlot(this)) {
  setProperty("role", "plot");
  setAttribute(Qt::WA_StyledBackground);
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->addWidget(m_plot);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->installEventFilter(this);
  build();
  connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) { readAt(event->position()); });
  restyle();
}

void DotPlot::build() {
  makePlain(*m_plot);
  for (auto* axis : {m_plot->xAxis, m_plot->yAxis}) axis->ticker()->setTickCount(5);
  m_plot->setInteractions(QCP::Interactions());
  m_box = new QCPItemRect(m_plot);
  m_box->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
  m_box->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
  m_median = new QCPItemStraightLine(m_plot);
  m_reference = new QCPItemStraightLine(m_plot);
  m_diagonal = new QCPItemStraightLine(m_plot);
  for (int i = 0; i < GraphCount; ++i) {
    auto* graph = m_plot->addGraph();
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setAdaptiveSampling(false);
  }
  m_label = new QCPItemText(m_plot);
  m_label->setClipToAxisRect(false);
  m_label->position->setType(QCPItemPosition::ptAxisRectRatio);
  m_label->position->setCoords(0, 0);
  m_label->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
}

void DotPlot::setFigure(DotFigure figure) {
  m_figure = std::move(figure);
  m_read = -1;
  setAccessibleName(m_figure.title);
  setAccessibleDescription(m_figure.summary);
  redraw();
}

void DotPlot::restyle() {
  const auto& tokens = m_theme.tokens();
  m_plot->setBackground(QBrush(tokens.panel));
  for (auto* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setTickLabelColor(tokens.soft);
    axis->setLabelColor(tokens.soft);
    axis->setTickLabelFont(m_theme.font(11));
    axis->setLabelFont(m_theme.font(11));
    axis->grid()->setPen(QPen(tokens.line, 1));
    axis->grid()->setZeroLinePen(QPen(tokens.line, 1));
  }
  const auto color = m_theme.seriesColor(0);
  const double size = m_theme.px(kDot);
  m_plot->graph(Decided)->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, size));
  m_plot->graph(Undecided)->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, tokens.soft, size));
  m_plot->graph(Read)->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(tokens.text, m_theme.px(2)), Qt::NoBrush, size + m_theme.px(4)));
  auto shade = color;
  shade.setAlphaF(kBox);
  m_box->setPen(Qt::NoPen);
  m_box->setBrush(shade);
  m_median->setPen(QPen(color, m_theme.px(2)));
  for (auto* line : {m_reference, m_diagonal}) line->setPen(QPen(tokens.soft, 1, Qt::DashLine));
  m_label->setFont(m_theme.font(12));
  redraw();
}

void DotPlot::redraw() {
  setFixedHeight(m_theme.px(m_figure.scatter ? kScatter : kStrip));
  m_plot->xAxis->setLabel(m_figure.xTitle);
  m_plot->yAxis->setLabel(m_figure.yTitle);
  m_plot->yAxis->setTickLabels(m_figure.scatter);
  m_plot->yAxis->grid()->setVisible(m_figure.scatter);
  m_plot->xAxis->grid()->setVisible(!m_figure.scatter);
  m_plot->axisRect()->setMinimumMargins(QMargins(m_theme.px(12), m_theme.px(28), m_theme.px(16), m_theme.px(8)));
  setRanges();
  const auto box = m_figure.box.value_or(DotFigure::Box());
  m_box->setVisible(m_figure.box.has_value());
  m_median->setVisible(m_figure.box.has_value());
  m_box->topLeft->setCoords(box.low, 0);
  m_box->bottomRight->setCoords(box.high, 1);
  m_median->point1->setCoords(box.median, 0);
  m_median->point2->setCoords(box.median, 1);
  m_reference->setVisible(m_figure.reference.has_value());
  m_reference->point1->setCoords(m_figure.reference.value_or(0), 0);
  m_reference->point2->setCoords(m_figure.reference.value_or(0), 1);
  m_diagonal->setVisible(m_figure.scatter);
  m_diagonal->point1->setCoords(0, 0);
  m_diagonal->point2->setCoords(1, 1);
  drawDots();
}

void DotPlot::drawDots() {
  QVector<double> x[GraphCount], y[GraphCount];
  for (int i = 0; i < m_figure.dots.size(); ++i) {
    const auto& dot = m_figure.dots[i];
    const int graph = dot.decided ? Decided : Undecided;
    x[graph].append(dot.x);
    y[graph].append(dot.y);
    if (i != m_read) continue;
    x[Read].append(dot.x);
    y[Read].append(dot.y);
  }
  for (int graph = 0; graph < GraphCount; ++graph) m_plot->graph(graph)->setData(x[graph], y[graph]);
  const bool reads = m_read >= 0 && m_read < m_figure.dots.size();
  const auto text = reads ? m_figure.dots[m_read].label : m_figure.title;
  const int room = std::max(m_plot->axisRect()->width(), m_theme.px(kLeastLabel));
  m_label->setText(QFontMetrics(m_label->font()).elidedText(text, Qt::ElideRight, room));
  m_plot->setToolTip(reads ? text : QString());
  m_label->setColor(reads ? m_theme.tokens().text : m_theme.tokens().soft);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void DotPlot::setRanges() {
  double lowX = 0, highX = 1, lowY = 0, highY = 1;
  bool any = false;
  const auto take = [&](double x, double y) {
    lowX = any ? std::min(lowX, x) : x;
    highX = any ? std::max(highX, x) : x;
    lowY = any ? std::min(lowY, y) : y;
    highY = any ? std::max(highY, y) : y;
    any = true;
  };
  for (const auto& dot : m_figure.dots) take(dot.x, dot.y);
  if (m_figure.reference && any) take(*m_figure.reference, 0);
  auto across = around(lowX, highX), up = around(lowY, highY);
  if (m_figure.scatter) {
    // One scale for both, so that the line of equal figures is a diagonal.
    across = up = around(std::min(lowX, lowY), std::max(highX, highY));
  } else {
    const double reach = std::max({2.0, std::fabs(lowY), std::fabs(highY)}) + 1;
    up = {-reach, reach};
  }
  m_plot->xAxis->setRange(across.low, across.high);
  m_plot->yAxis->setRange(up.low, up.high);
}

void DotPlot::readAt(const QPointF& pixel) {
  int nearest = -1;
  double best = m_theme.px(kNear);
  for (int i = 0; i < m_figure.dots.size(); ++i) {
    const QPointF at(m_plot->xAxis->coordToPixel(m_figure.dots[i].x), m_plot->yAxis->coordToPixel(m_figure.dots[i].y));
    const double distance = std::hypot(at.x() - pixel.x(), at.y() - pixel.y());
    if (distance >= best) continue;
    best = distance;
    nearest = i;
  }
  readDot(nearest);
}

void DotPlot::readDot(int dot) {
  if (dot == m_read) return;
  m_read = dot;
  drawDots();
  setAccessibleDescription(dot < 0 ? m_figure.summary : m_figure.dots[dot].label);
}

void DotPlot::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(m_figure.dots.size());
  if (count > 0 && event->key() == Qt::Key_Right) readDot(std::min(m_read + 1, count - 1));
  else if (count > 0 && event->key() == Qt::Key_Left) readDot(std::max(m_read - 1, 0));
  else if (m_read >= 0 && event->key() == Qt::Key_Escape) readDot(-1);
  else QWidget::keyPressEvent(event);
}

bool DotPlot::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave) readDot(-1);
  return QWidget::eventFilter(watched, event);
}

}  // namespace atelier::app
