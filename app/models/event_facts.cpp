#include "event_facts.h"

#include <QStringList>

#include <algorithm>

#include "core/trace/cost.h"
#include "core/trace/index.h"
#include "profile_cells.h"
#include "trace_texts.h"
#include "words.h"

namespace atelier::app {

using trace::at;

namespace {

constexpr int kLongestText = 400;
constexpr qsizetype kMostFrames = 12;

class Facts {
 public:
  Facts(const TraceDocument::Content& content, const Words& words)
      : m_content(content), m_trace(content.trace), m_words(words) {}

  QVector<EventFact> event(std::int32_t id) {
    const auto& event = m_trace.events[at(id)];
    const auto& times = m_content.report.times;
    code("profileview.fact.name", plainName(m_trace.nameOf(event), kLongestText));
    addPlace(event);
    time("profileview.fact.total", event.duration);
    if (at(id) < times.self.size()) time("profileview.fact.self", times.self[at(id)]);
    const bool hasDevice = at(id) < times.device_total.size() && times.device_total[at(id)] > 0 && !m_trace.onDevice(event);
    if (hasDevice) time("profileview.fact.device", times.device_total[at(id)]);
    addCost(event, hasDevice ? times.device_self[at(id)] : event.duration);
    if (event.bytes >= 0) plain("profileview.fact.bytes", qt(m_words.format().bytes(event.bytes)));
    addDetail(event);
    return std::move(m_facts);
  }

  QVector<EventFact> name(std::int32_t name, std::int32_t module) {
    code("profileview.fact.name", plainName(m_trace.names[at(name)], kLongestText));
    if (module >= 0) code("profileview.fact.module", moduleText(m_trace, module, m_words));
    std::int64_t calls = 0, total = 0, self = 0;
    for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
      const auto& event = m_trace.events[i];
      if (event.name != name || (module >= 0 && event.module != module) || !m_content.report.span.has(event)) continue;
      ++calls;
      total += event.duration;
      self += i < m_content.report.times.self.size() ? m_content.report.times.self[i] : 0;
    }
    addSums(calls, total, self);
    return std::move(m_facts);
  }

  QVector<EventFact> module(std::int32_t module) {
    code("profileview.fact.module", moduleText(m_trace, module, m_words));
    code("profileview.fact.type", plainName(m_trace.modules[at(module)].type));
    for (const auto& row : m_content.report.modules) {
      if (row.module != module) continue;
      plain("profileview.fact.calls", integer(row.calls));
      time("profileview.fact.forward", row.forward_ns);
      time("profileview.fact.forward_self", row.forward_self_ns);
      time("profileview.fact.backward", row.backward_ns);
      if (row.device_ns > 0) time("profileview.fact.device", row.device_ns);
      break;
    }
    return std::move(m_facts);
  }

 private:
  static QString qt(const std::string& text) { return QString::fromStdString(text); }
  QString integer(std::int64_t value) const { return qt(m_words.format().integer(value)); }
  void plain(const char* label, const QString& value) { m_facts.append({m_words.text(label), value, false}); }
  void code(const char* label, const QString& value) {
    if (!value.isEmpty()) m_facts.append({m_words.text(label), value, true});
  }
  void time(const char* label, std::int64_t ns) { plain(label, timeText(ns, m_words.format())); }

  void addPlace(const trace::Event& event) {
    code("profileview.fact.module", moduleText(m_trace, event.module, m_words));
    if (event.module >= 0) code("profileview.fact.type", plainName(m_trace.modules[at(event.module)].type));
    const auto stage = stageText(event.stage, m_words);
    if (!stage.isEmpty()) plain("profileview.fact.stage", stage);
    code("profileview.fact.track", plainName(m_trace.tracks[at(event.track)].name));
    if (event.step >= 0) plain("profileview.fact.step", integer(std::int64_t{event.step} + 1));
  }

  // FLOPs, their rate over the time in which they were done, and the share of what the machine can do.
  void addCost(const trace::Event& event, std::int64_t ns) {
    const auto* detail = m_trace.detailOf(event);
    if (event.kind != trace::Kind::Operator || !detail) return;
    const auto cost = trace::costOf(m_trace.nameOf(event), *detail);
    if (!cost) return;
    const auto& format = m_words.format();
    if (cost->flops > 0) plain("profileview.fact.flops", wideText(cost->flops, format));
    if (cost->bytes > 0) plain("profileview.fact.moved", qt(format.bytes(cost->bytes)));
    if (cost->flops <= 0 || ns <= 0) return;
    const double rate = cost->flops / (static_cast<double>(ns) * 1e-9);
    auto text = qt(format.number(rate * 1e-9)) + QStringLiteral("\u00a0GFLOP/s");
    const double peak = m_content.report.peaks.peakFor(dtypeOf(*detail));
    if (peak > 0)
      text += QStringLiteral(" · ") +
              m_words.text(wire::Message{"profileview.fact.of_peak", {{"share", format.percent(std::min(1.0, rate / peak))}}});
    plain("profileview.fact.rate", text);
  }

  static std::string dtypeOf(const trace::Detail& detail) {
    for (const auto& input : detail.inputs)
      if (!input.dtype.empty()) return input.dtype;
    return {};
  }

  void addDetail(const trace::Event& event) {
    code("profileview.fact.shapes", shapesText(m_trace, event));
    const auto* detail = m_trace.detailOf(event);
    if (!detail) return;
    QStringList types, scalars;
    for (const auto& input : detail->inputs)
      if (!input.dtype.empty() && !types.contains(qt(input.dtype))) types << plainName(input.dtype, 40);
    for (const auto& scalar : detail->scalars)
      if (!scalar.empty()) scalars << plainName(scalar, 80);
    code("profileview.fact.types", types.join(QStringLiteral(", ")));
    code("profileview.fact.scalars", plainName(scalars.join(QStringLiteral(", ")).toStdString(), kLongestText));
    auto frames = qt(detail->stack).split(QLatin1Char(';'), Qt::SkipEmptyParts);
    if (frames.size() > kMostFrames) frames = frames.mid(0, kMostFrames) << QStringLiteral("…");
    code("profileview.fact.stack", frames.join(QLatin1Char('\n')));
  }

  void addSums(std::int64_t calls, std::int64_t total, std::int64_t self) {
    plain("profileview.fact.calls", integer(calls));
    time("profileview.fact.total", total);
    time("profileview.fact.self", self);
    if (calls > 0) time("profileview.fact.mean", total / calls);
  }

  const TraceDocument::Content& m_content;
  const trace::Trace& m_trace;
  const Words& m_words;
  QVector<EventFact> m_facts;
};

}  // namespace

QVector<EventFact> factsOf(const TraceDocument::Content& content, std::int32_t event, const Words& words) {
  return Facts(content, words).event(event);
}

QVector<EventFact> factsOf(const TraceDocument::Content& content, const TraceSelection& selection, const Words& words) {
  if (selection.event() >= 0) return Facts(content, words).event(selection.event());
  if (selection.name() >= 0) return Facts(content, words).name(selection.name(), selection.module());
  if (selection.module() >= 0) return Facts(content, words).module(selection.module());
  return {};
}

}  // namespace atelier::app
