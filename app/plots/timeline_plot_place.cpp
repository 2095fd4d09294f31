// Where the parts of a TimelinePlot stand: ruler, stages, rows of the tracks, memory; and what stands at a point.
#include <QScrollBar>

#include <algorithm>
#include <cmath>

#include "app/shell/theme.h"
#include "core/trace/index.h"
#include "timeline_plot.h"

namespace atelier::app {

using trace::at;

namespace {

constexpr int kLabels = 150, kRuler = 22, kBand = 18, kRow = 17, kLaneGap = 8, kMemory = 60;
constexpr double kLabelShare = 0.25;
constexpr double kLeastBox = 3;  // pixels that what is pointed out or pointed at has at least

}  // namespace

QSize TimelinePlot::sizeHint() const {
  return {m_theme.px(900), m_theme.px(420)};
}

QSize TimelinePlot::minimumSizeHint() const {
  return {m_theme.px(320), m_theme.px(kRuler + kBand + kMemory + 4 * kRow)};
}

double TimelinePlot::labelWidth() const {
  return std::min<double>(m_theme.px(kLabels), kLabelShare * width());
}

double TimelinePlot::rowHeight() const {
  return m_theme.px(kRow);
}

double TimelinePlot::laneHeight(const Lane& lane) const {
  return static_cast<double>(lane.rows) * rowHeight() + m_theme.px(kLaneGap);
}

bool TimelinePlot::hasMemory() const {
  return m_content && m_content->report.memory.timeline.size() > 1;
}

QRectF TimelinePlot::rulerRect() const {
  return {m_axis.left, 0, m_axis.width, static_cast<double>(m_theme.px(kRuler))};
}

QRectF TimelinePlot::bandRect() const {
  const double top = m_theme.px(kRuler);
  const bool has = m_content && m_content->timeline.stages().size() > 0;
  return {m_axis.left, top, m_axis.width, has ? static_cast<double>(m_theme.px(kBand)) : 0};
}

QRectF TimelinePlot::memoryRect() const {
  const double height = hasMemory() ? m_theme.px(kMemory) : 0;
  return {m_axis.left, this->height() - height, m_axis.width, height};
}

QRectF TimelinePlot::rowsRect() const {
  const double top = bandRect().bottom();
  return {m_axis.left, top, m_axis.width, std::max(0.0, memoryRect().top() - top)};
}

void TimelinePlot::layLanes() {
  m_lanes.clear();
  m_lanesHeight = 0;
  if (m_content) {
    const auto& tracks = m_content->timeline.tracks();
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      if (m_hidden.contains(tracks[i].track)) continue;
      const Lane lane{i, m_collapsed.contains(tracks[i].track) ? 1 : tracks[i].rows, m_lanesHeight};
      m_lanesHeight += laneHeight(lane);
      m_lanes.push_back(lane);
    }
  }
  placeBar();
  touch();
}

void TimelinePlot::placeBar() {
  const auto rows = rowsRect();
  const int over = static_cast<int>(std::ceil(std::min(m_lanesHeight - rows.height(), 1e9)));
  m_bar->setVisible(over > 0);
  const int thickness = over > 0 ? m_bar->sizeHint().width() : 0;
  m_axis.left = labelWidth();
  m_axis.width = std::max(1.0, width() - m_axis.left - thickness);
  m_bar->setRange(0, std::max(0, over));
  m_bar->setPageStep(std::max(1, static_cast<int>(rows.height())));
  m_bar->setSingleStep(m_theme.px(kRow));
  m_bar->setGeometry(width() - thickness, static_cast<int>(rows.top()), thickness, static_cast<int>(rows.height()));
}

void TimelinePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeBar();
  touch();
}

double TimelinePlot::topOf(const Lane& lane) const {
  return rowsRect().top() + lane.top - m_bar->value();
}

const TimelinePlot::Lane* TimelinePlot::laneAt(double y) const {
  const auto rows = rowsRect();
  if (y < rows.top() || y >= rows.bottom()) return nullptr;
  const auto after = std::upper_bound(m_lanes.begin(), m_lanes.end(), y - rows.top() + m_bar->value(),
                                      [](double wanted, const Lane& lane) { return wanted < lane.top; });
  if (after == m_lanes.begin()) return nullptr;
  const auto& lane = *(after - 1);
  return y - topOf(lane) < laneHeight(lane) ? &lane : nullptr;
}

std::optional<std::size_t> TimelinePlot::rowAt(double y) const {
  const auto* lane = laneAt(y);
  if (!lane) return std::nullopt;
  const auto row = static_cast<std::size_t>((y - topOf(*lane)) / rowHeight());
  if (row >= lane->rows) return std::nullopt;
  return m_content->timeline.tracks()[lane->track].firstRow + row;
}

const TimelinePlot::Lane* TimelinePlot::laneOf(std::int32_t event) const {
  const auto track = m_content->trace.events[at(event)].track;
  const auto& tracks = m_content->timeline.tracks();
  const auto found =
      std::find_if(m_lanes.begin(), m_lanes.end(), [&](const Lane& lane) { return tracks[lane.track].track == track; });
  return found == m_lanes.end() ? nullptr : &*found;
}

QRectF TimelinePlot::boxRect(double from, double to, const QRectF& row) const {
  const double left = m_axis.x(from);
  return {left, row.top(), std::max(m_axis.x(to) - left, kLeastBox), row.height()};
}

QRectF TimelinePlot::eventRect(std::int32_t event) const {
  if (isEmpty() || event < 0) return {};
  const auto* lane = laneOf(event);
  if (!lane) return {};
  const auto row = m_content->timeline.rowOf(event) - m_content->timeline.tracks()[lane->track].firstRow;
  if (row >= lane->rows) return {};
  const auto& one = m_content->trace.events[at(event)];
  const double top = topOf(*lane) + static_cast<double>(row) * rowHeight();
  return boxRect(static_cast<double>(one.start), static_cast<double>(one.end()), {0, top, 0, rowHeight() - 1});
}

std::int32_t TimelinePlot::eventAt(const QPointF& position) const {
  if (isEmpty() || !rowsRect().contains(position)) return -1;
  const auto row = rowAt(position.y());
  return row ? m_content->timeline.hitTest(*row, m_axis.time(position.x()), kLeastBox * m_axis.perPixel()) : -1;
}

}  // namespace atelier::app
