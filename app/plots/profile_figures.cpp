#include "profile_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/models/profile_cells.h"
#include "app/models/profile_tables.h"
#include "app/models/trace_texts.h"
#include "core/trace/index.h"

namespace atelier::app {

namespace {

constexpr double kGiga = 1e9, kMebi = 1024.0 * 1024.0, kMs = 1e-6;
constexpr double kSmallest = 7, kLargest = 34;  // diameters
constexpr std::size_t kMostPoints = 300;        // operators that took less time would only be dust
constexpr int kRoofPoints = 96;
constexpr std::array<trace::Category, trace::kCategories> kLayers{trace::Category::Weights,   trace::Category::Optimizer,
                                                                  trace::Category::Gradients, trace::Category::Activations,
                                                                  trace::Category::Other,     trace::Category::Unknown};

// Whole powers of ten around all values.
class LogRange {
 public:
  void take(double value) {
    if (!std::isfinite(value) || value <= 0) return;
    m_low = std::min(m_low, value);
    m_high = std::max(m_high, value);
  }
  bool empty() const { return m_low > m_high; }
  double low() const { return empty() ? 1 : power(std::floor(std::log10(m_low) - kAir)); }
  double high() const { return empty() ? 10 : power(std::ceil(std::log10(m_high) + kAir)); }

