#include "flame_plot.h"

#include <QFontMetricsF>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/background.h"
#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "core/trace/index.h"

namespace atelier::app {

using trace::at;

namespace {

constexpr int kHead = 26, kRow = 19, kCrumbGap = 18, kMostCrumb = 220, kPadding = 8;
constexpr double kTextSize = 11, kHeadShare = 0.72;
constexpr int kSpanSettles = 150;  // milliseconds
constexpr double kLeastBox = 3;    // pixels that what is pointed out has at least

}  // namespace

FlamePlot::FlamePlot(const Theme& theme, const Words& words, QWidget* parent) : TracePlot(theme, words, parent) {
  m_wait.setSingleShot(true);
  m_wait.setInterval(kSpanSettles);
  connect(&m_wait, &QTimer::timeout, this, &FlamePlot::remake);
  connect(m_bar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
  FlamePlot::retext();
  FlamePlot::restyle();
}

QSize FlamePlot::sizeHint() const {
  return {m_theme.px(900), m_theme.px(kHead + 12 * kRow)};
}

QSize FlamePlot::minimumSizeHint() const {
  return {m_theme.px(240), m_theme.px(kHead + 4 * kRow)};
}

void FlamePlot::restyle() {
  TracePlot::restyle();
  placeBar();
  layCrumbs();
  update();
}

void FlamePlot::retext() {
  setAccessibleName(m_words.text("timeline.flame"));
  m_bar->setAccessibleName(m_words.text("timeline.scroll"));
  describe();
  layCrumbs();
  update();
}

// What is shown.

void FlamePlot::setDocument(std::shared_ptr<const TraceDocument::Content> content) {
  m_content = std::move(content);
  m_track = -1;
  m_searched.clear();
  take({});
  remake();
}

void FlamePlot::setSelection(TraceSelection* selection) {
  if (m_selection) m_selection->disconnect(this);
  m_selection = selection;
  if (selection) {
    connect(selection, &TraceSelection::changed, this, &FlamePlot::selectionChanged);
    connect(selection, &TraceSelection::spanChanged, this, &FlamePlot::spanChanged);
  }
  remake();
}

std::int32_t FlamePlot::track() const {
  if (m_track >= 0 || !m_content) return m_track;
  return m_content->flameTrack;
}

void FlamePlot::setTrack(std::int32_t track) {
  if (track == m_track) return;
  m_track = track;
  remake();
}

void FlamePlot::spanChanged() {
  m_wait.start();
}

// What was asked for before is not wanted any more.
void FlamePlot::remake() {
  const auto making = ++m_making;
  m_wait.stop();
  if (!m_content || track() < 0) return take({});
  const bool hasSpan = m_selection && m_selection->span();
  if (!hasSpan && track() == m_content->flameTrack) return take(m_content->flame);
  const auto span = hasSpan ? *m_selection->span() : m_content->report.span;
  inBackground(
      this,
      [content = m_content, track = track(), span] {
        return trace::flameOf(content->trace, content->report.times, track, span);
      },
      [this, making](trace::Flame flame) {
        if (making == m_making) take(std::move(flame));
      });
}

void FlamePlot::take(trace::Flame flame) {
  m_layout = FlameLayout(std::move(flame));
  m_root = m_current = m_hovered = -1;
  m_bar->setValue(0);
  search(m_searched);
  selectionChanged();
  placeBar();
  layCrumbs();
  update();
  Q_EMIT flameChanged();
}

void FlamePlot::selectionChanged() {
  m_chosen = -1;
  if (m_content && m_selection && !m_layout.empty()) {
    const auto event = m_selection->event();
    const auto& events = m_content->trace.events;
    if (event >= 0 && at(event) < events.size() && events[at(event)].track == track())
      m_chosen = m_layout.nodeOf(m_content->trace, event);
  }
  if (m_chosen >= 0) makeCurrent(m_chosen);
  else if (m_selection && m_selection->empty() && !m_choosing) m_current = -1;
  describe();
  update();
}

bool FlamePlot::isChosen(const trace::FlameNode& node) const {
  if (!m_selection || m_selection->event() >= 0) return false;
  const auto name = m_selection->name(), module = m_selection->module();
  if (name < 0) return module >= 0 && node.kind == trace::Kind::Module && node.module == module;
  return node.name == name && node.kind != trace::Kind::Step && (module < 0 || node.module == module);
}

double FlamePlot::search(const QString& text) {
  m_searched = text;
  m_matches = m_content ? m_layout.matches(m_content->trace, text) : std::vector<char>();
  update();
  return m_layout.shareOf(m_matches);
}

void FlamePlot::zoomTo(std::int32_t node) {
  if (node == m_root) return;
  m_root = node;
  m_hovered = -1;
  m_bar->setValue(0);
  placeBar();
  layCrumbs();
  update();
  Q_EMIT rootChanged(m_root);
}

void FlamePlot::describe() {
  const bool known = m_content && m_current >= 0 && at(m_current) < m_layout.flame().nodes.size();
  setAccessibleDescription(known ? flameReading(m_content->trace, m_layout.flame(), m_current, m_words) : QString());
}

QString FlamePlot::nameOf(std::int32_t node) const {
  const auto& one = m_layout.flame().nodes[at(node)];
  if (one.kind == trace::Kind::Step) return m_words.text("timeline.steps");
  return shortName(m_content->trace.names[at(one.name)]);
}

// Where it stands.

double FlamePlot::rowHeight() const {
  return m_theme.px(kRow);
}

QRectF FlamePlot::boxesRect() const {
  const double top = m_theme.px(kHead), bar = m_bar->isHidden() ? 0 : m_bar->width();
  return {0, top, std::max(1.0, width() - bar), std::max(0.0, height() - top)};
}

void FlamePlot::placeBar() {
  const int top = m_theme.px(kHead), room = std::max(0, height() - top);
  const double wanted = m_layout.empty() ? 0 : m_layout.levels(m_root) * rowHeight();
  const int over = static_cast<int>(std::ceil(std::min(wanted - room, 1e9)));
  const int thickness = m_bar->sizeHint().width();
  m_bar->setVisible(over > 0);
  m_bar->setRange(0, std::max(0, over));
  m_bar->setPageStep(std::max(1, room));
  m_bar->setSingleStep(m_theme.px(kRow));
  m_bar->setGeometry(width() - thickness, top, thickness, room);
}

void FlamePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeBar();
  layCrumbs();
}

// The way from all to the box that fills the width; where there is no room for it, its middle is left out.
void FlamePlot::layCrumbs() {
  m_crumbs.clear();
  if (m_layout.empty()) return;
  const QFontMetricsF metrics(m_theme.font(kTextSize));
  m_crumbs.push_back({-1, {}, m_words.text("timeline.all")});
  for (const auto node : m_layout.path(m_root))
    m_crumbs.push_back({node, {}, metrics.elidedText(nameOf(node), Qt::ElideMiddle, m_theme.px(kMostCrumb))});
  const double gap = m_theme.px(kCrumbGap), room = kHeadShare * width();
  const auto widthOf = [&](const Crumb& crumb) { return metrics.horizontalAdvance(crumb.text) + gap; };
  double wanted = 0;
  for (const auto& crumb : m_crumbs) wanted += widthOf(crumb);
  std::size_t left = 0;
  for (; wanted > room && left + 2 < m_crumbs.size(); ++left) wanted -= widthOf(m_crumbs[left + 1]);
  m_crumbs.erase(m_crumbs.begin() + 1, m_crumbs.begin() + 1 + static_cast<std::ptrdiff_t>(left));
  double x = m_theme.px(kPadding);
  for (auto& crumb : m_crumbs) {
    crumb.place = {x, 0, metrics.horizontalAdvance(crumb.text), static_cast<double>(m_theme.px(kHead))};
    x += widthOf(crumb);
  }
}

QRectF FlamePlot::crumbRect(int crumb) const {
  if (crumb < 0 || crumb >= static_cast<int>(m_crumbs.size())) return {};
  return m_crumbs[static_cast<std::size_t>(crumb)].place;
}

QRectF FlamePlot::placeOf(const FlameBox& box) const {
  const auto all = boxesRect();
  const double left = all.left() + box.left * all.width();
  return {left, all.top() + box.level * rowHeight() - m_bar->value(), (box.right - box.left) * all.width(), rowHeight() - 1};
}

QRectF FlamePlot::nodeRect(std::int32_t node) const {
  if (m_layout.empty() || node < 0 || !m_layout.isBelow(node, m_root)) return {};
  auto place = placeOf(m_layout.box(node, m_root));
  place.setWidth(std::max(place.width(), kLeastBox));
  return place;
}

std::int32_t FlamePlot::nodeAt(const QPointF& position) const {
  const auto all = boxesRect();
  if (!all.contains(position)) return -1;
  const auto level = static_cast<int>((position.y() - all.top() + m_bar->value()) / rowHeight());
  return m_layout.nodeAt(m_root, (position.x() - all.left()) / all.width(), level);
}

}  // namespace atelier::app
