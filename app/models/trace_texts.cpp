#include "trace_texts.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/trace/index.h"

namespace atelier::app {

using trace::at;

namespace {

// What a tooltip says: its first line stands out.
using Facts = std::vector<QString>;

QString joined(const Facts& facts) {
  QStringList texts;
  for (const auto& fact : facts)
    if (!fact.isEmpty()) texts << fact;
  return texts.join(QStringLiteral(" · "));
}

QString rich(const Facts& facts) {
  QStringList lines;
  for (const auto& fact : facts) {
    if (fact.isEmpty()) continue;
    const auto escaped = fact.toHtmlEscaped();
    lines << (lines.isEmpty() ? QStringLiteral("<b>") + escaped + QStringLiteral("</b>") : escaped);
  }
  return QStringLiteral("<qt>") + lines.join(QStringLiteral("<br>")) + QStringLiteral("</qt>");
}

QString figure(const char* id, const QString& value, const Words& words) {
  return words.text(wire::Message{id, {{"value", value.toStdString()}}});
}

QString timeFact(const char* id, std::int64_t ns, const Words& words) {
  return figure(id, timeText(ns, words.format()), words);
}

// A module's own forward has its path for a name.
QString moduleFact(const trace::Trace& trace, std::int32_t module, const std::string& name, const Words& words) {
  if (module < 0 || trace.modules[at(module)].path == name) return {};
  return figure("timeline.module", moduleText(trace, module, words), words);
}

QString stageFact(trace::Stage stage, const Words& words) {
  return stage == trace::Stage::None ? QString() : figure("timeline.stage", stageText(stage, words), words);
}

Facts eventFacts(const trace::Trace& trace, const trace::Times& times, std::int32_t id, const Words& words) {
  const auto& event = trace.events[at(id)];
  const auto place = at(id);
  const auto shapes = shapesText(trace, event);
  Facts facts{plainName(trace.nameOf(event)), moduleFact(trace, event.module, trace.nameOf(event), words),
              stageFact(event.stage, words)};
  if (!shapes.isEmpty()) facts.push_back(figure("timeline.shapes", shapes, words));
  facts.push_back(timeFact("timeline.total", event.duration, words));
  if (place < times.self.size() && times.self[place] != event.duration)
    facts.push_back(timeFact("timeline.self", times.self[place], words));
  if (place < times.device_total.size() && times.device_total[place] > 0 && !trace.onDevice(event))
    facts.push_back(timeFact("timeline.device", times.device_total[place], words));
  if (event.bytes >= 0)
    facts.push_back(figure("timeline.bytes", QString::fromStdString(words.format().bytes(event.bytes)), words));
  return facts;
}

Facts flameFacts(const trace::Trace& trace, const trace::Flame& flame, std::int32_t id, const Words& words) {
  const auto& node = flame.nodes[at(id)];
  const auto& name = trace.names[at(node.name)];
  const bool isStep = node.kind == trace::Kind::Step;
  Facts facts{isStep ? words.text("timeline.steps") : plainName(name), moduleFact(trace, node.module, name, words),
              stageFact(node.stage, words)};
  const double share = flame.total_ns > 0 ? static_cast<double>(node.total_ns) / static_cast<double>(flame.total_ns) : 0;
  facts.push_back(words.text(wire::Message{
      "timeline.total_share",
      {{"value", timeText(node.total_ns, words.format()).toStdString()}, {"share", words.format().percent(share)}}}));
  facts.push_back(timeFact("timeline.self", node.self_ns, words));
  facts.push_back(figure("timeline.calls", QString::fromStdString(words.format().integer(node.calls)), words));
  return facts;
}

}  // namespace

QString timeText(std::int64_t ns, const wire::Format& format) {
  const struct {
    double size;
    const char* name;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
  const auto value = static_cast<double>(ns);
  // 999.6 µs would read "1,000 µs": from where a number rounds up to it, the larger unit is the right one.
  constexpr double kRounded = 0.9995;
  for (const auto& unit : units)
    if (std::fabs(value) >= unit.size * kRounded)
      return QString::fromStdString(format.number(value / unit.size) + "\u00a0" + unit.name);
  return QString::fromStdString(format.integer(ns) + "\u00a0ns");
}

QString plainName(const std::string& name, int most) {
  // A character takes four bytes at most: what can't be shown need not be read.
  auto text =
      QString::fromUtf8(name.data(), std::min(static_cast<qsizetype>(name.size()), qsizetype{4} * (most + 1))).simplified();
  for (auto& character : text)
    if (!character.isPrint() && !character.isSurrogate()) character = QChar::ReplacementCharacter;
  if (text.size() <= most) return text;
  return text.left(most - 1) + QChar(0x2026);
}

QString shortName(const std::string& name) {
  std::string_view rest = name;
  for (const std::string_view prefix : {"autograd::engine::evaluate_function: ", "aten::", "nn.Module: "})
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  return plainName(std::string(rest));
}

QString moduleText(const trace::Trace& trace, std::int32_t module, const Words& words) {
  if (module < 0) return {};
  const auto& path = trace.modules[at(module)].path;
  return path.empty() ? words.text("timeline.root_module") : plainName(path);
}

QString stageText(trace::Stage stage, const Words& words) {
  switch (stage) {
    case trace::Stage::Data:
      return words.text("stage.data");
    case trace::Stage::Forward:
      return words.text("stage.forward");
    case trace::Stage::Backward:
      return words.text("stage.backward");
    case trace::Stage::Optimizer:
      return words.text("stage.optimizer");
    case trace::Stage::Other:
      return words.text("stage.other");
    case trace::Stage::None:
      break;
  }
  return {};
}

QString shapesText(const trace::Trace& trace, const trace::Event& event) {
  const auto* detail = trace.detailOf(event);
  if (!detail) return {};
  constexpr std::size_t kMost = 8;
  QStringList shapes;
  for (std::size_t i = 0; i < detail->inputs.size(); ++i) {
    if (i == kMost) {
      shapes << QStringLiteral("…");
      break;
    }
    QStringList sizes;
    for (const auto size : detail->inputs[i].sizes) sizes << QString::number(size);
    shapes << QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
  }
  return shapes.join(QLatin1Char(' '));
}

QString eventTip(const trace::Trace& trace, const trace::Times& times, std::int32_t event, const Words& words) {
  return rich(eventFacts(trace, times, event, words));
}

QString eventReading(const trace::Trace& trace, const trace::Times& times, std::int32_t event, const Words& words) {
  return joined(eventFacts(trace, times, event, words));
}

QString flameTip(const trace::Trace& trace, const trace::Flame& flame, std::int32_t node, const Words& words) {
  return rich(flameFacts(trace, flame, node, words));
}

QString flameReading(const trace::Trace& trace, const trace::Flame& flame, std::int32_t node, const Words& words) {
  return joined(flameFacts(trace, flame, node, words));
}

}  // namespace atelier::app
