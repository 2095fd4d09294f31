#include "verdict_plot.h"

#include <algorithm>
#include <cmath>

#include "app/models/race_texts.h"

namespace atelier::app {

namespace {

// The first intervals are as wide as they are meaningless: they run out of the picture rather than flatten what follows.
void fitRatios(FigureContent& figure) {
  constexpr double kLeast = 0.06, kWidest = 0.6, kAir = 1.1;
  double below = kLeast, above = kLeast;
  for (const auto& line : figure.lines) {
    for (const double value : line.curve.y) {
      below = std::max(below, 1 - value);
      above = std::max(above, value - 1);
    }
    if (line.curve.y.isEmpty()) continue;
    const double last = line.curve.y.last();
    for (qsizetype i = 0; i < line.band.x.size(); ++i) {
      below = std::max(below, std::min(1 - line.band.low[i], 1 - last + kWidest));
      above = std::max(above, std::min(line.band.high[i] - 1, last - 1 + kWidest));
    }
  }
  figure.yLow = std::max(0.0, 1 - kAir * below);
  figure.yHigh = 1 + kAir * above;
}

}  // namespace

FigureContent verdictFigure(const std::vector<RaceTrack>& tracks, const Words& words) {
  FigureContent figure;
  figure.title = words.text("racepage.plot.title");
  figure.unit = words.text("racepage.plot.unit");
  figure.xTitle = words.text("racepage.plot.pairs");
  figure.levels = {1.0};
  figure.zones.append({1 - kNoDifference, 1 + kNoDifference, true, false, words.text("racepage.plot.no_difference")});
  double last = 1;
  QVector<double> leftOut;
  for (const auto& track : tracks) {
    const int order = track.variant.empty() ? 1 : track.variant[0] - 'a';
    figure.lines.append({RaceTexts::name(track.variant), order, track.median, track.band});
    last = std::max({last, static_cast<double>(track.last.planned_pairs),
                     static_cast<double>(track.last.pairs + track.last.discarded_pairs)});
    // A disturbed block of A is left out of every comparison: shaded once.
    for (const double pair : track.leftOut)
      if (!leftOut.contains(pair)) leftOut.append(pair);
  }
  for (const double pair : leftOut)
    figure.zones.append({pair - 0.5, pair + 0.5, false, true, words.text("racepage.plot.left_out")});
  figure.xLow = 0;
  figure.xHigh = last + 0.5;
  fitRatios(figure);
  return figure;
}

}  // namespace atelier::app
