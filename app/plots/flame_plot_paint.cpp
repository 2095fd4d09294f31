// How a FlamePlot is drawn: the path above, then the boxes that are wide enough to be seen.
#include <QPainter>

#include <algorithm>

#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "core/trace/index.h"
#include "flame_plot.h"

namespace atelier::app {

using trace::at;

namespace {

constexpr double kTextSize = 11, kLeastWidth = 0.5, kLeastFramed = 3, kOutline = 2, kRounding = 2;
constexpr int kPadding = 8, kNamePadding = 4;
constexpr qsizetype kLeastCharacters = 3;

}  // namespace

void FlamePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  draw(painter);
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(m_theme.tokens().accent, 2));
  painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void FlamePlot::draw(QPainter& painter) const {
  painter.fillRect(rect(), m_theme.tokens().panel);
  if (m_layout.empty()) return drawEmpty(painter);
  painter.save();
  painter.setClipRect(boxesRect());
  drawBoxes(painter);
  painter.restore();
  drawHead(painter);
}

void FlamePlot::drawHead(QPainter& painter) const {
  const auto& tokens = m_theme.tokens();
  for (std::size_t i = 0; i < m_crumbs.size(); ++i) {
    const auto& crumb = m_crumbs[i];
    const bool last = i + 1 == m_crumbs.size();
    painter.setFont(m_theme.font(kTextSize));
    painter.setPen(last ? tokens.text : tokens.accent);
    painter.drawText(crumb.place, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), crumb.text);
    if (last) continue;
    const double right = m_crumbs[i + 1].place.left();
    const bool cut = i == 0 && m_layout.parent(m_crumbs[i + 1].node) >= 0;  // some of the path is left out
    painter.setPen(tokens.soft);
    painter.drawText(QRectF(crumb.place.right(), 0, right - crumb.place.right(), crumb.place.height()),
                     static_cast<int>(Qt::AlignCenter), cut ? QStringLiteral("…") : QStringLiteral("›"));
  }
  const auto& flame = m_layout.flame();
  const auto total = m_root < 0 ? flame.total_ns : flame.nodes[at(m_root)].total_ns;
  auto reading = timeText(total, m_words.format());
  if (!m_matches.empty()) {
    const auto share = m_words.format().percent(m_layout.shareOf(m_matches));
    reading = m_words.text(wire::Message{"timeline.matched", {{"share", share}}}) + QStringLiteral("  ·  ") + reading;
  }
  const double left = m_crumbs.back().place.right() + m_theme.px(kPadding);
  const QRectF place(left, 0, std::max(0.0, width() - left - m_theme.px(kPadding)), m_crumbs.back().place.height());
  painter.setPen(tokens.soft);
  painter.drawText(place, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                   painter.fontMetrics().elidedText(reading, Qt::ElideLeft, static_cast<int>(place.width())));
}

void FlamePlot::drawBoxes(QPainter& painter) const {
  const auto all = boxesRect();
  painter.setFont(nameFont());
  const auto boxes = m_layout.boxes(m_root, kLeastWidth / all.width());
  for (const auto& box : boxes) {
    const auto place = placeOf(box);
    if (place.bottom() >= all.top() && place.top() <= all.bottom()) drawBox(painter, box.node, place);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (const auto& box : boxes)
    if (isChosen(m_layout.flame().nodes[at(box.node)])) drawOutline(painter, box.node, m_theme.tokens().accent, 1);
  if (m_hovered >= 0) drawOutline(painter, m_hovered, m_theme.tokens().text, 1.2);
  if (m_current >= 0) drawOutline(painter, m_current, m_theme.tokens().text, kOutline);
  if (m_chosen >= 0) drawOutline(painter, m_chosen, m_theme.tokens().accent, kOutline);
}

void FlamePlot::drawOutline(QPainter& painter, std::int32_t node, const QColor& color, double width) const {
  const auto place = nodeRect(node);
  if (place.isEmpty()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(color, width * m_theme.scale()));
  painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), kRounding, kRounding);
}

void FlamePlot::drawBox(QPainter& painter, std::int32_t node, const QRectF& place) const {
  const auto& one = m_layout.flame().nodes[at(node)];
  const bool dimmed = !m_matches.empty() && m_matches[at(node)] == 0;
  const auto tint = tintOf(one.kind, one.stage);
  const auto inner = place.adjusted(0, 0, place.width() > kLeastFramed ? -1 : 0, 0);
  painter.fillRect(inner, dimmed ? m_palette.dimmed() : m_palette.fill(tint, isFrame(one.kind)));
  painter.setPen(dimmed ? m_theme.tokens().soft : m_palette.text(tint, isFrame(one.kind)));
  drawName(painter, node, inner);
}

void FlamePlot::drawName(QPainter& painter, std::int32_t node, const QRectF& place) const {
  const double padding = m_theme.px(kNamePadding);
  const auto room = static_cast<qsizetype>((place.width() - 2 * padding) / m_advance);
  if (room < kLeastCharacters) return;
  auto text = nameOf(node);
  if (text.size() > room) text = text.left(room - 1) + QChar(0x2026);
  painter.drawText(place.adjusted(padding, 0, 0, 0), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), text);
}

void FlamePlot::drawEmpty(QPainter& painter) const {
  painter.setFont(m_theme.font(kTextSize + 2));
  painter.setPen(m_theme.tokens().soft);
  const int margin = m_theme.px(kPadding) * 3;
  painter.drawText(rect().adjusted(margin, margin, -margin, -margin), static_cast<int>(Qt::AlignCenter | Qt::TextWordWrap),
                   m_words.text("timeline.empty_flame"));
}

}  // namespace atelier::app
