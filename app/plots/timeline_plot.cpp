#include "timeline_plot.h"

#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "core/trace/index.h"

namespace atelier::app {

using trace::at;

namespace {

constexpr double kLeastSpan = 20;  // ns
constexpr double kBeyond = 0.02;   // of the trace, to be seen on both sides of it

}  // namespace

TimelinePlot::TimelinePlot(const Theme& theme, const Words& words, QWidget* parent) : TracePlot(theme, words, parent) {
  connect(m_bar, &QScrollBar::valueChanged, this, &TimelinePlot::touch);
  TimelinePlot::retext();
  TimelinePlot::restyle();
}

void TimelinePlot::restyle() {
  TracePlot::restyle();
  m_names.clear();
  layLanes();
}

void TimelinePlot::retext() {
  setAccessibleName(m_words.text("timeline.name"));
  m_bar->setAccessibleName(m_words.text("timeline.scroll"));
  describe();
  touch();
}

void TimelinePlot::touch() {
  m_stale = true;
  update();
}

void TimelinePlot::setDocument(std::shared_ptr<const TraceDocument::Content> content) {
  m_content = std::move(content);
  m_search = {};
  m_hidden.clear();
  m_collapsed.clear();
  m_hovered = -1;
  m_drag = Drag::None;
  m_bar->setValue(0);
  m_names.clear();
  layLanes();
  showWhole();
  selectionChanged();
}

void TimelinePlot::setSelection(TraceSelection* selection) {
  if (m_selection) m_selection->disconnect(this);
  m_selection = selection;
  if (selection) {
    connect(selection, &TraceSelection::changed, this, &TimelinePlot::selectionChanged);
    connect(selection, &TraceSelection::spanChanged, this, qOverload<>(&QWidget::update));
  }
  selectionChanged();
}

std::int32_t TimelinePlot::chosen() const {
  if (!m_content || !m_selection) return -1;
  const auto event = m_selection->event();
  return event >= 0 && at(event) < m_content->trace.events.size() ? event : -1;
}

void TimelinePlot::selectionChanged() {
  const auto event = chosen();
  m_links.clear();
  const bool wasMarked = m_marked.active();
  m_marked = {};
  if (event >= 0) {
    m_links = m_content->links.of(m_content->trace, event);
    if (!m_choosing) revealEvent(event);
  } else if (m_content && m_selection) {
    m_marked = TimelineSearch(m_content->trace, m_content->timeline, m_selection->name(), m_selection->module());
  }
  describe();
  if (wasMarked || m_marked.active()) touch();
  else update();
}

void TimelinePlot::describe() {
  const auto event = chosen();
  const auto reading = [&] { return eventReading(m_content->trace, m_content->report.times, event, m_words); };
  setAccessibleDescription(event < 0 ? QString() : reading());
}

void TimelinePlot::setView(double from, double to) {
  if (isEmpty() || !std::isfinite(from) || !std::isfinite(to)) return;
  const auto end = static_cast<double>(m_content->timeline.end());
  const double beyond = std::max(kBeyond * end, kLeastSpan);
  const double span = std::clamp(to - from, kLeastSpan, end + 2 * beyond);
  // Zooming in beyond what can be goes on around the middle.
  const double middle = (from + to) / 2;
  m_axis.from = std::max(-beyond, std::min(middle - span / 2, end + beyond - span));
  m_axis.to = m_axis.from + span;
  touch();
  Q_EMIT viewChanged(m_axis.from, m_axis.to);
}

void TimelinePlot::showWhole() {
  if (isEmpty()) return touch();
  const auto end = static_cast<double>(m_content->timeline.end());
  setView(-kBeyond * end, end + kBeyond * end);
}

void TimelinePlot::fitEvent(std::int32_t event) {
  if (isEmpty() || event < 0) return;
  const auto& one = m_content->trace.events[at(event)];
  constexpr double kAir = 0.1;
  const double air = std::max(kAir * static_cast<double>(one.duration), kLeastSpan / 2);
  setView(static_cast<double>(one.start) - air, static_cast<double>(one.end()) + air);
  revealEvent(event);
}

void TimelinePlot::fitSelection() {
  if (const auto event = chosen(); event >= 0) return fitEvent(event);
  if (!m_selection || !m_selection->span()) return showWhole();
  setView(static_cast<double>(m_selection->span()->from), static_cast<double>(m_selection->span()->to));
}

void TimelinePlot::revealEvent(std::int32_t event) {
  if (isEmpty() || event < 0) return;
  const auto& one = m_content->trace.events[at(event)];
  const auto start = static_cast<double>(one.start), end = static_cast<double>(one.end());
  if (end < m_axis.from || start > m_axis.to) {
    const double half = (m_axis.to - m_axis.from) / 2, middle = end - start > 2 * half ? start : (start + end) / 2;
    setView(middle - half, middle + half);
  }
  if (laneOf(event) && eventRect(event).isEmpty()) setTrackCollapsed(one.track, false);
  const auto place = eventRect(event);
  const auto rows = rowsRect();
  if (place.isEmpty() || (place.top() >= rows.top() && place.bottom() <= rows.bottom())) return;
  m_bar->setValue(m_bar->value() + static_cast<int>(place.center().y() - rows.center().y()));
}

std::size_t TimelinePlot::search(const QString& text) {
  m_search = m_content ? TimelineSearch(m_content->trace, m_content->timeline, text) : TimelineSearch();
  touch();
  return m_search.events().size();
}

bool TimelinePlot::chooseMatch(int direction) {
  if (!m_content) return false;
  const auto event = m_search.next(m_content->trace, chosen(), direction);
  if (event < 0) return false;
  choose(event);
  revealEvent(event);
  return true;
}

void TimelinePlot::setTrackShown(std::int32_t track, bool shown) {
  if (shown ? m_hidden.erase(track) > 0 : m_hidden.insert(track).second) layLanes();
}

void TimelinePlot::setTrackCollapsed(std::int32_t track, bool collapsed) {
  if (collapsed ? m_collapsed.insert(track).second : m_collapsed.erase(track) > 0) layLanes();
}

void TimelinePlot::draw(QPainter& painter) const {
  if (isEmpty()) return drawEmpty(painter);
  drawStatic(painter);
  drawOverlay(painter);
}

}  // namespace atelier::app
