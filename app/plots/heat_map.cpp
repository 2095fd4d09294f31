#include "heat_map.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "pareto_plot.h"

namespace atelier::app {

namespace {

constexpr int kHead = 28, kRowNames = 72, kColumnNames = 40, kPanelTitle = 20, kGap = 12, kPadding = 12, kLeastCell = 34;
constexpr int kMostAbreast = 3;
constexpr double kTitleSize = 12, kTextSize = 11;

HeatCell cellOf(const wire::SweepPoint& point, int place, SweepFigure figure, const Words& words) {
  const auto& run = point.summary;
  HeatCell cell;
  cell.point = place;
  cell.value = figureOf(run, figure);
  cell.reading = pointReading(point, words);
  cell.failed = run.status == "failed";
  const auto status = words.text("status." + run.status);
  if (cell.value) cell.text = QString::fromStdString(words.format().number(*cell.value));
  else if (run.status == "not_run") cell.text = QStringLiteral("·");
  else if (run.status == "running") cell.text = QStringLiteral("…");
  else cell.text = cell.failed ? status : QStringLiteral("—");
  if (run.status != "done") cell.reading += QStringLiteral("  ·  ") + status;
  if (!run.failure.empty()) cell.reading += QStringLiteral("  ·  ") + words.text(run.failure.front());
  return cell;
}

QStringList namesOf(const wire::SweepAxis& axis) {
  QStringList names;
  for (const auto& value : axis.values) names << QString::fromStdString(valueWords(value));
  return names;
}

}  // namespace

HeatContent heatContent(const wire::SweepSummary& sweep, SweepFigure figure, const Words& words) {
  HeatContent content;
  content.title = words.text(std::string("sweepview.figure.") + figureId(figure));
  content.unit = words.text(std::string("sweepview.unit.") + figureId(figure));
  if (sweep.axes.size() < 2) return content;
  content.rowKey = QString::fromStdString(sweep.axes[0].key);
  content.columnKey = QString::fromStdString(sweep.axes[1].key);
  content.rows = namesOf(sweep.axes[0]);
  content.columns = namesOf(sweep.axes[1]);
  const auto panels = sweep.axes.size() > 2 ? namesOf(sweep.axes[2]) : QStringList{QString()};
  const auto depth = static_cast<std::size_t>(panels.size());
  double low = INFINITY, high = -INFINITY;
  for (std::size_t panel = 0; panel < depth; ++panel) {
    HeatPanel table;
    if (sweep.axes.size() > 2)
      table.title = QString::fromStdString(sweep.axes[2].key + "\u00a0=\u00a0") + panels[static_cast<int>(panel)];
    const auto cells = static_cast<std::size_t>(content.rows.size() * content.columns.size());
    for (std::size_t i = 0; i < cells; ++i) {
      // The last axis changes fastest.
      const auto place = i * depth + panel;
      table.cells.append(place < sweep.points.size() ? cellOf(sweep.points[place], static_cast<int>(place), figure, words)
                                                     : HeatCell());
      if (const auto value = table.cells.last().value) {
        low = std::min(low, *value);
        high = std::max(high, *value);
      }
    }
    content.panels.append(table);
  }
  if (low <= high) {
    content.low = low;
    content.high = high;
  }
  return content;
}

HeatMap::HeatMap(const Theme& theme, const Words& words, QWidget* parent) : QWidget(parent), m_theme(theme), m_words(words) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  restyle();
}

void HeatMap::restyle() {
  const int abreast = std::clamp(static_cast<int>(m_content.panels.size()), 1, kMostAbreast);
  const int deep = (std::max(1, static_cast<int>(m_content.panels.size())) + abreast - 1) / abreast;
  const int rows = std::max(1, static_cast<int>(m_content.rows.size()));
  const int table = kPanelTitle + kColumnNames + rows * kLeastCell + kGap;
  setMinimumHeight(m_theme.px(kHead + deep * table));
  update();
}

void HeatMap::setContent(HeatContent content) {
  m_content = std::move(content);
  if (m_at && (m_at->panel >= m_content.panels.size() || m_at->cell >= m_content.panels[m_at->panel].cells.size()))
    m_at.reset();
  setAccessibleName(m_content.title);
  restyle();
}

void HeatMap::choose(int chosenPoint) {
  m_chosen = chosenPoint;
  update();
}

QColor HeatMap::color(double share) const {
  const QColor from = m_theme.tokens().raised, to = m_theme.tokens().accent;
  const double t = std::clamp(share, 0.0, 1.0);
  const auto mix = [t](int a, int b) { return static_cast<int>(std::lround(a + t * (b - a))); };
  return QColor(mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue()));
}

QColor HeatMap::textOn(const QColor& ground) const {
  const auto& tokens = m_theme.tokens();
  return contrastRatio(tokens.text, ground) >= contrastRatio(tokens.onAccent, ground) ? tokens.text : tokens.onAccent;
}

QRectF HeatMap::panelRect(int panel, const QSizeF& size) const {
  const int count = std::max(1, static_cast<int>(m_content.panels.size()));
  const int abreast = std::min(count, kMostAbreast), deep = (count + abreast - 1) / abreast;
  const double gap = m_theme.px(kGap), head = m_theme.px(kHead), edge = m_theme.px(kPadding);
  const double width = (size.width() - 2 * edge - (abreast - 1) * gap) / abreast;
  const double height = (size.height() - head - edge - (deep - 1) * gap) / deep;
  return {edge + (panel % abreast) * (width + gap), head + (panel / abreast) * (height + gap), width, height};
}

