#include "check.h"

#include "core/wire/format.h"
#include "core/wire/number.h"
#include "session.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

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

std::string sentenceText(const CheckResult& result, const wire::Catalog& catalog) {
  const wire::Format format(catalog.language());
  auto sentence = result.sentence;
  for (auto& [name, value] : sentence.args)
    if (const auto number = wire::parseNumber(value)) value = format.number(*number);
  return catalog.text(sentence);
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
