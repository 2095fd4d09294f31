// The report's lengths and type, in device units of the page; colours and dashes are the theme's light tokens.
// One point is ten units, fonts are sized in units and unhinted, so no length depends on a screen. GUI thread.
#pragma once

#include <QFont>
#include <QPen>

#include "app/shell/theme.h"

namespace atelier::app::report {

inline constexpr double kUnitsPerPoint = 10;
inline constexpr int kResolution = 720;  // units an inch
constexpr double pt(double points) {
  return points * kUnitsPerPoint;
}
constexpr double mm(double millimetres) {
  return millimetres * kResolution / 25.4;
}

// The light theme's tokens: a page is white whatever the window's theme.
const Tokens& ink();
// Colour and dash of a run by its order: the same as in the window's plots.
QPen seriesPen(int order, double points);

enum class Face { Text, Medium, Strong, Code };

// REQUIRES: Theme::loadFonts() was called.
QFont font(Face face, double points);

}  // namespace atelier::app::report
