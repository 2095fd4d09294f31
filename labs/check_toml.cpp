#include "check_toml.h"

#include <algorithm>

#include "core/wire/number.h"
#include "core/wire/option.h"
#include "lab_keys.h"

namespace atelier::lab {
namespace {

using Type = Parameter::Type;

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

void unknownKind(TableReader& reader, const std::string& given) {
  std::vector<std::string> known;
  for (const auto& kind : allCheckKinds()) known.push_back(kind.id);
  const auto nearest = wire::nearestName(given, known);
  reader.mistake(nearest.empty() ? "lab.unknown_check" : "lab.unknown_check_near", reader.lineOf("kind"),
                 {{"given", given}, {"nearest", nearest}, {"allowed", joined(known)}});
}

void mustBeAChoice(TableReader& reader, const Parameter& parameter, const std::string& given) {
  const auto& allowed = parameter.choices;
  if (given.empty() || allowed.empty() || std::find(allowed.begin(), allowed.end(), given) != allowed.end()) return;
  reader.mistake("lab.not_a_choice", reader.lineOf(parameter.name),
                 {{"key", parameter.name}, {"given", given}, {"allowed", joined(allowed)}});
}

nlohmann::json wordsOf(TableReader& reader, const Parameter& parameter) {
  const auto words = reader.wordOrWords(parameter.name);
  for (const auto& word : words) mustBeAChoice(reader, parameter, word);
  return words;
}

double numberOf(TableReader& reader, const Parameter& parameter) {
  const double given = reader.number(parameter.name);
  if (parameter.type == Type::Percent && given < 0)
    reader.mistake("lab.negative", reader.lineOf(parameter.name),
                   {{"key", parameter.name}, {"given", wire::numberText(given)}});
  return given;
}

void readParameter(TableReader& reader, const Parameter& parameter, CheckSpec& spec) {
  const auto& name = parameter.name;
  if (!reader.has(name)) {
    if (parameter.required) reader.mistake("lab.missing_key", reader.lineOf(name), {{"key", name}});
    else if (parameter.type == Type::Quantity && !parameter.fallback.empty()) spec.parameters[name] = parameter.fallback;
    return;
  }
  switch (parameter.type) {
    case Type::Text:
    case Type::Quantity: {
      const auto given = reader.text(name);
      mustBeAChoice(reader, parameter, given);
      spec.parameters[name] = given;
      break;
    }
    case Type::Step:
      spec.parameters[name] = reader.identifier(name);
      break;
    case Type::Words:
      spec.parameters[name] = wordsOf(reader, parameter);
      break;
    case Type::Boolean:
      spec.parameters[name] = reader.boolean(name);
      break;
    case Type::Number:
    case Type::Percent:
      spec.parameters[name] = numberOf(reader, parameter);
      break;
  }
}

}  // namespace

const CheckKind* readKind(TableReader& reader, CheckSpec& spec) {
  spec.kind = reader.text("kind");
  if (spec.kind.empty()) return nullptr;
  const auto* kind = findCheckKind(spec.kind);
  if (!kind) {
    unknownKind(reader, spec.kind);
    return nullptr;
  }
  auto known = keysOf("check");
  for (const auto& parameter : kind->parameters) {
    readParameter(reader, parameter, spec);
    known.push_back(parameter.name);
  }
  reader.finish(known);
  return kind;
}

}  // namespace atelier::lab
