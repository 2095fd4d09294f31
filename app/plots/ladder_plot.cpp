#include "ladder_plot.h"

#include <algorithm>

#include "labs/ladder_text.h"

namespace atelier::app {

namespace {

// A name under the axis has the room of a rung.
QString shortened(const QString& name) {
  constexpr qsizetype kLongest = 16;
  return name.size() <= kLongest ? name : name.left(kLongest - 1) + QStringLiteral("…");
}

QString reading(const lab::LadderLine& line) {
  QStringList parts{QString::fromStdString(line.change)};
  const auto factor = line.factor_range.empty() ? line.factor : line.factor + " " + line.factor_range;
  parts << QString::fromStdString(factor) << QString::fromStdString(line.verdict);
  return parts.join(QStringLiteral("  ·  "));
}

void addPoint(FigureLine& line, double x, const wire::Interval& factor) {
  line.curve.add(x, factor.median);
  line.band.x.append(x);
  line.band.low.append(factor.low);
  line.band.high.append(factor.high);
}

}  // namespace

FigureContent ladderFigure(const lab::Ladder& ladder, const Words& words) {
  FigureContent figure;
  figure.title = words.text("ladder.plot.title");
  figure.unit = words.text("ladder.plot.unit");
  if (!ladder.anyRaced()) return figure;
  const auto lines = lab::ladderLines(ladder, words.catalog());
  FigureLine climbed{words.text("ladder.factor"), 0, {}, {}, FigureLine::Join::Straight, true};
  double highest = 1;
  const auto take = [&](FigureLine& line, const QString& name, const wire::Interval& factor, bool strong) {
    const auto place = static_cast<int>(figure.xNames.size());
    addPoint(line, place, factor);
    const auto told = reading(lines[static_cast<std::size_t>(place)]);
    figure.marks.append({static_cast<double>(place), factor.median, told, place, strong});
    figure.xNames << shortened(name);
    highest = std::max(highest, factor.high);
  };
  take(climbed, words.text("ladder.foot"), {1, 1, 1, 0}, true);
  for (const auto& rung : ladder.rungs) {
    if (!rung.raced() || !rung.factor) break;  // what stands above has nothing to stand on yet
    take(climbed, QString::fromStdString(rung.title), *rung.factor, rung.kept());
  }
  figure.lines.append(climbed);
  const bool complete = figure.xNames.size() == static_cast<qsizetype>(ladder.rungs.size()) + 1;
  if (ladder.whole && complete) {
    FigureLine whole{words.text("ladder.whole"), 1, {}, {}, FigureLine::Join::Straight, true};
    take(whole, words.text("ladder.whole"), *ladder.whole, true);
    figure.lines.append(whole);
  }
  constexpr double kAir = 1.08;
  figure.levels = {1.0};
  figure.xLow = -0.5;
  figure.xHigh = static_cast<double>(figure.xNames.size()) - 0.5;
  figure.yLow = 0;
  figure.yHigh = highest * kAir;
  return figure;
}

}  // namespace atelier::app