 private:
  static constexpr double kAir = 0.05, kFarthest = 300;
  static double power(double exponent) { return std::pow(10.0, std::clamp(exponent, -kFarthest, kFarthest)); }
  double m_low = INFINITY, m_high = 0;
};

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

// FLOP/s that an intensity allows; 0: not known.
double roofAt(double intensity, double peak, double bandwidth) {
  if (bandwidth <= 0) return peak;
  return peak > 0 ? std::min(peak, intensity * bandwidth) : intensity * bandwidth;
}

void addRoof(FigureContent& figure, const QString& label, double peak, double bandwidth) {
  if (peak <= 0 && bandwidth <= 0) return;
  FigureLine line;
  line.label = label;
  line.order = static_cast<int>(figure.lines.size());
  const double from = std::log10(figure.xLow), to = std::log10(figure.xHigh);
  for (int i = 0; i <= kRoofPoints; ++i) {
    const double x = std::pow(10.0, from + (to - from) * i / kRoofPoints);
    const double y = roofAt(x, peak, bandwidth) / kGiga;
    // Below the figure the slope has nothing to say.
    if (y >= figure.yLow) line.curve.add(x, y);
  }
  figure.lines.append(line);
}

QString pointText(const TraceDocument::Content& content, const trace::RooflinePoint& point, const Words& words) {
  const auto& format = words.format();
  QStringList parts{plainName(content.trace.names[trace::at(point.name)], 48)};
  parts << qt(format.number(point.flops_per_second / kGiga)) + QStringLiteral("\u00a0GFLOP/s");
  if (point.roof > 0)
    parts << words.text(wire::Message{point.memory_bound ? "profileview.roofline.of_bandwidth" : "profileview.roofline.of_peak",
                                      {{"share", format.percent(point.share)}}});
  parts << timeText(point.self_ns, format);
  return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

bool hasPeaks(const TraceDocument::Content& content) {
  const auto& peaks = content.report.peaks;
  return peaks.bytes_per_second > 0 && (peaks.fp32_flops > 0 || peaks.bf16_flops > 0);
}

FigureContent rooflineFigure(const TraceDocument::Content& content, const Words& words) {
  FigureContent figure;
  figure.title = words.text("profileview.roofline.title");
  figure.unit = QStringLiteral("GFLOP/s");
  figure.xTitle = words.text("profileview.roofline.intensity");
  figure.xLog = figure.yLog = true;
  const auto& points = content.report.roofline;
  const auto& peaks = content.report.peaks;
  if (points.empty()) return figure;
  LogRange x, y;
  const auto count = std::min(points.size(), kMostPoints);
  for (std::size_t i = 0; i < count; ++i) {
    x.take(points[i].intensity);
    y.take(points[i].flops_per_second / kGiga);
  }
  for (const double peak : {peaks.fp32_flops, peaks.bf16_flops}) {
    y.take(peak / kGiga);
    if (peaks.bytes_per_second > 0) x.take(peak / peaks.bytes_per_second);  // where the roof bends
  }
  figure.xLow = x.low();
  figure.xHigh = x.high();
  figure.yLow = y.low();
  figure.yHigh = y.high();
  const bool both = peaks.bf16_flops > 0;
  addRoof(figure, words.text(both ? "profileview.roofline.fp32" : "profileview.roofline.roof"), peaks.fp32_flops,
          peaks.bytes_per_second);
  if (both) addRoof(figure, words.text("profileview.roofline.bf16"), peaks.bf16_flops, peaks.bytes_per_second);
  const double longest = std::max(1.0, static_cast<double>(points.front().self_ns));
  for (std::size_t i = 0; i < count; ++i) {
    const auto& point = points[i];
    if (!(point.intensity > 0) || !(point.flops_per_second > 0)) continue;
    // Areas are as times: what looks twice as large took twice as long.
    const double share = std::sqrt(static_cast<double>(point.self_ns) / longest);
    figure.marks.append({point.intensity, point.flops_per_second / kGiga, pointText(content, point, words), static_cast<int>(i),
                         !point.memory_bound, std::max(kSmallest, kLargest * share)});
  }
  return figure;
}

FigureContent gradientFlowFigure(const wire::Health& health, const Words& words) {
  FigureContent figure;
  figure.title = words.text("profileview.health.flow");
  figure.unit = words.text("profileview.health.flow_unit");
  figure.xTitle = words.text("profileview.health.flow_axis");
  figure.yLog = true;
  LogRange range;
  for (const auto& one : health.parameters) range.take(one.norm);
  figure.yLow = range.low();
  figure.yHigh = range.high();
  figure.xLow = -0.5;
  figure.xHigh = std::max(0.5, static_cast<double>(health.parameters.size()) - 0.5);
  FigureLine line;
  for (std::size_t i = 0; i < health.parameters.size(); ++i) {
    const auto& one = health.parameters[i];
    const bool sound = std::isfinite(one.norm) && one.norm > 0 && one.nans == 0 && one.infinities == 0;
    const double y = std::isfinite(one.norm) && one.norm > 0 ? one.norm : figure.yLow;
    auto text = plainName(one.module, 60) + QStringLiteral("  ·  ") + wideText(one.norm, words.format());
    if (one.nans + one.infinities > 0)
      text +=
          QStringLiteral("  ·  ") + words.text(wire::Message{"profileview.health.not_finite",
                                                             {{"count", words.format().integer(one.nans + one.infinities)}}});
    if (sound) line.curve.add(static_cast<double>(i), y);
    figure.marks.append({static_cast<double>(i), y, text, static_cast<int>(i), sound});
  }
  if (!line.curve.x.isEmpty()) figure.lines.append(line);
  return figure;
}

QStringList memoryLayers(const Words& words) {
  QStringList names;
  for (const auto category : kLayers) names << categoryText(category, words);
  return names;
}

PlotContent memoryPlot(const trace::MemoryReport& memory, const Words& words) {
  PlotContent content;
  if (memory.timeline.empty()) return content;
  const auto names = memoryLayers(words);
  for (std::size_t layer = 0; layer < kLayers.size(); ++layer) {
    const auto category = static_cast<std::size_t>(kLayers[layer]);
    Curve curve;
    const trace::MemoryPoint* last = nullptr;
    for (const auto& point : memory.timeline) {
      const double at = static_cast<double>(point.time) * kMs;
      // What is live stays so until it changes: a step, not a slope.
      if (last) curve.add(at, static_cast<double>(last->bytes[category]) / kMebi);
      curve.add(at, static_cast<double>(point.bytes[category]) / kMebi);
      last = &point;
    }
    content.lastTime = std::max(content.lastTime, curve.x.last());
    content.stack.append(curve);
    content.lines.append({names.value(static_cast<int>(layer)), static_cast<int>(layer), curve, false, false});
  }
  content.budget = static_cast<double>(memory.peak.total()) / kMebi;
  const double peakAt = static_cast<double>(memory.peak.time) * kMs;
  content.disturbed.append({peakAt, peakAt, "profileview.memory.peak"});
  return content;
}

}  // namespace atelier::app
