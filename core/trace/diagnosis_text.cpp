#include "diagnosis_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/wire/number.h"

namespace atelier::trace {
namespace {

constexpr std::array<std::string_view, 6> kNames{"module", "operator", "key", "value", "first", "last"};

std::string spoken(const std::string& text, const wire::Format& format) {
  if (const auto integer = wire::parseInteger(text)) return format.integer(*integer);
  if (const auto number = wire::parseNumber(text)) return format.compact(*number);
  return text;
}

}  // namespace

wire::Message localised(wire::Message message, const wire::Format& format) {
  for (auto& [name, value] : message.args)
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) value = spoken(value, format);
  return message;
}

wire::Message textOf(const Finding& finding, FindingPart part, const wire::Format& format) {
  const auto said = [&](const char* name, const auto& args) {
    return localised(wire::Message{"rule." + finding.rule + name, args}, format);
  };
  if (part == FindingPart::Title) return said(".title", finding.args);
  if (part == FindingPart::Why) return said(".why", finding.args);
  if (finding.severity == Severity::Healthy) return said(".healthy", finding.args);
  return said(".fix", finding.fix.args);
}

}  // namespace atelier::trace
