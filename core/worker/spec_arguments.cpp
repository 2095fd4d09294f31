#include "spec_arguments.h"

#include <algorithm>

#include "core/registry/registry.h"
#include "core/wire/number.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;

// The JSON object of --spec; an empty one without it.
wire::Result<nlohmann::json> fileKeys(const std::string& file, Input& input) {
  std::string text = "{}";
  if (file == "-") text = input.json();
  else if (!file.empty()) {
    auto read = registry::readWhole(file, 1 << 20);
    if (!read.ok()) return Error{ExitCode::Usage, read.error().messages};
    text = *read;
  }
  std::string duplicate;
  auto json = wire::parseJson(text, &duplicate);
  if (!duplicate.empty()) return Error{ExitCode::Usage, {"spec.key_twice", {{"key", duplicate}}}};
  if (!json || !json->is_object()) return Error{ExitCode::Usage, {"spec.malformed"}};
  return *json;
}

void assign(const wire::Schema& schema, nlohmann::json& keys, const std::string& key, const std::string& value,
            Error& mistakes) {
  const auto* option = schema.find(key);
  if (!option) {
    const auto nearest = schema.nearestKey(key);
    mistakes.messages.push_back(
        {nearest.empty() ? "spec.unknown_key" : "spec.unknown_key_near", {{"key", key}, {"nearest", nearest}}});
    return;
  }
  const auto read = wire::readText(*option, value);
  if (read.ok()) keys[key] = wire::valueJson(read.value());
  else mistakes.messages.push_back(read.error().messages.front());
}

}  // namespace

std::string flagName(const std::string& key) {
  std::string name = "--" + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void declareSpec(CLI::App& command, const wire::Schema& schema, SpecArguments& arguments, const wire::Catalog& texts) {
  command.add_option("--spec", arguments.file, texts.text("cli.spec"))->type_name("FILE|-");
  command.add_option("--set", arguments.set, texts.text("cli.set"))->type_name("KEY=VALUE")->allow_extra_args(false);
  for (const auto& option : schema.options()) {
    if (!option.common) continue;
    auto help = texts.text("option." + option.key + ".help");
    if (option.type == wire::OptionType::Choice) {
      help += " (";
      for (const auto& choice : option.choices) help += (choice == option.choices.front() ? "" : ", ") + choice;
      help += ")";
    } else {
      help += " [" + wire::valueText(option, option.fallback) + "]";
    }
    const bool boolean = option.type == wire::OptionType::Boolean;
    auto* flag = command.add_option_function<std::string>(
        flagName(option.key),
        [&arguments, boolean, key = option.key](const std::string& value) {
          arguments.flags[key] = boolean && value.empty() ? "true" : value;
        },
        help);
    flag->group(texts.text("group." + option.group))->type_name("")->take_last();
    if (boolean) flag->expected(0, 1);
  }
}

void assignWords(const wire::Schema& schema, nlohmann::json& keys, const std::vector<std::string>& words, Error& mistakes) {
  for (const auto& word : words) {
    const auto split = word.find('=');
    if (split == std::string::npos) mistakes.messages.push_back({"cli.not_assignment", {{"word", word}}});
    else assign(schema, keys, word.substr(0, split), word.substr(split + 1), mistakes);
  }
}

wire::Result<nlohmann::json> specKeys(const wire::Schema& schema, const SpecArguments& arguments, Input& input,
                                      Error& mistakes) {
  auto keys = fileKeys(arguments.file, input);
  if (!keys.ok()) return keys;
  for (const auto& [key, value] : arguments.flags) assign(schema, *keys, key, value, mistakes);
  assignWords(schema, *keys, arguments.set, mistakes);
  return keys;
}

void addMistakes(Error& mistakes, const Error& more) {
  mistakes.messages.insert(mistakes.messages.end(), more.messages.begin(), more.messages.end());
}

wire::Result<wire::RunSpec> readSpec(const wire::Schema& schema, const SpecArguments& arguments, Input& input) {
  Error mistakes{ExitCode::Usage, std::vector<wire::Message>{}};
  const auto keys = specKeys(schema, arguments, input, mistakes);
  if (!keys.ok()) return keys.error();
  auto spec = wire::RunSpec::parse(schema, *keys);
  if (!spec.ok()) addMistakes(mistakes, spec.error());
  if (!mistakes.messages.empty()) return mistakes;
  return spec;
}

}  // namespace atelier::worker
