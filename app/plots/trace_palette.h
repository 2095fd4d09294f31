// TracePalette: the calm fills of a drawing of a trace, mixed from the theme's colours, and the colour of a text on each. Made
// anew when the theme changes. GUI thread.
#pragma once

#include <QColor>

#include <array>

#include "app/models/trace_tint.h"

namespace atelier::app {

class Theme;

// What frames other things is paler than what works.
constexpr bool isFrame(trace::Kind kind) {
  return kind == trace::Kind::Module || kind == trace::Kind::Range || kind == trace::Kind::Step || kind == trace::Kind::Python;
}

class TracePalette {
 public:
  TracePalette() = default;
  explicit TracePalette(const Theme& theme);

  const QColor& fill(Tint tint, bool frame) const { return paints(frame)[static_cast<std::size_t>(tint)].fill; }
  const QColor& text(Tint tint, bool frame) const { return paints(frame)[static_cast<std::size_t>(tint)].text; }
  const QColor& dimmed() const { return m_dimmed; }  // what a search leaves out

 private:
  struct Paint {
    QColor fill, text;
  };
  using Paints = std::array<Paint, kTints>;
  const Paints& paints(bool frame) const { return frame ? m_frames : m_work; }

  Paints m_work, m_frames;
  QColor m_dimmed;
};

// `share` of b in a.
QColor mixed(const QColor& a, const QColor& b, double share);

}  // namespace atelier::app
