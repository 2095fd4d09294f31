#include "format_ranges.h"

#include <cmath>
#include <utility>

#include "app/models/formats_texts.h"
#include "app/models/words.h"

namespace atelier::app {

namespace {

constexpr int kDigits = 5;

QVector<RangeBar> barsOf(const FormatsModel& model, const Words& words) {
  QVector<RangeBar> bars;
  for (const auto& row : model.rows()) {
    const auto facts = row.format.facts();
    const auto text = [&](double value) { return exactText(value, words.format(), kDigits).toStdString(); };
    RangeBar bar{formatName(row.format),
                 std::log2(facts.smallest_subnormal),
                 std::log2(facts.smallest_normal),
                 std::log2(facts.largest),
                 {}};
    bar.reading = words.text(row.format.integer() ? wire::Message{"formats.reading.integer",
                                                                  {{"format", bar.label.toStdString()},
                                                                   {"step", text(facts.smallest_normal)},
                                                                   {"largest", text(facts.largest)}}}
                                                  : wire::Message{"formats.reading",
                                                                  {{"format", bar.label.toStdString()},
                                                                   {"subnormal", text(facts.smallest_subnormal)},
                                                                   {"normal", text(facts.smallest_normal)},
                                                                   {"largest", text(facts.largest)}}});
    bars.append(bar);
  }
  return bars;
}

RangeSeries seriesOf(const wire::ValueHistogram& histogram, const QString& label, int order) {
  RangeSeries series{label, order, histogram.lowestBin(), {}, false};
  const auto whole = static_cast<double>(histogram.finite());
  for (int exponent = histogram.lowestBin(); exponent <= histogram.highestBin(); ++exponent)
    series.shares.append(static_cast<double>(histogram.bin(exponent)) / whole);
  return series;
}

}  // namespace

RangeContent formatRanges(const FormatsModel& model, const Words& words) {
  RangeContent content;
  content.title = words.text("formats.ranges");
  content.unit = words.text("formats.ranges.unit");
  content.bars = barsOf(model, words);
  const double size = std::fabs(model.value());
  if (std::isfinite(size) && size > 0) {
    content.at = std::log2(size);
    content.atText =
        words.text(wire::Message{"formats.ranges.value", {{"value", exactText(model.value(), words.format()).toStdString()}}});
  }
  return content;
}

const wire::ValueHistogram& histogramOf(const wire::ValueHistograms& all, CountedKind kind) {
  if (kind == CountedKind::Weights) return all.weights;
  return kind == CountedKind::Activations ? all.activations : all.gradients;
}

RangeContent countedRanges(const FormatsModel& model, const wire::ValueHistograms& all, CountedKind kind, const Words& words) {
  RangeContent content;
  content.title = words.text("formats.counted");
  content.unit = words.text("formats.counted.unit");
  content.bars = barsOf(model, words);
  const std::pair<CountedKind, const char*> kinds[] = {{CountedKind::Weights, "formats.weights"},
                                                       {CountedKind::Activations, "formats.activations"},
                                                       {CountedKind::Gradients, "formats.gradients"}};
  for (const auto& [one, label] : kinds) {
    const auto& histogram = histogramOf(all, one);
    if (histogram.finite() == 0) continue;
    content.series.append(seriesOf(histogram, words.text(label), static_cast<int>(one)));
    content.series.last().filled = one == kind;
  }
  return content;
}

}  // namespace atelier::app
