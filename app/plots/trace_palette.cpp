#include "trace_palette.h"

#include <cmath>
#include <utility>

#include "app/shell/theme.h"

namespace atelier::app {

namespace {

QColor pureColor(const Theme& theme, Tint tint) {
  switch (tint) {
    case Tint::Forward:
      return theme.seriesColor(0);
    case Tint::Backward:
      return theme.seriesColor(1);
    case Tint::Optimizer:
      return theme.seriesColor(2);
    case Tint::Other:
      return theme.seriesColor(3);
    case Tint::Data:
      return theme.seriesColor(4);
    case Tint::Copy:
      return theme.seriesColor(6);
    case Tint::Wait:
      return theme.tokens().bad;
    case Tint::Step:
    case Tint::Plain:
      break;
  }
  return theme.tokens().soft;
}

// Of the pure colour, in boxes that work and in those that frame: a text on each can be read at 4.5 : 1, and in high contrast
// at 7 : 1 (WCAG 2.1).
std::pair<double, double> sharesOf(Theme::Mode mode) {
  if (mode == Theme::Mode::Contrast) return {0.85, 0.3};
  return mode == Theme::Mode::Dark ? std::pair(0.35, 0.2) : std::pair(0.5, 0.24);
}

}  // namespace

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto mix = [share](int from, int to) { return static_cast<int>(std::lround(from + share * (to - from))); };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

TracePalette::TracePalette(const Theme& theme) {
  const auto& tokens = theme.tokens();
  const auto [work, frame] = sharesOf(theme.mode());
  const auto paint = [&](Tint tint, double share) {
    Paint made;
    made.fill = mixed(tokens.panel, pureColor(theme, tint), share);
    const bool onText = contrastRatio(tokens.text, made.fill) >= contrastRatio(tokens.onAccent, made.fill);
    made.text = onText ? tokens.text : tokens.onAccent;
    return made;
  };
  for (std::size_t i = 0; i < kTints; ++i) {
    m_work[i] = paint(static_cast<Tint>(i), work);
    m_frames[i] = paint(static_cast<Tint>(i), frame);
  }
  m_dimmed = mixed(tokens.panel, tokens.line, 0.6);
}

}  // namespace atelier::app
