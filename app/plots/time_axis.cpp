#include "time_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace atelier::app {

namespace {

struct Unit {
  double size;
  const char* name;
};
constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};

// The first of 1, 2, 5, 10, … that is as large.
double niceStep(double least) {
  if (least <= 1) return 1;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

int decimalsOf(double step, double unit) {
  constexpr double kRounding = 1e-9;
  return std::max(0, static_cast<int>(std::ceil(std::log10(unit / step) - kRounding)));
}

// The largest unit in which the largest time has a whole part, and few decimals.
const Unit& unitOf(double step, double largest) {
  constexpr int kMostDecimals = 3;
  for (const auto& unit : kUnits)
    if (unit.size <= largest && decimalsOf(step, unit.size) <= kMostDecimals) return unit;
  return kUnits.back();
}

}  // namespace

std::vector<TimeTick> ticksOf(const TimeAxis& axis, double gap, const wire::Format& format) {
  const double step = niceStep(axis.perPixel() * gap);
  const auto& unit = unitOf(step, std::max(std::fabs(axis.from), std::fabs(axis.to)));
  const int decimals = decimalsOf(step, unit.size);
  const double first = std::ceil(axis.from / step);
  const int most = static_cast<int>(axis.width / gap) + 1;
  std::vector<TimeTick> ticks;
  for (int i = 0; i <= most; ++i) {
    const double time = (first + i) * step;
    if (time > axis.to) break;
    const auto text = time == 0 ? std::string("0") : format.fixed(time / unit.size, decimals) + "\u00a0" + unit.name;
    ticks.push_back({time, QString::fromStdString(text)});
  }
  return ticks;
}

}  // namespace atelier::app
