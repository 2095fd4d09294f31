// TimeAxis: the nanoseconds of a trace on the pixels of a screen, and the ticks of a ruler: at 1, 2 or 5 times a power of ten,
// in the unit that reads best. Pure.
#pragma once

#include <QString>

#include <vector>

#include "core/wire/format.h"

namespace atelier::app {

struct TimeAxis {
  double from = 0, to = 1;     // ns; from < to
  double left = 0, width = 1;  // pixels; width > 0

  double perPixel() const { return (to - from) / width; }
  double x(double time) const { return left + (time - from) / perPixel(); }
  double time(double x) const { return from + (x - left) * perPixel(); }
  double right() const { return left + width; }
};

struct TimeTick {
  double time = 0;  // ns
  QString text;
};

// At least `gap` pixels apart and a nanosecond, in order.
std::vector<TimeTick> ticksOf(const TimeAxis& axis, double gap, const wire::Format& format);

}  // namespace atelier::app
