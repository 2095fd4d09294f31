#include "check.h"

#include <algorithm>
#include <iterator>

#include "core/wire/format.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "format_figure.h"
#include "session.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

// Args that name something of the program, and are never numbers, whatever they look like.
constexpr std::string_view kNames[] = {"module", "operator", "key", "value", "first", "last", "name", "change", "title"};

// Whose figures are told with all the digits of a float32: the last one is what they are about.
constexpr std::string_view kExactCheck = "check.format_value.";
constexpr int kExactDigits = 8;

bool isName(std::string_view arg) {
  return std::find(std::begin(kNames), std::end(kNames), arg) != std::end(kNames);
}

std::string calledBy(const json& item) {
  for (const char* key : {"name", "rule"})
    if (auto name = wire::textAt(item, key); !name.empty()) return name;
  const auto path = item.find("path");
  return path != item.end() && path->is_string() ? (*path == "" ? "model" : path->get<std::string>()) : std::string();
}

// An object's member, or the element of an array of objects whose "kind" is the name.
const json* descend(const json& at, const std::string& name) {
  if (at.is_object()) {
    const auto found = at.find(name);
    return found == at.end() ? nullptr : &*found;
  }
  if (!at.is_array()) return nullptr;
  for (const auto& item : at)
    if (item.is_object() && item.value("kind", json()) == name) return &item;
  return nullptr;
}

}  // namespace

std::string_view stateName(CheckState state) {
  switch (state) {
    case CheckState::Passed:
      return "passed";
    case CheckState::Failed:
      return "failed";
    case CheckState::Noise:
      return "inside-the-noise";
    case CheckState::NotPredicted:
      return "not-predicted";
    case CheckState::NotRun:
      break;
  }
  return "not-run";
}

const CheckKind* findCheckKind(std::string_view id) {
  for (const auto& kind : allCheckKinds())
    if (kind.id == id) return &kind;
  return nullptr;
}

std::optional<wire::Interval> figureAt(const json& result, std::string_view path) {
  if (const auto said = formatFigure(path)) return wire::Interval{*said, *said, *said, 1};
  const json* at = &result;
  while (true) {
    const auto dot = path.find('.');
    const std::string name(path.substr(0, dot));
    if (dot == std::string_view::npos) {
      if (at->is_object())
        if (const auto number = wire::getNumber(*at, name)) return wire::Interval{*number, *number, *number, 1};
      const auto* last = descend(*at, name);
      return last ? wire::intervalFromJson(*last) : std::nullopt;
    }
    at = descend(*at, name);
    if (!at) return std::nullopt;
    path.remove_prefix(dot + 1);
  }
}

std::vector<std::string> namesAt(const json& result, std::string_view path) {
  const json* at = &result;
  for (std::size_t from = 0; at && from <= path.size();) {
    const auto dot = std::min(path.find('.', from), path.size());
    at = descend(*at, std::string(path.substr(from, dot - from)));
    from = dot + 1;
  }
  std::vector<std::string> names;
  if (!at) return names;
  if (at->is_string() && *at != "") names.push_back(at->get<std::string>());
  if (at->is_array())
    for (const auto& item : *at)
      if (item.is_object())
        if (auto name = calledBy(item); !name.empty()) names.push_back(std::move(name));
  return names;
}

std::string localText(wire::Message message, const wire::Catalog& catalog) {
  const wire::Format format(catalog.language());
  // A check's figures are all written with the same digits, but for what is counted.
  const bool ofCheck = message.id.starts_with("check.");
  for (auto& [name, value] : message.args) {
    if (isName(name)) continue;
    const auto integer = wire::parseInteger(value);
    const auto number = wire::parseNumber(value);
    if (number && message.id.starts_with(kExactCheck)) value = format.compact(*number, kExactDigits);
    else if (integer && (!ofCheck || name == "count" || name == "at")) value = format.integer(*integer);
    else if (number) value = ofCheck ? format.number(*number) : format.compact(*number);
  }
  return catalog.text(message);
}

std::string sentenceText(const CheckResult& result, const wire::Catalog& catalog) {
  auto text = localText(result.sentence, catalog);
  for (const auto& message : result.quoted) text += " " + localText(message, catalog);
  return text;
}

json toJson(const std::vector<CheckResult>& results) {
  auto list = json::array();
  for (const auto& result : results) {
    json entry{{"step", result.step},
               {"check", result.check},
               {"passed", result.state == CheckState::Passed},
               {"state", stateName(result.state)},
               {"measured", nullptr},
               {"wanted", result.wanted},
               {"solution_shown", result.solution_shown}};
    wire::putNumber(entry, "measured", result.measured);
    if (result.interval) entry["interval"] = wire::toJson(*result.interval);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace atelier::lab