QRectF HeatMap::cellRect(const At& at, const QSizeF& size) const {
  const auto box = panelRect(at.panel, size);
  const int columns = std::max(1, static_cast<int>(m_content.columns.size()));
  const int rows = std::max(1, static_cast<int>(m_content.rows.size()));
  const double left = box.left() + m_theme.px(kRowNames);
  const double top = box.top() + (m_content.panels.size() > 1 ? m_theme.px(kPanelTitle) : 0);
  const double width = (box.right() - left) / columns;
  const double height = (box.bottom() - m_theme.px(kColumnNames) - top) / rows;
  return {left + (at.cell % columns) * width, top + (at.cell / columns) * height, width, height};
}

const HeatCell& HeatMap::cell(const At& at) const {
  return m_content.panels[at.panel].cells[at.cell];
}

std::optional<HeatMap::At> HeatMap::cellAt(const QPointF& position) const {
  for (int panel = 0; panel < m_content.panels.size(); ++panel)
    for (int i = 0; i < m_content.panels[panel].cells.size(); ++i)
      if (cellRect({panel, i}, size()).contains(position)) return At{panel, i};
  return std::nullopt;
}

void HeatMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  draw(painter, size());
}

void HeatMap::draw(QPainter& painter, const QSizeF& size) const {
  const auto& tokens = m_theme.tokens();
  painter.fillRect(QRectF(QPointF(0, 0), size), tokens.panel);
  const QRectF head(m_theme.px(kPadding), 0, size.width() - 2 * m_theme.px(kPadding), m_theme.px(kHead));
  painter.setFont(m_theme.font(kTitleSize, QFont::DemiBold));
  painter.setPen(tokens.text);
  painter.drawText(head, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), m_content.title);
  painter.setFont(m_theme.font(kTextSize));
  painter.setPen(tokens.soft);
  const auto reading = m_at ? cell(*m_at).reading : m_content.unit;
  const double room =
      head.width() - QFontMetricsF(m_theme.font(kTitleSize, QFont::DemiBold)).horizontalAdvance(m_content.title);
  const auto shown = QFontMetricsF(painter.font()).elidedText(reading, Qt::ElideRight, room - m_theme.px(kGap));
  painter.drawText(head, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), shown);
  for (int panel = 0; panel < m_content.panels.size(); ++panel) drawPanel(painter, panel, size);
}

void HeatMap::drawPanel(QPainter& painter, int panel, const QSizeF& size) const {
  const auto& table = m_content.panels[panel];
  const auto box = panelRect(panel, size);
  const int columns = std::max(1, static_cast<int>(m_content.columns.size()));
  const auto put = [&](const QRectF& where, Qt::Alignment how, const QString& text) {
    painter.setFont(m_theme.font(kTextSize));
    painter.setPen(m_theme.tokens().soft);
    painter.drawText(where, static_cast<int>(how),
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(where.width())));
  };
  if (!table.title.isEmpty())
    put({box.left(), box.top(), box.width(), static_cast<double>(m_theme.px(kPanelTitle))}, Qt::AlignLeft | Qt::AlignVCenter,
        table.title);
  for (int i = 0; i < table.cells.size(); ++i) {
    const auto where = cellRect({panel, i}, size);
    const bool marked = (m_at && *m_at == At{panel, i}) || (m_chosen >= 0 && table.cells[i].point == m_chosen);
    drawCell(painter, where, table.cells[i], marked);
    if (i % columns == 0)
      put({box.left(), where.top(), m_theme.px(kRowNames) - 8.0, where.height()}, Qt::AlignRight | Qt::AlignVCenter,
          m_content.rows.value(i / columns));
    if (i / columns == m_content.rows.size() - 1)
      put({where.left(), where.bottom(), where.width(), m_theme.px(kColumnNames) / 2.0}, Qt::AlignCenter,
          m_content.columns.value(i % columns));
  }
  const auto names = m_content.rowKey + QStringLiteral(" ↓   ") + m_content.columnKey + QStringLiteral(" →");
  const double below = m_theme.px(kColumnNames) / 2.0;
  put({box.left(), box.bottom() - below, box.width(), below}, Qt::AlignRight | Qt::AlignVCenter, names);
}

void HeatMap::drawCell(QPainter& painter, const QRectF& box, const HeatCell& cell, bool marked) const {
  const auto& tokens = m_theme.tokens();
  const auto inner = box.adjusted(1, 1, -1, -1);
  const double range = m_content.high - m_content.low;
  QColor ground = tokens.panel;
  if (cell.value) ground = color(range > 0 ? (*cell.value - m_content.low) / range : 0.5);
  painter.setPen(cell.value ? QPen(Qt::NoPen) : QPen(tokens.line, 1));
  painter.setBrush(ground);
  painter.drawRoundedRect(inner, m_theme.px(4), m_theme.px(4));
  if (cell.failed) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(tokens.line, Qt::BDiagPattern));
    painter.drawRoundedRect(inner, m_theme.px(4), m_theme.px(4));
  }
  if (marked) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens.text, 2 * m_theme.scale()));
    painter.drawRoundedRect(inner, m_theme.px(4), m_theme.px(4));
  }
  painter.setFont(m_theme.monospace(kTextSize));
  painter.setPen(cell.value ? textOn(ground) : cell.failed ? tokens.bad : tokens.soft);
  const auto text = painter.fontMetrics().elidedText(cell.text, Qt::ElideRight, static_cast<int>(inner.width()) - 4);
  painter.drawText(inner, static_cast<int>(Qt::AlignCenter), text);
}

}  // namespace atelier::app
